// What went wrong with a request, in words for a page.

import { SluiceError } from "../../../src/client/sluice-error.ts"
import { messageOf } from "../../../src/core/text/fault-text.ts"

export function faultOf(error: unknown): string {
  if (!(error instanceof SluiceError)) return messageOf(error, "The server did not answer.")
  if (error.status === 0) return "The server did not answer."
  return error.requestId === undefined ? error.message : `${error.message} (${error.status}, request ${error.requestId})`
}

/** Each fault of a body on a line, with its place in it. */
export function everyFault(error: unknown): string {
  if (!(error instanceof SluiceError) || error.errors.length === 0) return faultOf(error)
  return error.errors.map(({ pointer, message }) => `${pointer === "" ? "" : `${pointer} `}${message}`).join("\n")
}
