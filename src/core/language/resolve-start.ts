// Decides what a start obeys [R3, R4]: of each member the nearest place counts, and the keys become text. Pure: the same words give the same block.

import { asText, expand, type TemplateReference } from "../flow/template.ts"
import type { Json, JsonObject } from "../json.ts"
import { follow } from "../text/follow.ts"
import {
  EXPIRES_MS,
  FINAL_MEMBERS,
  FLOWS_OWN,
  START_BOUNDS,
  type Batch,
  type Concurrency,
  type Debounce,
  type FinalMember,
  type FlowsOwn,
  type SaidStart,
  type StartBlock,
  type Throttle,
} from "../start/start-block.ts"

/** What the templates of a flow's keys see [R4]: inputs that were checked and have their defaults. */
export interface KeyScope {
  readonly run: string
  readonly task: string
  readonly inputs: JsonObject
  readonly config: JsonObject
  readonly session?: string | undefined
  readonly thread?: string | undefined
  /** Headers, body and query of a delivery, or what a schedule says of its fire. */
  readonly trigger: Json
}

export interface StartPlaces {
  readonly flow: { readonly id: string; readonly start?: SaidStart | undefined }
  /** Of the hook or the schedule, with keys that are text already. */
  readonly trigger?: SaidStart | undefined
  /** Of the start's body. */
  readonly given?: SaidStart | undefined
}

export interface KeyDeps {
  /** Takes the tenant's secrets out [T32]. */
  readonly redact: (text: string) => string
  readonly sha256: (text: string) => string
}

const MAX_KEY = 256 // [R4] limit: characters of a key → `sha256:` and its hash stand for it

/** The members of another place that the flow sets itself. */
export const setByFlow = (flow: SaidStart | undefined, other: { readonly [Member in FinalMember]?: object } | undefined): FinalMember[] =>
  FINAL_MEMBERS.filter((member) => flow?.[member] !== undefined && other?.[member] !== undefined)

/** undefined: no place says anything. */
export function resolveStart(places: StartPlaces, scope: KeyScope, deps: KeyDeps): StartBlock | undefined {
  const { flow, trigger, given } = places
  if ([flow.start, trigger, given].every((said) => said === undefined || Object.keys(said).length === 0)) return undefined
  const near = [given, trigger] as const
  const literal = (key = ""): string => keyText(key, deps)
  const ofFlow = (key = ""): string => keyText(expand(key, (ref) => valueOf(ref, scope)).text, deps)
  const window = windowOf(places, literal, ofFlow)
  const delay = nearest([...near, flow.start], "delay")
  const concurrency = concurrencyOf(places, literal, ofFlow)
  const throttle = throttleOf(places, literal, ofFlow)
  const own = FLOWS_OWN.filter((member) => isOwn(member, places))
  return {
    ...(concurrency && { concurrency }),
    ...(throttle && { throttle }),
    ...window,
    priority: nearest([...near, flow.start], "priority") ?? "normal",
    ...(delay && { delay }),
    expires: nearest([...near, flow.start], "expires") ?? EXPIRES_MS,
    ...(own.length > 0 && { own }),
  }
}

function isOwn(member: FlowsOwn, { flow, trigger, given }: StartPlaces): boolean {
  if (member === "expires") return given?.expires === undefined && trigger?.expires === undefined
  return flow.start?.[member] !== undefined
}

function nearest<M extends keyof SaidStart>(places: readonly (SaidStart | undefined)[], member: M): SaidStart[M] | undefined {
  return places.find((said) => said?.[member] !== undefined)?.[member]
}

type Keyed = (key?: string) => string

/** Which place counts for a final member, and how its key is read. */
function finalOf<M extends FinalMember>({ flow, trigger, given }: StartPlaces, member: M, literal: Keyed, ofFlow: Keyed) {
  const own = flow.start?.[member]
  if (own !== undefined) return { said: own, key: ofFlow(own.key), isFlows: true }
  const other = nearest([given, trigger], member)
  return other && { said: other, key: literal(other.key), isFlows: false }
}

function concurrencyOf(places: StartPlaces, literal: Keyed, ofFlow: Keyed): Concurrency | undefined {
  const found = finalOf(places, "concurrency", literal, ofFlow)
  if (found === undefined) return undefined
  const { said, key, isFlows } = found
  const { limit = 1, overlap = "queue" } = said
  const pool = isFlows ? said.pool : undefined
  return { pool: pool ?? places.flow.id, key, limit, overlap, ...(pool !== undefined && { named: true }) }
}

function throttleOf(places: StartPlaces, literal: Keyed, ofFlow: Keyed): Throttle | undefined {
  const found = finalOf(places, "throttle", literal, ofFlow)
  if (found === undefined) return undefined
  const { said, key, isFlows } = found
  return { pool: (isFlows ? said.pool : undefined) ?? places.flow.id, key, limit: said.limit, period: said.period }
}

/** A nearer window replaces the other kind [R3]. */
function windowOf(
  { flow, trigger, given }: StartPlaces,
  literal: Keyed,
  ofFlow: Keyed,
): { readonly debounce?: Debounce; readonly batch?: Batch } {
  const nearby = [given, trigger].find(hasWindow)
  const said = nearby ?? flow.start
  const read = nearby === undefined ? ofFlow : literal
  if (said?.debounce) {
    // [R1] Ten periods, if nobody says how long a window may stay open.
    const { key, period, timeout = Math.min(10 * period, START_BOUNDS.window.most) } = said.debounce
    return { debounce: { pool: flow.id, key: read(key), period, timeout } }
  }
  if (said?.batch) return { batch: { pool: flow.id, ...said.batch, key: read(said.batch.key) } }
  return {}
}
const hasWindow = (said: SaidStart | undefined): boolean => said?.debounce !== undefined || said?.batch !== undefined

/** The input into which a start is gathered [R10]; undefined: it is not. */
export const batchInto = ({ flow, trigger, given }: StartPlaces): string | undefined =>
  [given, trigger, flow.start].find(hasWindow)?.batch?.into

/** [R4] Cleaned of secrets first: what a hash hides could no longer be cleaned. */
function keyText(raw: string, { redact, sha256 }: KeyDeps): string {
  const text = redact(raw)
  return text.length > MAX_KEY ? `sha256:${sha256(text)}` : text
}

/** The roots of a flow's keys; a hook's see `trigger` alone, and any other key is literal. */
export const KEY_ROOTS: readonly TemplateReference["root"][] = ["task", "flow.input", "config", "session", "trigger", "thread"]

function valueOf(ref: TemplateReference, { run, task, inputs, config, session, thread, trigger }: KeyScope): string | undefined {
  switch (ref.root) {
    case "task":
      return task
    case "session":
      return session
    case "thread":
      return thread ?? run
    case "flow.input":
      return textOf(own(inputs, ref.name))
    case "config":
      return textOf(own(config, ref.key))
    case "trigger":
      return textOf(follow(trigger, ref.path))
    default:
      return undefined
  }
}

const own = (values: JsonObject, name: string): Json | undefined => (Object.hasOwn(values, name) ? values[name] : undefined)
const textOf = (value: Json | undefined): string | undefined => (value === undefined || value === null ? undefined : asText(value))
