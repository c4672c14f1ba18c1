// Records which steps an event has changed, so that `decide` checks only those [J8]. Otherwise each of 100 replies in parallel branches
// would check every branch, and everything that the join waits for.
//
// This is a cache, not part of the state: a run that was just folded has none. After an event that can change only one step, `decide` checks that
// step again; after any other event, it checks everything. Decisions are the same with and without the cache (test/core/run/attention.test.ts).

import type { Action } from "./action.ts"
import type { RunEvent } from "./event.ts"
import { isDone, stepState, type Run } from "./state.ts"

export interface Attention {
  readonly segment: number
  /** The event up to which it holds. */
  seq: number
  /** The open and the pending steps of the segment, in file order. */
  readonly open: string[]
  readonly pending: string[]
  /** The pending steps without those in `waiting`. */
  readonly ready: string[]
  /** A step that is not done → the pending steps that were found to wait for it. They are not looked at until it is. */
  readonly waiting: Map<string, string[]>
  /** Steps of `ready` that belong into `waiting`, each with the step that it waits for. */
  readonly blocked: Map<string, string>
  /** Steps that are about to be reopened. */
  readonly retrying: Set<string>
  /** What open steps want, where only their own events can change it. */
  readonly wishes: Map<string, readonly Action[]>
  /** Pending step → the place in its `blockedBy` of a step that was not done. */
  readonly blockers: Map<string, number>
  /** Whether a step of the segment has a timeout. */
  readonly isTimed: boolean
}

const known = new WeakMap<Run, Attention>()

/** Events that change at most the step they name, and nothing that another step's wishes come from. */
const OF_ONE_STEP: ReadonlySet<RunEvent["type"]> = new Set([
  "step.opened",
  "step.finished",
  "action.begun",
  "action.lost",
  "model.replied",
  "model.failed",
  "model.paced",
  "step.called",
  "tool.called",
  "tool.returned",
  "tool.refused",
  "tool.uncertain",
  "finish.rejected",
  "reminder.sent",
  "session.opened",
  "context.read",
  "context.compacted",
  "step.cached",
  "cache.missed",
  "step.offered",
  "step.scored",
  "steer.queued",
  "steer.delivered",
  "budget.reserved",
  "budget.settled",
  "code.logged",
  "file.changed",
  "warning",
])

export function attentionOf(run: Run): Attention {
  const before = known.get(run)
  if (before?.seq === run.seq && before.segment === run.segment) return before
  const { plan, segment, seq } = run
  const made: Attention = {
    segment,
    seq,
    open: [],
    pending: [],
    ready: [],
    waiting: new Map(),
    blocked: new Map(),
    retrying: new Set(),
    wishes: new Map(),
    blockers: new Map(),
    isTimed: (plan.members[segment] ?? []).some((id) => plan.steps.get(id)?.timeout !== undefined),
  }
  for (const id of plan.members[segment] ?? []) {
    const s = run.steps[id]
    if (s?.status === "running") made.open.push(id)
    if (s?.status === "pending") made.pending.push(id)
    if (s?.retry !== undefined) made.retrying.add(id)
  }
  made.ready.push(...made.pending)
  known.set(run, made)
  return made
}

/** Updates the cache after `apply` has changed the run. */
export function attended(run: Run, e: RunEvent): void {
  const before = known.get(run)
  if (!before) return
  if (before.seq !== e.seq - 1 || before.segment !== run.segment || !OF_ONE_STEP.has(e.type)) {
    known.delete(run)
    return
  }
  before.seq = e.seq
  setAside(before)
  if (!("step" in e) || e.step === undefined) return
  before.wishes.delete(e.step)
  if (e.type === "step.opened") {
    moved(run, e.step, before.ready)
    moved(run, e.step, before.pending, before.open)
  }
  if (e.type !== "step.finished") return
  moved(run, e.step, before.open)
  if (run.steps[e.step]?.retry !== undefined) before.retrying.add(e.step)
  for (const id of before.waiting.get(e.step) ?? []) if (run.steps[id]?.status === "pending") moved(run, id, [], before.ready)
  before.waiting.delete(e.step)
}

/** The pending steps of the current segment that may be ready, in file order. */
export function mayOpen(run: Run): readonly string[] {
  const known = attentionOf(run)
  setAside(known)
  return known.ready
}

/** Tells whether all steps that block a pending step are done. If not, `mayOpen` skips it: in a chain of 200, each end would check all the rest. */
export function isReady(run: Run, id: string, blockedBy: readonly string[]): boolean {
  const { blockers, blocked, segment } = attentionOf(run)
  const from = blockers.get(id) ?? 0
  for (let n = 0; n < blockedBy.length; n++) {
    const at = (from + n) % blockedBy.length
    const by = blockedBy[at] ?? ""
    if (!isUnblocked(run, segment, by)) {
      blockers.set(id, at)
      blocked.set(id, by)
      return false
    }
  }
  return true
}

/** Not while `ready` is being read. */
function setAside({ ready, blocked, waiting }: Attention): void {
  if (blocked.size === 0) return
  let kept = 0
  for (const id of ready) {
    const by = blocked.get(id)
    const others = by === undefined ? undefined : waiting.get(by)
    if (by === undefined) ready[kept++] = id
    else if (others) others.push(id)
    else waiting.set(by, [id])
  }
  ready.length = kept
  blocked.clear()
}

/** A step of another segment blocks nothing. */
export function isUnblocked(run: Run, segment: number, by: string): boolean {
  const at = run.plan.graph.order.get(by)
  return at === undefined || run.plan.graph.segmentOf[at] !== segment || isDone(stepState(run, by))
}

/** Takes the step out of a list, and into another one at its place in the file. */
function moved(run: Run, id: string, from: string[], to?: string[]): void {
  const at = from.indexOf(id)
  if (at >= 0) from.splice(at, 1)
  if (to === undefined) return
  const { order } = run.plan.graph
  const own = order.get(id) ?? 0
  let place = to.length
  while (place > 0 && (order.get(to[place - 1] ?? "") ?? 0) > own) place -= 1
  to.splice(place, 0, id)
}
