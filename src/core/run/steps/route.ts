// Routes a run when its segment is at rest [F13–F19]: a route forward, back, or past an exhausted branch.

import { hasBranches, targetOf, untilOf } from "../../flow/flow.ts"
import { activeFrom } from "../../flow/graph.ts"
import type { Fact } from "../event.ts"
import { idsOf, segmentOf } from "./segment.ts"
import { goTogether, lanesBack, moveLanes, ofOtherLanes } from "./lanes.ts"
import { isBackward } from "../plan.ts"
import { backTaken, stepState, type PendingRoute, type Run } from "../state.ts"

/** [F14] The first route in file order wins; the others become warnings. After a multiple choice each branch takes its own [F21]. */
export function takeRoute(run: Run): Fact[] {
  const order = run.plan.graph.order
  const routes = [...run.routes].sort((a, b) => (order.get(a.step) ?? 0) - (order.get(b.step) ?? 0))
  const [first, ...others] = routes
  if (!first) return []
  // A segment of several steps has no way back.
  const lost = routes.find((r) => !run.plan.steps.has(r.target))
  if (run.lanes && others.length > 0 && !lost) return moveLanes(run, routes) ?? []
  const ignored: Fact[] = others.map((o) => ({
    type: "warning",
    code: "route_ignored",
    step: o.step,
    message: `step "${o.step}" routed to "${o.target}", but "${first.step}" comes first in the file and routed to "${first.target}"`,
  }))
  return [...ignored, ...travel(run, first)]
}

function travel(run: Run, route: PendingRoute): Fact[] {
  if (!run.plan.steps.has(route.target))
    return [
      {
        type: "run.ended",
        status: "failed",
        error: { step: route.step, source: "config", message: `step "${route.step}" routes to "${route.target}", which is no step` },
      },
    ]
  return isBackward(run.plan, route.step, route.target) ? goBack(run, route) : goForward(run, route)
}

const skip = (run: Run, ids: readonly string[]): Fact[] =>
  ids
    .filter((id) => stepState(run, id).status === "pending")
    .map((id) => ({ type: "step.skipped", step: id, pass: stepState(run, id).pass }))

const takenBy = (r: PendingRoute): Fact => ({ type: "branch.taken", step: r.step, branch: r.label, target: r.target, by: r.by })

/** [F13] The target's active set is entered; the rest of its segment and the steps in between are skipped; results stay. */
function goForward(run: Run, route: PendingRoute): Fact[] {
  if (run.lanes || (route.also && !goTogether(run, route))) return moveLanes(run, [route]) ?? []
  const to = segmentOf(run, route.target)
  const also = route.also ?? []
  const here = also.filter((b) => segmentOf(run, b.target) === to)
  const active = new Set([route.target, ...here.map((b) => b.target)].flatMap((target) => [...activeFrom(run.plan.graph, target)]))
  const passed: string[] = []
  for (let seg = segmentOf(run, route.step); seg <= to; seg++)
    for (const id of idsOf(run, seg)) if (seg !== to || !active.has(id)) passed.push(id)
  // A skipped step has no result: a route to it, or to a step that waits for it, runs it after all.
  const again = idsOf(run, to)
    .filter((id) => active.has(id) && stepState(run, id).status === "skipped")
    .map((id): Fact => ({ type: "step.reopened", step: id, pass: stepState(run, id).pass + 1, by: route.step }))
  const more = also.map((b): Fact => ({
    type: "branch.taken",
    step: route.step,
    branch: b.label,
    target: b.target,
    by: route.by,
    also: true,
  }))
  return [...again, takenBy(route), ...more, ...skip(run, passed)]
}

/** [F18], [F19] Back to the target: its active set and every segment up to the decider are reopened. */
function goBack(run: Run, route: PendingRoute): Fact[] {
  const step = run.plan.steps.get(route.step)
  const s = stepState(run, route.step)
  const facts: Fact[] = []
  if (step && hasBranches(step) && route.by !== "person") {
    // Without a cap only a person may go back: every run must end.
    const max = step.max_iterations ?? 0
    const n = backTaken(s, route.label) + 1
    if (n > max) return exhausted(run, route, max, n)
    facts.push({ type: "loop.iteration", step: route.step, iteration: n, max, target: route.target })
  }
  const from = segmentOf(run, route.target)
  const to = segmentOf(run, route.step)
  const active = activeFrom(run.plan.graph, route.target)
  const outside: string[] = []
  const inside: string[] = []
  const keeps = ofOtherLanes(run)
  for (let seg = from; seg <= to; seg++)
    for (const id of idsOf(run, seg)) {
      if (seg === from && !active.has(id) && id !== route.step) outside.push(id)
      else if (active.has(id) || !keeps(id)) inside.push(id)
    }
  const reopen = inside.map((id): Fact => ({ type: "step.reopened", step: id, pass: stepState(run, id).pass + 1, by: route.step }))
  // Reopening clears a step's preamble, so the route, which carries a fork's preamble, comes after it.
  return [...facts, ...skip(run, outside), ...reopen, takenBy(route), ...lanesBack(run, route.target, new Set(inside))]
}

/** [V23] A further round of a step begins at an earlier one. The routes of its segment's other steps are taken once it has ended. */
export function goAgain(run: Run, id: string): Fact[] {
  const target = untilOf(run.plan.steps.get(id))?.from ?? id
  const [from, to] = [segmentOf(run, target), segmentOf(run, id)]
  const active = new Set([...activeFrom(run.plan.graph, target), id])
  const keeps = ofOtherLanes(run)
  const again: string[] = []
  for (let seg = from; seg <= to; seg++)
    for (const one of idsOf(run, seg))
      if (stepState(run, one).status !== "pending" && (active.has(one) || (seg > from && !keeps(one)))) again.push(one)
  const reopen = again.map((one): Fact => ({ type: "step.reopened", step: one, pass: stepState(run, one).pass + 1, by: id }))
  const route: PendingRoute = { step: id, target, label: "until", by: "score" }
  return [...reopen, takenBy(route), ...lanesBack(run, target, new Set(again))]
}

/** [F18] The cap is reached: take the branch that `on_exhausted` names, or the first forward branch, or fall through. */
function exhausted(run: Run, route: PendingRoute, max: number, iteration: number): Fact[] {
  const step = run.plan.steps.get(route.step)
  const branches = step && hasBranches(step) ? step.branches : []
  const named = step && "on_exhausted" in step ? step.on_exhausted : undefined
  const label = named ?? branches.find((b) => !isBackward(run.plan, route.step, b.target))?.label
  const target = step && label !== undefined ? targetOf(step, label) : undefined
  const event: Fact = { type: "loop.exhausted", step: route.step, iteration, max, target: target ?? route.target }
  if (label === undefined || target === undefined || isBackward(run.plan, route.step, target)) return [event]
  return [event, ...goForward(run, { ...route, label, target, by: "cap" })]
}
