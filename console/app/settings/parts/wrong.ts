// Says what is wrong with a form: beside the field where a field is meant, else at the foot.

import { SluiceError } from "../../../../src/client/transport/sluice-error.ts"
import { consoleWords } from "../../../../web/faults/console-words.ts"
import { faultAt, faultOf } from "../../parts/fault.ts"

/** By the JSON Pointer of the field. */
export type Faults = Readonly<Record<string, string>>

export interface Wrong {
  readonly faults: Faults
  readonly words: readonly string[]
  /** What the words at the foot are of. */
  readonly error?: unknown
}

export const NOTHING_WRONG: Wrong = { faults: {}, words: [] }

/** What is wrong with a form before it is sent. */
export class FormFault extends Error {
  readonly faults: Faults

  constructor(faults: Faults) {
    super("Some fields are wrong.")
    this.faults = faults
  }
}

/** `places`: pointers of the fields, as the server names them. */
export function wrongWith(error: unknown, places: readonly string[]): Wrong {
  if (error === undefined) return NOTHING_WRONG
  if (error instanceof FormFault) return { faults: error.faults, words: [] }
  if (!(error instanceof SluiceError)) return { faults: {}, words: [faultOf(error)] }
  const placeOf = (pointer: string): string | undefined => places.find((place) => pointer === place || pointer.startsWith(`${place}/`))
  const faults: Record<string, string> = {}
  const words: string[] = []
  for (const { pointer, message } of error.errors) {
    const place = placeOf(pointer)
    if (place === undefined) words.push(faultAt(pointer, message))
    else faults[place] = pointer === place ? consoleWords(message).words : faultAt(pointer.slice(place.length), message)
  }
  const isTold = Object.keys(faults).length > 0 || words.length > 0
  return { faults, words: isTold ? words : [faultOf(error)], error }
}

/** Leads the reader to the first field that is wrong. */
export const focusFirstFault = (form: Element | null | undefined): void =>
  form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
