// Moves the branches of a multiple choice that are still under way [F21]. Each is a lane: it takes the path that it would take if it had
// been chosen alone, with its own routes and its own closed steps [F15]. The run moves from segment to segment in file order together with
// every lane that reaches the segment, so a step runs once for all of them. Lanes with the same path ahead are merged.

import { excludes } from "../../flow/flow.ts"
import { activeFrom, closedBy } from "../../flow/graph.ts"
import type { Lane } from "../event-parts.ts"
import type { Fact } from "../event.ts"
import { stepState, type Lanes, type PendingRoute, type Run } from "../state.ts"
import { activeOf, closedFor, isPending, landing, NOWHERE } from "./lane.ts"
import { hasEnded, ownRoute } from "./own-route.ts"
import { idsOf, segmentOf } from "./segment.ts"

/** Forks after forks multiply lanes. Beyond this many, lanes at the same place become one even if they close different steps. */
// Limit: branches of multiple choices that run separately at one place → branches beyond it that are at the same step go on as one.
const MAX_LANES = 1_000

/** A run without a multiple choice is in one lane, which nothing has closed beyond `run.exclusions`. */
const lanesOf = (run: Run): Lanes => run.lanes ?? { here: [{ after: run.segment - 1, chose: [], opened: [] }], ahead: [] }

/** Tells whether the chosen branches run in parallel in one segment and continue as one, so that they need no lanes. */
export function goTogether(run: Run, route: PendingRoute): boolean {
  const { graph, steps } = run.plan
  const also = route.also ?? []
  const targets = [route, ...also].map((b) => b.target)
  const segment = segmentOf(run, route.target)
  if (targets.some((t) => segmentOf(run, t) !== segment)) return false
  const active = new Set(targets.flatMap((t) => [...activeFrom(graph, t)]))
  for (const id of active) {
    const step = steps.get(id)
    if (step?.type !== "agent" || step.on_complete !== undefined || step.on_error !== undefined) return false
  }
  const beyond = (label: string): string =>
    closedBy(graph, route.step, label)
      .filter((id) => segmentOf(run, id) > segment)
      .join()
  const first = beyond(route.label)
  return also.every((b) => beyond(b.label) === first)
}

/**
 * Moves every lane once the segment is at rest: a lane takes its own first route, stays for steps that another lane's route delayed, or
 * falls through. undefined: every lane has ended.
 */
export function moveLanes(run: Run, routes: readonly PendingRoute[]): Fact[] | undefined {
  const { here: leaving, ahead } = lanesOf(run)
  /** The routes that lanes take, each with the targets that they enter. */
  const taken = new Map<PendingRoute, string[]>()
  /** `led`: the targets of the route that led the lane to a step that another lane has run. Without it, a target of its own that had ended before
   *  says nothing more. */
  const onward = (lane: Lane, led?: string[]): Lane[] => {
    const active = activeOf(run, lane, run.segment)
    const route = routesOf(run, active, routes).find((one) => led !== undefined || routes.includes(one) || one.step !== lane.at)
    if (!route) {
      const isHeld = (id: string): boolean => isPending(run, id) && !run.plan.graph.onlyByError.has(id)
      return [routes.length > 0 && [...active].some(isHeld) ? lane : { ...without(lane), after: run.segment }]
    }
    const targets = taken.get(route) ?? (routes.includes(route) ? [] : (led ?? []))
    if (routes.includes(route)) taken.set(route, targets)
    // A step that waits for the route's step cannot have run for this lane.
    const own = (id: string): boolean => active.has(id) && run.plan.graph.waiters.get(route.step)?.has(id) !== true
    return [route, ...(route.also ?? [])].flatMap((b) => {
      const next = routed(run, lane, route, b)
      if (!own(b.target) && hasRun(run, next, routes)) return onward(next, targets)
      targets.push(b.target)
      return [next]
    })
  }
  const moved = leaving.flatMap((lane) => onward(lane))
  const facts = [...routes.filter((r) => !taken.has(r)).map(ignored), ...[...taken].flatMap(([r, targets]) => takenFacts(run, r, targets))]
  const placed = (lane: Lane): Placed => ({ lane, at: landing(run, lane) })
  const going = moved.map(placed)
  const waiting = ahead.map(placed)
  const next = [...going, ...waiting].reduce((n, { at }) => Math.min(n, at), NOWHERE)
  const stays = ({ at }: Placed): boolean => at > next && at < NOWHERE
  const here = merged(
    run,
    next,
    [...going, ...waiting].flatMap(({ lane, at }) => (at === next ? [lane] : [])),
  )
  const over = skipped(run, here, next)
  if (next === NOWHERE) return over.length > 0 ? over : undefined
  const gone = waiting.flatMap((w, i) => (stays(w) ? [] : [i]))
  return [...facts, ...over, { type: "lanes.moved", segment: next, here, gone, ahead: going.flatMap((g) => (stays(g) ? [g.lane] : [])) }]
}

/** [F14] The routes of these steps in file order. A step that ran for another lane, which has gone on, had the route that its end gave it. */
function routesOf(run: Run, active: ReadonlySet<string>, routes: readonly PendingRoute[]): PendingRoute[] {
  const { graph } = run.plan
  const byStep = new Map(routes.map((r) => [r.step, r]))
  return [...active]
    .toSorted((a, b) => (graph.order.get(a) ?? 0) - (graph.order.get(b) ?? 0))
    .flatMap((id) => byStep.get(id) ?? ownRoute(run, id) ?? [])
}

