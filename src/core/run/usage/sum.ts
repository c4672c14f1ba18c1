// Defines a sum of runs: what a tenant's object keeps for each hour and day, of one flow and of all. A tree of numbers and histograms, in which
// an absent member is 0, so any two sums add up by one rule, and what is added later joins without a change of it.

import { tidy } from "../../money/tidy.ts"
import { mergeDurations, noDurations, type Histogram } from "./histogram.ts"
import { OTHER } from "./tally.ts"

/** How runs ended. */
export interface Ends {
  succeeded?: number
  failed?: number
  canceled?: number
}

/** What people were asked. */
export interface Asks {
  n?: number
  approved?: number
  edited?: number
  rejected?: number
  /** In any other way. */
  answered?: number
  expired?: number
  /** How long it took until somebody answered, without pauses between. */
  ms?: Histogram
}

/** Runs of one revision. `usd` is with what their children cost: it is the price of a run. */
export interface RevisionPart extends Ends {
  usd?: number
  ms?: Histogram
}

/** Runs that reached a step, skipped it, failed in it, or ended while it was open. `ms`: each pass, without pauses. */
export interface StepPart {
  reached?: number
  skipped?: number
  failed?: number
  left?: number
  usd?: number
  ms?: Histogram
}

/** `failed`: calls without a reply. `limited`: those of them that the provider refused as too many. `ms`: each reply. */
export interface ModelPart {
  calls?: number
  failed?: number
  limited?: number
  input?: number
  cached?: number
  output?: number
  usd?: number
  ms?: Histogram
}

/** `refused`: by the reason's code. `ms`: each call that returned. */
export interface ToolPart {
  calls?: number
  errors?: number
  refused?: Partial<Record<string, number>>
  asks?: Asks
  ms?: Histogram
}

/** Answers of one person. */
export interface PersonPart {
  answered?: number
  ms?: Histogram
}

/** Runs without a parent that ended, with what their children used: what an API key or a tag stands for. */
export interface UsePart extends Ends {
  input?: number
  output?: number
  usd?: number
}

export interface ByName {
  revision?: Record<string, RevisionPart>
  step?: Record<string, StepPart>
  model?: Record<string, ModelPart>
  tool?: Record<string, ToolPart>
  person?: Record<string, PersonPart>
  /** API keys that started runs, by their names; and tags of runs. */
  key?: Record<string, UsePart>
  tag?: Record<string, UsePart>
}

export interface Sum {
  /** Runs without a parent that began; those that ended; and children that ended. */
  began?: number
  runs?: Ends
  children?: Ends
  /** Absent: no call had a price. */
  usd?: number
  unpriced?: number
  input?: number
  cached?: number
  output?: number
  model_calls?: number
  tool_calls?: number
  tool_errors?: number
  /** [B3] Calls whose answers were lost. */
  lost_calls?: number
  lost_tokens?: number
  /** From the first event of a run to its end, without pauses and waits for people; and these waits. */
  ms?: Histogram
  waited?: Histogram
  /** Of runs that ended. */
  questions?: Asks
  approvals?: Asks
  /** Questions that runs asked in this time, and that were open no more: their difference is how many more are open. */
  asked?: number
  closed?: number
  by?: ByName
}

const MOST_REVISIONS = 10 // limit: revisions of a flow in an hour or a day that are summed by number → the older ones are summed together
const MOST_STEPS = 100 // limit: steps of a flow in an hour or a day that are summed by name → the rest is summed together
const MOST_MODELS = 20 // limit: models in an hour or a day whose calls are summed by name → the rest is summed together
const MOST_TOOLS = 50 // limit: tools in an hour or a day whose calls are summed by name → the rest is summed together
const MOST_PEOPLE = 20 // limit: people whose answers in an hour or a day are summed by name → the rest is summed together
const MOST_KEYS = 20 // limit: API keys whose runs in an hour or a day are summed by name → the rest is summed together
const MOST_TAGS = 20 // limit: tags of runs in an hour or a day that are summed by name → the rest is summed together
/** A sum of many has more. */
const ANSWERED_FACTOR = 4

