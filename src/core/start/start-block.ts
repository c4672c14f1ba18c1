// Defines what a start obeys [R1]: the block as its places say it, and as it is once the nearest place was chosen and its keys were read.

const DAY_MS = 86_400_000

export const KEY_OVERLAPS = ["queue", "skip", "supersede"] as const
/** [R7] What a start does that finds its key held. */
export type KeyOverlap = (typeof KEY_OVERLAPS)[number]

export const PRIORITIES = ["high", "normal", "low"] as const
/** [R12] Who goes first. */
export type Priority = (typeof PRIORITIES)[number]

/** A number and its bounds [R2]; times are milliseconds. */
export interface Bounds {
  readonly least: number
  readonly most: number
}
export const START_BOUNDS = {
  limit: { least: 1, most: 1_000 },
  throttle_period: { least: 1_000, most: DAY_MS },
  debounce_period: { least: 1_000, most: DAY_MS },
  window: { least: 1_000, most: 7 * DAY_MS },
  size: { least: 2, most: 1_000 },
  delay: { least: 0, most: 30 * DAY_MS },
  expires: { least: 1_000, most: 30 * DAY_MS },
} as const satisfies Readonly<Record<string, Bounds>>

export const EXPIRES_MS = 7 * DAY_MS // [R1] limit: milliseconds in line of a start whose block does not say → its run fails, source `start_expired`

/** A block as one place says it: every member may be absent. In a flow and in a hook a key is a template, elsewhere it is literal [R4]. */
export interface SaidStart {
  readonly concurrency?: { readonly key?: string; readonly limit?: number; readonly overlap?: KeyOverlap; readonly pool?: string }
  readonly throttle?: { readonly key?: string; readonly limit: number; readonly period: number; readonly pool?: string }
  readonly debounce?: { readonly key?: string; readonly period: number; readonly timeout?: number }
  readonly batch?: { readonly key?: string; readonly size: number; readonly timeout: number; readonly into: string }
  readonly priority?: Priority
  /** A time only in a start's body. */
  readonly delay?: StartDelay
  readonly expires?: number
}

/** Milliseconds from the arrival, or from the end of a window [R13]; or a time, in milliseconds since 1970. */
export type StartDelay = { readonly ms: number } | { readonly at: number }

export interface KeyLimit {
  readonly pool: string
  readonly key: string
  readonly limit: number
}
export interface Concurrency extends KeyLimit {
  readonly overlap: KeyOverlap
  /** The flow's own block names the pool: only then are runs of other flows canceled [R7]. */
  readonly named?: true
}
export interface Throttle extends KeyLimit {
  readonly period: number
}
export interface Debounce {
  readonly pool: string
  readonly key: string
  readonly period: number
  readonly timeout: number
}
export interface Batch {
  readonly pool: string
  readonly key: string
  readonly size: number
  readonly timeout: number
  readonly into: string
}

/** Members that only a flow without them lets another place set [R3]. */
export const FINAL_MEMBERS = ["concurrency", "throttle"] as const
export type FinalMember = (typeof FINAL_MEMBERS)[number]

/** The members whose numbers a start takes from its flow as the catalog has it now, if the flow's block brought them [R3]. */
export const FLOWS_OWN = ["concurrency", "throttle", "expires"] as const
export type FlowsOwn = (typeof FLOWS_OWN)[number]

/** A block with its keys, for one start. It goes with the start as JSON. */
export interface StartBlock {
  readonly concurrency?: Concurrency
  readonly throttle?: Throttle
  readonly debounce?: Debounce
  readonly batch?: Batch
  readonly priority: Priority
  readonly delay?: StartDelay
  /** Milliseconds in line. Left out: a start without a block never expires [R13]. */
  readonly expires?: number
  /** What the flow's own block brought. */
  readonly own?: readonly FlowsOwn[]
}

/** What a start obeys that says nothing: it waits for room alone [H6]. */
export const UNSAID: StartBlock = { priority: "normal" }

/** [R21] The tenant's object judges such a start; any other stays with the desks. A start has such a block if any of its places has one. */
export const isLined = (said: { readonly [Member in LinedMember]?: unknown } = {}): boolean =>
  LINED.some((member) => said[member] !== undefined)
const LINED = ["concurrency", "throttle", "debounce", "batch", "delay"] as const
type LinedMember = (typeof LINED)[number]

/** Whether a start may join a run, or be skipped, when it arrives [R17]. */
export const decidesOnArrival = ({ concurrency, debounce, batch }: Decided = {}): boolean =>
  concurrency?.overlap === "skip" || debounce !== undefined || batch !== undefined
interface Decided {
  readonly concurrency?: { readonly overlap?: KeyOverlap }
  readonly debounce?: object
  readonly batch?: object
}

/** [R3] The numbers of a flow's block as the catalog has it: what a look at the line reads. */
export interface FlowRules {
  readonly concurrency?: { readonly limit: number; readonly overlap: KeyOverlap }
  readonly throttle?: { readonly limit: number; readonly period: number }
  readonly expires?: number
}

export const flowRules = ({ concurrency, throttle, expires }: SaidStart): FlowRules => ({
  ...(concurrency && { concurrency: { limit: concurrency.limit ?? 1, overlap: concurrency.overlap ?? "queue" } }),
  ...(throttle && { throttle: { limit: throttle.limit, period: throttle.period } }),
  ...(expires !== undefined && { expires }),
})

/** [R3] The block by which the line is gone through now. undefined rules: the flow is removed, and the block counts as it was pinned. A member that
 *  the flow has no more binds nobody. */
export function blockNow(block: StartBlock, rules: FlowRules | undefined): StartBlock {
  if (rules === undefined || block.own === undefined) return block
  const { concurrency, throttle, ...rest } = block
  const owns = (member: FlowsOwn): boolean => block.own?.includes(member) === true
  const heldBy = owns("concurrency") ? concurrency && rules.concurrency && { ...concurrency, ...rules.concurrency } : concurrency
  const paced = owns("throttle") ? throttle && rules.throttle && { ...throttle, ...rules.throttle } : throttle
  return {
    ...rest,
    ...(heldBy && { concurrency: heldBy }),
    ...(paced && { throttle: paced }),
    ...(owns("expires") ? { expires: rules.expires ?? EXPIRES_MS } : {}),
  }
}
