// Limits how much a staged run keeps [K32], so that a person can read the question and the answer fits into a row of the journal.

import { canonical, type JsonObject } from "../../json.ts"

/** A run and its children together keep at most this many calls, with this many characters of arguments. */
export const MAX_KEPT = 500 // limit: calls that a staged run and its children keep → a further one is refused with code `too_many`
export const MAX_KEPT_CHARS = 1_000_000 // limit: characters of their arguments → a further one is refused with code `too_many`

interface Holding {
  readonly kept: readonly unknown[]
  readonly keptChars: number
}

/** The effects of a child that its parent takes over. Effects that do not fit are discarded at the end. */
export function keptBelow<E extends { readonly args: JsonObject }>({ kept, keptChars }: Holding, effects: readonly E[]): { effects?: E[] } {
  let chars = keptChars
  const room = Math.max(0, MAX_KEPT - kept.length)
  const fits = effects.slice(0, room).filter(({ args }) => (chars += canonical(args).length) <= MAX_KEPT_CHARS)
  return fits.length === 0 ? {} : { effects: fits }
}
