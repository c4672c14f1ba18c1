// The items of a map: which one each child run is about, how it stands, and what needs the reader first.

import { follow } from "../../src/core/text/follow.ts"
import { firstOf, onlyOperands, type TemplateReference } from "../../src/core/flow/template.ts"
import type { Json, JsonObject } from "../../src/core/json.ts"
import type { Pass, RunOutline, Work } from "../../src/core/run/views/outline.ts"

/** What needs the reader comes first. */
export const ITEM_STATES = ["failed", "asks", "running", "canceled", "to-come", "done"] as const
export type ItemState = (typeof ITEM_STATES)[number]

export interface MapItem {
  /** From 0 on. */
  readonly index: number
  /** Undefined: what the list holds there is not known. */
  readonly label: string | undefined
  readonly state: ItemState
  /** Undefined: its run has not begun. */
  readonly work: Work | undefined
}

/** `list`: what the map goes through, as far as it is known. */
export function itemsOf({ works, total, ended }: Pass, list: readonly Json[] | undefined): MapItem[] {
  const byIndex = new Map(works.flatMap((work) => (work.index === undefined ? [] : [[work.index, work] as const])))
  const count = Math.max(total ?? 0, ...[...byIndex.keys()].map((index) => index + 1))
  return Array.from({ length: count }, (_, index): MapItem => {
    const work = byIndex.get(index)
    const item = list?.[index]
    return { index, label: item === undefined ? undefined : labelOf(item), state: stateOf(work, ended !== undefined), work }
  })
}

function stateOf(work: Work | undefined, isOver: boolean): ItemState {
  if (work === undefined) return isOver ? "canceled" : "to-come"
  if (work.status === "failed") return "failed"
  if (work.status === "succeeded") return "done"
  if (work.status === "canceled" || work.ended !== undefined) return "canceled"
  return work.asks === true ? "asks" : "running"
}

export const failedFirst = (items: readonly MapItem[]): MapItem[] =>
  ITEM_STATES.flatMap((state) => items.filter((item) => item.state === state))

export const countsOf = (items: readonly MapItem[]): Readonly<Record<ItemState, number>> =>
  Object.fromEntries(ITEM_STATES.map((state) => [state, items.filter((item) => item.state === state).length])) as Record<ItemState, number>

/** `28 of 30, 2 failed`. */
export function itemsWords(items: readonly MapItem[]): string {
  const { failed, asks, done } = countsOf(items)
  return [`${failed + done} of ${items.length}`, ...(failed > 0 ? [`${failed} failed`] : []), ...(asks > 0 ? [`${asks} ask`] : [])].join(
    ", ",
  )
}

export interface Square {
  readonly items: readonly MapItem[]
  /** Of several, that which needs the reader most. */
  readonly state: ItemState
}

export const MOST_SQUARES = 600

/** One for each item; beyond {@link MOST_SQUARES}, one for several. */
export function squaresOf(items: readonly MapItem[]): Square[] {
  const each = Math.max(1, Math.ceil(items.length / MOST_SQUARES))
  return Array.from({ length: Math.ceil(items.length / each) }, (_, at) => {
    const mine = items.slice(at * each, (at + 1) * each)
    return { items: mine, state: ITEM_STATES.find((state) => mine.some((item) => item.state === state)) ?? "to-come" }
  })
}

/** The list that `over` names, as it was when the map began. Undefined: the page does not know it. */
export function listOf(
  over: string | undefined,
  { inputs }: { readonly inputs: JsonObject },
  { steps }: RunOutline,
  { seq }: Pass,
): readonly Json[] | undefined {
  const valueOf = (ref: TemplateReference): Json | undefined =>
    ref.root === "flow.input"
      ? inputs[ref.name]
      : ref.root === "result" && ref.field !== undefined
        ? steps.get(ref.step)?.passes.findLast(({ endSeq }) => endSeq !== undefined && endSeq < seq)?.outputs?.[ref.field]
        : undefined
  const refs = over === undefined ? [] : (onlyOperands(over, [...steps.keys()]) ?? [])
  const value = firstOf(refs, (ref) => valueOf(ref) ?? undefined)
  return Array.isArray(value) ? (value as readonly Json[]) : undefined
}

/** In characters. */
const MOST_LABEL = 80
/** Members that name a thing, the best first. */
const NAMES = ["name", "title", "subject", "label", "id", "key", "path", "url", "task", "text"] as const

/** An item in short: its text, what names it, or its JSON. */
export function labelOf(item: Json): string {
  const named = typeof item === "object" && item !== null && !Array.isArray(item) ? namedOf(item) : item
  const text = typeof named === "string" ? named : JSON.stringify(named)
  const line = text.trim().split("\n", 1)[0]?.replaceAll(/\s+/g, " ") ?? ""
  return line.length > MOST_LABEL ? `${line.slice(0, MOST_LABEL - 1)}…` : line
}

function namedOf(item: JsonObject): Json {
  for (const name of NAMES) {
    const value = follow(item, [name])
    if ((typeof value === "string" && value !== "") || typeof value === "number") return value
  }
  return item
}

export interface ItemTimes {
  /** In ms: the time that half of those which have ended took, and 95 of 100. */
  readonly half: number
  readonly most: number
  /** In ms: until the last one ends, if they go on so; undefined: what is left waits for people. */
  readonly left: number | undefined
}

const LEAST_ENDED = 3

export function timesOf(items: readonly MapItem[], now: number): ItemTimes | undefined {
  const took = items.flatMap(({ work }) => (work?.ended === undefined ? [] : [work.ended - work.begun])).toSorted((a, b) => a - b)
  if (took.length < LEAST_ENDED) return undefined
  const at = (share: number): number => took[Math.min(took.length - 1, Math.floor(share * took.length))] ?? 0
  const open = items.filter(({ state }) => state === "running" || state === "to-come").length
  const begun = Math.min(...items.flatMap(({ work }) => (work === undefined ? [] : [work.begun])))
  return { half: at(0.5), most: at(0.95), left: open === 0 ? undefined : ((now - begun) / took.length) * open }
}
