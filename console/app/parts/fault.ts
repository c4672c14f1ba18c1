// What went wrong with a request, in the console's words. The id of the request and the code stand behind "Details" (fault-details.tsx).

import { SluiceError } from "../../../src/client/transport/sluice-error.ts"
import { messageOf } from "../../../src/core/text/fault-text.ts"
import { consoleWords, placeWords, type Mend } from "../../../web/faults/console-words.ts"
import { sentence } from "../../../web/faults/sentence.ts"

const SILENT = "The server did not answer."

/** Where the console knows better what to say than the server, which does not know who reads it. */
const BY_CODE: Readonly<Record<string, string>> = {
  network: SILENT,
  answer: "The answer did not come from Sluice.",
  unauthorized: "Your session is over. Sign in again.",
}

/** The page that mends it, where the code says so and the sentence does not. */
const MEND_BY_CODE: Readonly<Record<string, Mend>> = {
  no_model: { place: ["settings", "providers"], act: "Connect a model" },
  no_price: { place: ["settings", "prices"], act: "Set a price" },
  gate_failed: { place: ["settings", "gate"], act: "Open the gate" },
  policy: { place: ["settings", "policy"], act: "Open the policy" },
}

export function faultOf(error: unknown): string {
  if (!(error instanceof SluiceError)) return sentence(messageOf(error, SILENT))
  if (error.status === 0) return SILENT
  return BY_CODE[error.code] ?? consoleWords(error.message).words
}

/** Each fault of a body on a line, with its place in it. */
export function everyFault(error: unknown): string {
  if (!(error instanceof SluiceError) || error.errors.length === 0) return faultOf(error)
  return error.errors.map(({ pointer, message }) => faultAt(pointer, message)).join("\n")
}

/** One fault of a body, where it does not stand beside its field. */
export const faultAt = (pointer: string, message: string): string =>
  pointer === "" ? consoleWords(message).words : `${placeWords(pointer)}: ${consoleWords(message).words}`

/** undefined: no page of the console mends it. */
export function mendOf(error: unknown): Mend | undefined {
  if (!(error instanceof SluiceError)) return undefined
  for (const message of [...error.errors.map((one) => one.message), error.message]) {
    const { mend } = consoleWords(message)
    if (mend) return mend
  }
  return MEND_BY_CODE[error.code]
}

export interface FaultDetails {
  readonly request: string | undefined
  readonly code: string
}

/** undefined: there is nothing to report. */
export const detailsOf = (error: unknown): FaultDetails | undefined =>
  error instanceof SluiceError && error.requestId !== undefined ? { request: error.requestId, code: error.code } : undefined
