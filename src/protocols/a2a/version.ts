// Checks the A2A version of a call [P13]: a header or the query names it, and only 1.0 is supported here.

import { a2aFault, type A2aFault } from "./fault.ts"
import type { Call } from "../../http/middleware/call.ts"

const SPOKEN = "1.0"

export function versionFault(c: Call): A2aFault | undefined {
  const said = (c.req.header("a2a-version") || c.req.query("A2A-Version") || "").trim()
  if (said === SPOKEN) return undefined
  const what = said === "" ? "The call names no version" : "This version is not supported"
  return a2aFault("VERSION_NOT_SUPPORTED", `${what}: send the header \`A2A-Version: ${SPOKEN}\`.`)
}

/** [P12] The refusal of a request for an extended agent card. */
export const NO_CARD = a2aFault("UNSUPPORTED_OPERATION", "The agent card is complete: there is no extended card.")
