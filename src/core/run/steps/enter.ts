// Enters steps: finds the next step of a segment [F11], and moves a run into the next segment [F15].

import { KINDS, templatesOf } from "../../steps/kinds.ts"
import { attentionOf, isReady, isUnblocked, mayOpen } from "../attention.ts"
import { agentNameOf, runsAgent, type Step } from "../../flow/flow.ts"
import type { Fact } from "../event.ts"
import { isDone, stepState, type Run, type StepState } from "../state.ts"
import { retryKey } from "../key.ts"
import { lost, lostIn } from "./lost-list.ts"
import { activeOf } from "./lane.ts"
import { hasEnded, ownRoute } from "./own-route.ts"
import { idsOf } from "./segment.ts"

/** Facts to record now, or the time at which a retried step may be entered. */
export interface StepEntry {
  readonly facts?: readonly Fact[]
  readonly wake?: { readonly key: string; readonly step: string; readonly at: number }
}

/** The open steps of the current segment. */
export function openIds(run: Run): string[] {
  return idsOf(run, run.segment).filter((id) => run.steps[id]?.status === "running")
}

/** The next ready step of a segment, in file order, and the steps after it that may open in the same commit; undefined: no step may
 *  open. `open` steps are already running.
 *
 *  Agent steps that only start a session open together: opened one at a time, each would scan the whole segment, and 200 branches
 *  would cost 40,000 checks. The journal is the same, event for event. */
export function enter(run: Run, segment: number, open: number): StepEntry | undefined {
  const members = idsOf(run, segment)
  const isCurrent = segment === run.segment
  const held = heldBack(run)
  let wake: StepEntry["wake"]
  const opened: Fact[] = []
  let more = 0
  for (const id of isCurrent ? candidates(run, open) : members) {
    const s = stepState(run, id)
    const step = run.plan.steps.get(id)
    if (s.status !== "pending" || !step || held(id)) continue
    if (!s.routed && run.plan.graph.onlyByError.has(id)) {
      if (mayStillFailTo(run, members, id)) continue
      if (more > 0) break
      return { facts: [{ type: "step.skipped", step: id, pass: s.pass }] }
    }
    if (open + more >= run.plan.flow.max_concurrent) break
    if (!(isCurrent ? isReady(run, id, step.blockedBy) : step.blockedBy.every((b) => isUnblocked(run, segment, b)))) continue
    if (s.notBefore !== undefined && s.notBefore > run.at) {
      if (!wake || s.notBefore < wake.at) wake = { key: retryKey(id, s.pass), step: id, at: s.notBefore }
      continue
    }
    // Other steps may end, ask or count at once, which changes what comes next: they open alone.
    if (more > 0 && step.type !== "agent") break
    const facts = opening(run, step)
    const justBegins = step.type === "agent" && facts.every((f) => f.type === "step.opened" || f.type === "warning")
    if (more > 0 && !justBegins) break
    for (const fact of facts) opened.push(fact)
    more += 1
    if (!justBegins) break
  }
  if (more > 0) return { facts: opened }
  return wake && open < run.plan.flow.max_concurrent ? { wake } : undefined
}

/** The facts that open the step, or the reason why it cannot be opened. */
export function opening(run: Run, step: Step): Fact[] {
  const why = lostIn(run, () => {
    const agent = runsAgent(step) ? run.plan.agents[agentNameOf(step) ?? ""] : undefined
    return [...templatesOf(step).map(({ text }) => text), ...(agent === undefined ? [] : [agent.body])]
  })
  return why === undefined ? KINDS[step.type].open(run, step) : lost(run, step, why)
}

/** Where no further step may open, the first step of the file that could ends the look, whatever it waits for. */
const candidates = (run: Run, open: number): readonly string[] =>
  open >= run.plan.flow.max_concurrent ? attentionOf(run).pending : mayOpen(run)

/** Can a step of this segment still route to `id` by its on_error? If not, `id` is skipped. */
function mayStillFailTo(run: Run, members: readonly string[], id: string): boolean {
  const routes = (s: StepState): boolean => !isDone(s)
  return members.some((m) => run.plan.steps.get(m)?.on_error === id && (routes(stepState(run, m)) || run.routes.some((r) => r.step === m)))
}

/** [F14] After a step has routed, the steps that wait for it do not start: the route decides about them. With lanes, each one's routes decide for
 *  its own steps: a step waits where every lane that runs it has come to a route. */
function heldBack(run: Run): (id: string) => boolean {
  const { waiters } = run.plan.graph
  if (!run.lanes) {
    if (run.routes.length === 0) return () => false
    const held = new Set(run.routes.flatMap(({ step }) => [...(waiters.get(step) ?? [])]))
    return (id) => held.has(id)
  }
  const routed = new Set(run.routes.map(({ step }) => step))
  const lanes = run.lanes.here.map((lane) => {
    const active = activeOf(run, lane, run.segment)
    const held = new Set<string>()
    // What lies between may have run for a branch that has gone on: a step still waits for the one that its own branch was routed to, and the
    // route of a step on the way still decides about those that wait for it.
    for (const id of active) {
      const holds = lane.at === id ? !hasEnded(run, id) || routed.has(id) : routed.has(id) || ownRoute(run, id) !== undefined
      if (holds) for (const waiter of waiters.get(id) ?? []) held.add(waiter)
    }
    return { active, held }
  })
  return (id) => lanes.every(({ active, held }) => !active.has(id) || held.has(id))
}

/** The first facts of the next segment with a step to run; undefined: the flow has ended. */
export function fall(run: Run): readonly Fact[] | undefined {
  for (let segment = run.segment + 1; segment < run.plan.graph.segments.length; segment++) {
    const pending = idsOf(run, segment).filter((id) => stepState(run, id).status === "pending")
    const out = pending.filter((id) => isExcluded(run, id))
    if (out.length > 0) return out.map((id) => ({ type: "step.skipped", step: id, pass: stepState(run, id).pass }))
    const entry = enter(run, segment, 0)
    if (entry?.facts) return entry.facts
  }
  return undefined
}

/** [F15] Does a choice that still applies exclude the step? */
const isExcluded = (run: Run, id: string): boolean =>
  (run.plan.graph.excluders.get(id) ?? []).some(
    (decider) => Object.hasOwn(run.exclusions, decider) && run.exclusions[decider]?.includes(id) === true,
  )
