// Says what a run is given that starts have joined [R9, R10]: the last one's start, the items and the files of all of a batch, and every mark.

import type { Json } from "../../../core/json.ts"
import { defined } from "../../../core/defined.ts"
import type { Starter } from "../../../core/run/event-parts.ts"
import type { StartCallback } from "../../../core/run/notice.ts"
import type { StartRequest } from "../../../ports/run.ts"

/** The members of a start that joining changes. */
type Gathering = Pick<StartRequest, "inputs" | "files" | "tainted" | "origins" | "trigger" | "asker" | "starters"> &
  Pick<StartRequest, "callback" | "callbacks" | "address">

export const MOST_STARTERS = 1_000 // [R9] limit: others who count as having started a run → the newest count

/** A start under the number that the tenant's object gave it. */
export interface Numbered<S> {
  readonly number: number
  readonly start: S
}

/** Debounce: the highest number counts, and a mark of any start stays. */
export function debounced<S extends Gathering>(kept: Numbered<S> | undefined, next: Numbered<S>): Numbered<S> {
  if (kept === undefined) return next
  const [older, newer] = next.number > kept.number ? [kept, next] : [next, kept]
  return { number: newer.number, start: startedBy(marked(newer.start, [older.start]), [older.start]) }
}

/** Batch: the last start with the items of all as one list, in the order of their numbers, and with the files of all. */
export function batched<S extends Gathering>(starts: readonly Numbered<S>[], into: string): S | undefined {
  const inOrder = starts.toSorted((a, b) => a.number - b.number)
  const last = inOrder.at(-1)?.start
  if (last === undefined) return undefined
  const items = inOrder.flatMap(({ start }) => listOf(start.inputs[into]))
  const files = new Map(inOrder.flatMap(({ start }) => (start.files ?? []).map((file) => [file.path, file] as const)))
  const whole = { ...last, inputs: { ...last.inputs, [into]: items }, ...(files.size > 0 ? { files: [...files.values()] } : {}) }
  const others = inOrder.slice(0, -1).map(({ start }) => start)
  return heardBy(startedBy(marked(whole, others), others), others)
}

/** [R9] Whoever joined counts as having started the run, each once. */
function startedBy<S extends Gathering>(last: S, others: readonly S[]): S {
  const own = JSON.stringify(starterOf(last))
  const all = [...others.flatMap((start) => [...(start.starters ?? []), starterOf(start)]), ...(last.starters ?? [])]
  const starters = eachOnce(all, own).slice(-MOST_STARTERS)
  return starters.length === 0 ? last : { ...last, starters }
}

const starterOf = ({ trigger: { kind, key, hook, schedule }, asker }: Pick<Gathering, "trigger" | "asker">): Starter =>
  defined({ kind, key, hook, schedule, asker })

/** [R10] Every start's own callback hears of the run, equal ones once. */
function heardBy<S extends Gathering>(last: S, others: readonly S[]): S {
  const own = JSON.stringify(last.callback && receiverOf(last.callback, last.address))
  const all = others.flatMap(({ callback, callbacks = [], address }) => [
    ...callbacks,
    ...(callback ? [receiverOf(callback, address)] : []),
  ])
  const callbacks = eachOnce(all, own)
  return callbacks.length === 0 ? last : { ...last, callbacks }
}

/** Without what has this text. */
const eachOnce = <T>(all: readonly T[], but: string | undefined): T[] =>
  [...new Map(all.map((one) => [JSON.stringify(one), one]))].flatMap(([text, one]) => (text === but ? [] : [one]))

/** Its links begin with the address under which its start was asked. */
const receiverOf = (callback: StartCallback, address: string | undefined) => ({ ...callback, ...defined({ address }) })

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
