// Finds steps that nothing leads to, and branches that file order would run into one another [F15].

import { named, placeOf } from "./check-routes.ts"
import type { CheckScope } from "./check-scope.ts"
import { routesOf, type Step } from "../flow.ts"
import { activeFrom } from "../graph.ts"

/** Reports steps that no path leads to. A hole in the flow or a route to a missing step makes the answer unknown. */
export function checkUnreachable(scope: CheckScope): void {
  if (!scope.isWhole) return
  if (scope.steps.some(({ step }) => routesOf(step).some((r) => !scope.order.has(r.target)))) return
  const { reached } = scope.paths()
  for (const { step, index, where, valueAt } of scope.steps) {
    if (!reached.has(index))
      scope.report.warn(
        "FV-UNREACHABLE",
        valueAt("id"),
        `${where} can never run: no path leads to it`,
        `make a branch or on_complete lead to "${step.id}", or remove it`,
      )
  }
}

/**
 * [F15] Finds branches that pi-flows would have continued into the next branch. One warning per branch names the first step it meets:
 * another branch, or a step that only another branch's routes name. The second case arises when only one branch has an `on_complete`.
 */
export function checkBranchFall(scope: CheckScope): void {
  const { flow, graph, order, report } = scope
  if (!scope.isWhole) return
  const routed = new Set(flow.steps.flatMap((step) => routesOf(step).map((r) => r.target)).filter((id) => !graph.onlyByError.has(id)))
  for (const placed of scope.steps) {
    // In a multi-select fork every chosen branch runs, so falling through does not matter.
    if (placed.step.type === "fork" && placed.step.multiSelect) continue
    const excluded = Object.hasOwn(graph.exclusions, placed.step.id) ? graph.exclusions[placed.step.id] : undefined
    if (excluded === undefined) continue
    const targets = routesOf(placed.step).filter((r) => r.label !== undefined)
    const own = new Set(targets.map((t) => t.target))
    const isNamed = (id: string): boolean => own.has(id) || routed.has(id)
    for (const route of targets) {
      const skipped = new Set(excluded[route.label ?? ""] ?? [])
      const from = order.get(route.target)
      if (from === undefined || from <= placed.index || skipped.size === 0) continue
      const fall = fallFrom(scope, from, skipped, isNamed)
      if (fall === undefined) continue
      const isBranch = targets.some((t) => t.target === fall.met)
      const next = fall.next === undefined ? "the run ends" : `the run continues at "${flow.steps[fall.next]?.id ?? ""}"`
      report.warn(
        "FV-BRANCH-FALL",
        placeOf(placed, route),
        `${placed.where}: after ${named(route)}, "${fall.last}" is followed by "${fall.met}", which ${isBranch ? "is another branch" : "only another branch names"}; "${fall.met}" is skipped and ${next}`,
        !isBranch
          ? `on_complete: ${fall.met} on step "${fall.last}" to run it here as well`
          : fall.next === undefined
            ? `ignore this, or write on_complete: ${fall.met} on step "${fall.last}" to run it as well`
            : `on_complete: ${flow.steps[fall.next]?.id ?? ""} on step "${fall.last}" makes this explicit`,
      )
    }
  }
}

/** Does the step always route when it succeeds? The timeout of a wait does not count as success. */
const alwaysRoutes = (s: Step): boolean =>
  s.on_complete !== undefined || routesOf(s).some((r) => r.label !== undefined && r.kind !== "timeout")

/** Walks segment by segment from a branch's first step until a step routes or belongs to another branch. */
function fallFrom(
  { flow, graph }: CheckScope,
  from: number,
  skipped: ReadonlySet<string>,
  isNamed: (id: string) => boolean,
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
    const met = entered.find((s) => isNamed(s.id) && skipped.has(s.id))
    active = new Set(entered.map((s) => s.id).filter((id) => !graph.onlyByError.has(id)))
    if (met === undefined) continue
    const runs = (i: number): boolean => {
      const step = flow.steps[i]
      return step !== undefined && !skipped.has(step.id) && !graph.onlyByError.has(step.id)
    }
    for (; segment < graph.segments.length; segment++) {
      const after = graph.segments[segment]?.find(runs)
      if (after !== undefined) return { last, met: met.id, next: after }
    }
    return { last, met: met.id }
  }
}
