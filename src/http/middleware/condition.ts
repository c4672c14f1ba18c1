// Faults that are a condition of the server and not a bug of it: the operator can mend them, so the answer says what they are.

import { isDiskFull } from "../../engine/disk-full.ts"
import type { Refusal } from "./problem.ts"

const FULL: Refusal = {
  code: "disk_full",
  detail: "The disk of the server is full, so nothing was written. Free some room there, then send the request again.",
  headers: { "retry-after": "30" },
}
/** What workerd says of a fault of its own, such as a write that it could not make. */
const PLATFORM = /^internal error\b/

/** `hasRoom`: whether the disk takes a write. */
export async function conditionOf(error: Error, hasRoom: () => Promise<boolean>): Promise<Refusal | undefined> {
  if (isDiskFull(error)) return FULL
  if (PLATFORM.test(error.message) && !(await hasRoom())) return FULL
  // RPC keeps the name of an error, not its class.
  if (error.name === "VaultChangedError")
    return {
      code: "vault_changed",
      detail: `${capital(error.message)}. If the VAULT_KEY of the instance was changed, the old one opens everything again.`,
    }
  if (error.name === "OtherFormatError") return { code: "other_format", detail: `${capital(error.message)}.` }
  return undefined
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
