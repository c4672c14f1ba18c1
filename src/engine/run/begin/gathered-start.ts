// Says what a run is given that starts have joined [R9, R10]: the last one's start, the items and the files of all of a batch, and every mark.

import type { Json } from "../../../core/json.ts"
import type { StartRequest } from "../../../ports/run.ts"

/** The members of a start that joining changes. */
type Gathering = Pick<StartRequest, "inputs" | "files" | "tainted" | "origins">

/** A start under the number that the tenant's object gave it. */
export interface Numbered<S> {
  readonly number: number
  readonly start: S
}

/** Debounce: the highest number counts, and a mark of any start stays. */
export function debounced<S extends Gathering>(kept: Numbered<S> | undefined, next: Numbered<S>): Numbered<S> {
  if (kept === undefined) return next
  const [older, newer] = next.number > kept.number ? [kept, next] : [next, kept]
  return { number: newer.number, start: marked(newer.start, [older.start]) }
}

/** Batch: the last start with the items of all as one list, in the order of their numbers, and with the files of all. */
export function batched<S extends Gathering>(starts: readonly Numbered<S>[], into: string): S | undefined {
  const inOrder = starts.toSorted((a, b) => a.number - b.number)
  const last = inOrder.at(-1)?.start
  if (last === undefined) return undefined
  const items = inOrder.flatMap(({ start }) => listOf(start.inputs[into]))
  const files = new Map(inOrder.flatMap(({ start }) => (start.files ?? []).map((file) => [file.path, file] as const)))
  const whole = { ...last, inputs: { ...last.inputs, [into]: items }, ...(files.size > 0 ? { files: [...files.values()] } : {}) }
  return marked(
    whole,
    inOrder.slice(0, -1).map(({ start }) => start),
  )
}

const listOf = (given: Json | undefined): readonly Json[] => (Array.isArray(given) ? given : given === undefined ? [] : [given])

/** [G11] Taint joins too. */
function marked<S extends Gathering>(last: S, others: readonly S[]): S {
  const all = [last, ...others]
  const origins = [...new Set(all.flatMap((start) => start.origins ?? []))]
  return {
    ...last,
    ...(all.some((start) => start.tainted === true) ? { tainted: true as const } : {}),
    ...(origins.length > 0 ? { origins } : {}),
  }
}
