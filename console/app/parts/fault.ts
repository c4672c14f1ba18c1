// What went wrong with a request, in words for a page.

import { SluiceError } from "../../../src/client/sluice-error.ts"

export function faultOf(error: unknown): string {
  if (!(error instanceof SluiceError)) return error instanceof Error ? error.message : "The server did not answer."
  if (error.status === 0) return "The server did not answer."
  return error.requestId === undefined ? error.message : `${error.message} (${error.status}, request ${error.requestId})`
}