/** Has all run that the lane's target runs in this segment, up to its routes, which hold back the steps that wait for them? Routes within a
 *  segment lead to later steps, so lanes do not go round. */
function hasRun(run: Run, { at }: Lane, routes: readonly PendingRoute[]): boolean {
  if (at === undefined || segmentOf(run, at) !== run.segment) return false
  const active = activeFrom(run.plan.graph, at)
  const found = routesOf(run, active, routes)
  const held = new Set(found.flatMap((r) => [...(run.plan.graph.waiters.get(r.step) ?? [])]))
  return found.length > 0 && [...active].every((id) => hasEnded(run, id) || held.has(id))
}

interface Placed {
  readonly lane: Lane
  readonly at: number
}

/**
 * Moves lanes after a decision went back [F19]: the lanes that met there go back together. If the step of a choice is reopened, the choice
 * and those of its branches that have not begun are undone, and the step chooses again.
 */
export function lanesBack(run: Run, target: string, reopened: ReadonlySet<string>): Fact[] {
  if (!run.lanes) return []
  const segment = segmentOf(run, target)
  const here = run.lanes.here.map((lane) => ({
    ...lane,
    at: target,
    chose: lane.chose.filter((c) => !reopened.has(c.step)),
    opened: opens(run, lane.opened, target),
  }))
  const gone = run.lanes.ahead.flatMap((lane, i) => (lane.chose.some((c) => reopened.has(c.step)) ? [i] : []))
  return [{ type: "lanes.moved", segment, here: merged(run, segment, here), gone, ahead: [] }]
}

/** Tells whether only other branches of the choice run a step: it then keeps its result when this branch goes back. */
export function ofOtherLanes(run: Run): (id: string) => boolean {
  if (!run.lanes) return () => false
  const closed = run.lanes.here.map((lane) => closedFor(run, lane))
  return (id) => stepState(run, id).result !== undefined && !isPending(run, id) && closed.every((set) => set.has(id))
}

/** The lane after a route: the target is open for it, and the other targets of its decision are closed. */
function routed(run: Run, lane: Lane, route: PendingRoute, b: { readonly label: string; readonly target: string }): Lane {
  const step = run.plan.steps.get(route.step)
  const chose = step !== undefined && excludes(step) && route.by !== "error" && route.by !== "complete"
  const closes = new Set(chose ? closedBy(run.plan.graph, route.step, b.label) : [])
  return {
    at: b.target,
    after: lane.after,
    chose: chose ? [...lane.chose.filter((c) => c.step !== route.step), { step: route.step, branch: b.label }] : lane.chose,
    opened: opens(
      run,
      lane.opened.filter((id) => !closes.has(id)),
      b.target,
    ),
  }
}

/** Only a step that a choice may close needs to be listed. */
const opens = (run: Run, opened: readonly string[], target: string): string[] =>
  run.plan.graph.excluders.has(target) ? [...new Set([...opened, target])] : [...opened]

const without = ({ at: _at, ...lane }: Lane): Lane => lane

/** A skipped step has no result: a route to it, or to a step that waits for it, runs it after all. */
function takenFacts(run: Run, route: PendingRoute, entered: readonly string[]): Fact[] {
  const all = [route, ...(route.also ?? [])]
  const active = new Set(entered.flatMap((target) => [...activeFrom(run.plan.graph, target)]))
  const again = [...active]
    .filter((id) => stepState(run, id).status === "skipped")
    .map((id): Fact => ({ type: "step.reopened", step: id, pass: stepState(run, id).pass + 1, by: route.step }))
  const facts = all.map((b, i): Fact => ({
    type: "branch.taken",
    step: route.step,
    branch: b.label,
    target: b.target,
    by: route.by,
    ...(i > 0 ? { also: true } : {}),
  }))
  return [...again, ...facts]
}

const ignored = (r: PendingRoute): Fact => ({
  type: "warning",
  code: "route_ignored",
  step: r.step,
  message: `step "${r.step}" routed to "${r.target}", but an earlier step of the file had already routed its branch`,
})

/** What no lane runs up to the segment, and in it. A step that only a failure leads to is still open in a segment that a lane fell into. */
function skipped(run: Run, here: readonly Lane[], to: number): Fact[] {
  const facts: Fact[] = []
  const active = new Set(here.flatMap((lane) => [...activeOf(run, lane, to)]))
  const fell = here.some((lane) => lane.at === undefined)
  const last = Math.min(to, run.plan.graph.segments.length - 1)
  for (let segment = Math.max(run.segment, 0); segment <= last; segment++)
    for (const id of idsOf(run, segment)) {
      if (!isPending(run, id) || (segment === to && (active.has(id) || (fell && run.plan.graph.onlyByError.has(id))))) continue
      facts.push({ type: "step.skipped", step: id, pass: stepState(run, id).pass })
    }
  return facts
}

/** Lanes that run the same steps here and close the same steps from here on are one. */
function merged(run: Run, segment: number, lanes: readonly Lane[]): Lane[] {
  const byWay = new Map<string, Lane>()
  for (const lane of lanes) {
    const closed = lanes.length > MAX_LANES ? [] : [...closedFor(run, lane)].filter((id) => segmentOf(run, id) > segment)
    const way = JSON.stringify([[...activeOf(run, lane, segment)].toSorted(), closed.toSorted()])
    if (!byWay.has(way)) byWay.set(way, lane)
  }
  return [...byWay.values()]
}
