// Why the server refused a text, with the first thing that is wrong in it.

import { SluiceError } from "../../../src/client/transport/sluice-error.ts"
import { faultOf } from "../parts/fault.ts"

export function refusalOf(error: unknown): string {
  const [first] = error instanceof SluiceError ? error.errors : []
  return first === undefined ? faultOf(error) : `${first.message}${first.line === undefined ? "" : ` (line ${first.line})`}`
}
