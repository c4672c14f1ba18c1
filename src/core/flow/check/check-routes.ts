// Checks routes: their targets exist, and only decisions lead back [F13–F18].

import { isAhead } from "./entries.ts"
import { routesOf, type StepRoute } from "../flow.ts"
import type { Placed, CheckScope } from "./check-scope.ts"
import type { SourcePlace } from "../parse/place.ts"
import { shown } from "../parse/report.ts"

const CODES = {
  branch: "FV-BRANCH",
  loop: "FV-LOOP-TARGET",
  exit: "FV-EXIT-TARGET",
  present: "FV-ROUTE",
  absent: "FV-ROUTE",
  timeout: "FV-ROUTE",
  on_error: "FV-ROUTE",
  on_complete: "FV-ROUTE",
} as const

/** The place of a route in the file. */
export function placeOf(placed: Placed, route: StepRoute): SourcePlace {
  switch (route.kind) {
    case "branch":
      return placed.valueAt("branches", route.label ?? "")
    case "loop":
      return placed.valueAt("loop_target")
    case "exit":
      return placed.valueAt("exit_target")
    default:
      return placed.valueAt(keyOf(route.kind))
  }
}

const keyOf = (kind: StepRoute["kind"]): string => (kind === "timeout" ? "on_timeout" : kind)

/** The name of a route's key, for messages. */
export const named = (route: StepRoute): string =>
  route.kind === "branch"
    ? `branch ${shown(route.label ?? "")}`
    : route.kind === "loop" || route.kind === "exit"
      ? `${route.kind}_target`
      : keyOf(route.kind)

export function checkRoutes({ steps, ids, order, report }: CheckScope): void {
  for (const placed of steps) {
    for (const route of routesOf(placed.step)) {
      if (route.target === "" || order.has(route.target)) continue
      report.error(
        CODES[route.kind],
        placeOf(placed, route),
        `${placed.where}: ${named(route)} leads to ${shown(route.target)}, which does not exist`,
        report.hint(route.target, ids),
      )
    }
  }
}

const LOOPS = "only a decision can lead back: an agent-loop-decision, or a branch of an agent-decision with max_iterations"

/** [F16, F18] Reports routes that lead back without a decision. */
export function checkBackward({ steps, order, report }: CheckScope): void {
  for (const placed of steps) {
    for (const route of routesOf(placed.step)) {
      const { kind } = route
      if (
        (kind !== "on_complete" && kind !== "on_error" && kind !== "present" && kind !== "absent" && kind !== "timeout") ||
        isAhead(order, placed.index, route.target)
      )
        continue
      const again = kind === "on_error" && route.target === placed.step.id ? "; to run the step again, write retry: { max: 2 }" : ""
      report.error(
        kind === "on_complete" ? "FV-ONCOMPLETE" : "FV-ROUTE-BACK",
        placeOf(placed, route),
        `${placed.where}: ${named(route)} leads back to "${route.target}"`,
        LOOPS + again,
      )
    }
  }
}
