// Filters open asks: by kind, flow, tag, age and words. The address has the filter, so a filtered inbox is a link.

import { KINDS, lineOf, titleOf, type OpenAsk } from "./ask.ts"

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]

/** `least`: milliseconds that it has waited. */
export const AGE_STEPS = [
  { value: "15m", words: "over 15 min", least: 15 * MINUTE },
  { value: "1h", words: "over 1 h", least: HOUR },
  { value: "4h", words: "over 4 h", least: 4 * HOUR },
  { value: "1d", words: "over 1 day", least: DAY },
] as const

/** How many steps its age has passed: 0 is new, 4 is older than a day. */
export const ageStep = (created: string, now: number): number => AGE_STEPS.filter(({ least }) => now - Date.parse(created) > least).length

/** The names in the address. */
export const FILTER_NAMES = ["kind", "flow", "tag", "age", "q"] as const
export type AskFilter = Readonly<Partial<Record<(typeof FILTER_NAMES)[number], string>>>

export function filterIn(query: URLSearchParams): AskFilter {
  return Object.fromEntries(FILTER_NAMES.flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : [])))
}

export function passing<A extends OpenAsk>(asks: readonly A[], { kind, flow, tag, age, q = "" }: AskFilter, now: number): readonly A[] {
  const words = q
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
  const least = AGE_STEPS.find(({ value }) => value === age)?.least
  return asks.filter(
    (ask) =>
      (kind === undefined || KINDS[ask.kind].family === kind) &&
      (flow === undefined || ask.flow === flow) &&
      (tag === undefined || ask.tags?.includes(tag) === true) &&
      (least === undefined || now - Date.parse(ask.created) > least) &&
      (words.length === 0 || hasAll(ask, words)),
  )
}

function hasAll(ask: OpenAsk, words: readonly string[]): boolean {
  const { payload, flow = "", step = "", agent = "", tags = [], task = "" } = ask
  const all = [titleOf(ask), lineOf(ask), task, flow, step, agent, ...tags, JSON.stringify(payload["args"] ?? "")].join(" ").toLowerCase()
  return words.every((word) => all.includes(word))
}

/** What the fields of the filter offer: only what occurs. */
export function choicesIn(asks: readonly OpenAsk[]): Readonly<Record<"kind" | "flow" | "tag", readonly string[]>> {
  const sorted = (values: readonly string[]): readonly string[] => [...new Set(values)].toSorted()
  return {
    kind: sorted(asks.map(({ kind }) => KINDS[kind].family)),
    flow: sorted(asks.flatMap(({ flow }) => flow ?? [])),
    tag: sorted(asks.flatMap(({ tags = [] }) => tags)),
  }
}