type Most = Readonly<Record<keyof ByName, number>>
/** The newest revisions, and otherwise the names that came first; what has another name counts under OTHER. */
const STORED: Most = {
  revision: MOST_REVISIONS,
  step: MOST_STEPS,
  model: MOST_MODELS,
  tool: MOST_TOOLS,
  person: MOST_PEOPLE,
  key: MOST_KEYS,
  tag: MOST_TAGS,
}
const ANSWERED = Object.fromEntries(Object.entries(STORED).map(([kind, n]) => [kind, n * ANSWERED_FACTOR])) as unknown as Most
const MOST_CHARS = 16_000 // limit: characters of a sum of runs of an hour or a day → the names with the fewest counts are summed together

type Tree = { [name: string]: number | Tree | Histogram | undefined }
const isHistogram = (value: object): value is Histogram => "buckets" in value

/** Adds another sum to one that is stored. The answer is its text. */
export function addSum(into: Sum, more: Readonly<Sum>): string {
  join(into, more, STORED)
  let text = JSON.stringify(into)
  while (text.length > MOST_CHARS && shrink(into)) text = JSON.stringify(into)
  return text
}

/** Adds a sum to one that is about to be answered. */
export const mergeSum = (into: Sum, more: Readonly<Sum>): void => join(into, more, ANSWERED)

export function sumOfAll(sums: Iterable<Readonly<Sum>>): Sum {
  const all: Sum = {}
  for (const sum of sums) mergeSum(all, sum)
  return all
}

function join(into: Sum, more: Readonly<Sum>, most: Most): void {
  grow(into as Tree, more as Tree)
  for (const kind of Object.keys(most) as (keyof ByName)[]) {
    const names = into.by?.[kind] as Tree | undefined
    if (names) bound(names, most[kind], kind === "revision")
  }
}

function grow(into: Tree, more: Readonly<Tree>): void {
  for (const [name, value] of Object.entries(more)) {
    if (value === undefined) continue
    const known = Object.hasOwn(into, name) ? into[name] : undefined
    if (typeof value === "number") put(into, name, tidy((typeof known === "number" ? known : 0) + value))
    else if (isHistogram(value)) {
      const sum = typeof known === "object" && isHistogram(known) ? known : noDurations()
      mergeDurations(sum, value)
      put(into, name, sum)
    } else {
      const tree: Tree = typeof known === "object" && !isHistogram(known) ? known : {}
      grow(tree, value)
      put(into, name, tree)
    }
  }
}

/** A step or a tool may be called `__proto__`. */
const put = (into: Tree, name: string, value: Tree[string]): void =>
  void Object.defineProperty(into, name, { value, enumerable: true, configurable: true, writable: true })

function bound(names: Tree, most: number, isNewestFirst: boolean): void {
  const known = namesOf(names)
  const kept = isNewestFirst ? known.toSorted((a, b) => Number(b) - Number(a)) : known
  for (const name of kept.slice(most)) leave(names, name)
}

/** The name counts among the others. */
function leave(names: Tree, name: string): void {
  const part = names[name]
  delete names[name]
  grow(names, { [OTHER]: part })
}

/** Sums the rarest name of the longest list together with the others; revisions, of which there are few, after all else. false: no name is left. */
function shrink({ by = {} }: Sum): boolean {
  const { revision = {}, ...others } = by as Record<string, Tree>
  const [longest] = Object.values(others).toSorted((a, b) => namesOf(b).length - namesOf(a).length)
  const names = longest === undefined || namesOf(longest).length === 0 ? revision : longest
  const [rarest] = namesOf(names).toSorted((a, b) => weight(names[a]) - weight(names[b]))
  if (rarest === undefined) return false
  leave(names, rarest)
  return true
}

const namesOf = (names: Tree): string[] => Object.keys(names).filter((name) => name !== OTHER)

/** How much a part has counted. */
function weight(part: Tree[string]): number {
  if (typeof part === "number") return part
  if (part === undefined) return 0
  return isHistogram(part) ? part.n : Object.values(part).reduce<number>((sum, value) => sum + weight(value), 0)
}
