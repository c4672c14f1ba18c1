// Steps that nothing leads to, and branches that the file leads into one another [F15].

import { named, placeOf } from "./check-routes.ts"
import type { Scope } from "./check-scope.ts"
import { routesOf, type Step } from "../flow.ts"
import { activeFrom } from "../graph.ts"

/** Steps that no way leads to. With a hole in the flow, or a route to nowhere, nobody can tell. */
export function checkUnreachable(scope: Scope): void {
  if (!scope.isWhole) return
  if (scope.steps.some(({ step }) => routesOf(step).some((r) => !scope.order.has(r.target)))) return
  const { reached } = scope.paths()
  for (const { step, index, where, valueAt } of scope.steps) {
    if (!reached.has(index))
      scope.report.warn(
        "FV-UNREACHABLE",
        valueAt("id"),
        `${where} can never run: everything leads past it`,
        `lead a branch or on_complete to "${step.id}", or leave it out`,
      )
  }
}

/**
 * [F15] Where the original fell from one branch into the next. One warning for each branch that would, with the first step it would meet:
 * another branch, or a step that only another branch's routes name. The second comes of an `on_complete` on one branch alone.
 */
export function checkBranchFall(scope: Scope): void {
  const { flow, graph, order, report } = scope
  if (!scope.isWhole) return
  const routed = flow.steps.flatMap((step) => routesOf(step).map((r) => r.target)).filter((id) => !graph.onlyByError.has(id))
  for (const placed of scope.steps) {
    // Of several branches each that was chosen runs: nothing is fallen into.
    if (placed.step.type === "fork" && placed.step.multiSelect) continue
    const excluded = Object.hasOwn(graph.exclusions, placed.step.id) ? graph.exclusions[placed.step.id] : undefined
    if (excluded === undefined) continue
    const targets = routesOf(placed.step).filter((r) => r.label !== undefined)
    for (const route of targets) {
      const skipped = new Set(excluded[route.label ?? ""] ?? [])
      const from = order.get(route.target)
      if (from === undefined || from <= placed.index || skipped.size === 0) continue
      const fall = fallFrom(scope, from, skipped, new Set([...targets.map((t) => t.target), ...routed]))
      if (fall === undefined) continue
      const isBranch = targets.some((t) => t.target === fall.met)
      const next = fall.next === undefined ? "the run ends" : `the run goes on at "${flow.steps[fall.next]?.id ?? ""}"`
      report.warn(
        "FV-BRANCH-FALL",
        placeOf(placed, route),
        `${placed.where}: after ${named(route)} the file leads from "${fall.last}" on to "${fall.met}", which ${isBranch ? "is another branch" : "only another branch names"}; "${fall.met}" is skipped and ${next}`,
        !isBranch
          ? `on_complete: ${fall.met} on step "${fall.last}" to run it here as well`
          : fall.next === undefined
            ? `leave it, or write on step "${fall.last}": on_complete: ${fall.met} to run it as well`
            : `on_complete: ${flow.steps[fall.next]?.id ?? ""} on step "${fall.last}" says so`,
      )
    }
  }
}

/** A step whose success never falls through: it decides, or says where it goes. A wait that times out is no success. */
const alwaysRoutes = (s: Step): boolean =>
  s.on_complete !== undefined || routesOf(s).some((r) => r.label !== undefined && r.kind !== "timeout")

/** Walks segment by segment from a branch's first step until something routes, or another branch's first step is met. */
function fallFrom(
  { flow, graph }: Scope,
  from: number,
  skipped: ReadonlySet<string>,
  targets: ReadonlySet<string>,
): { last: string; met: string; next?: number } | undefined {
  const first = flow.steps[from]
  let segment = graph.segmentOf[from]
  if (first === undefined || segment === undefined) return undefined
  let active = activeFrom(graph, first.id)
  let last = first.id
  for (;;) {
    const members: readonly number[] = graph.segments[segment] ?? []
    const running = members.flatMap((i) => flow.steps[i] ?? []).filter((s) => active.has(s.id) && !skipped.has(s.id))
    if (running.some(alwaysRoutes)) return undefined
    last = running.at(-1)?.id ?? last
    segment++
    const next = graph.segments[segment]
    if (next === undefined) return undefined
    const entered = next.flatMap((i) => flow.steps[i] ?? [])
    const met = entered.find((s) => targets.has(s.id) && skipped.has(s.id))
    active = new Set(entered.map((s) => s.id).filter((id) => !graph.onlyByError.has(id)))
    if (met === undefined) continue
    const after = graph.segments
      .slice(segment)
      .flat()
      .find((i) => {
        const step = flow.steps[i]
        return step !== undefined && !skipped.has(step.id) && !graph.onlyByError.has(step.id)
      })
    return { last, met: met.id, ...(after === undefined ? {} : { next: after }) }
  }
}
