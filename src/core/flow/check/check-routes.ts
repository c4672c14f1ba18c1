// Where a flow may lead: targets that exist, ways back that end, decisions that can decide [F13–F21].

import { isAhead } from "./flow-paths.ts"
import { routesOf, type Branch, type Route } from "../flow.ts"
import type { Placed, Scope } from "./check-scope.ts"
import type { Place } from "../parse/place.ts"
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
}

/** Where the file writes a route. */
export function placeOf(placed: Placed, route: Route): Place {
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

const keyOf = (kind: Route["kind"]): string => (kind === "timeout" ? "on_timeout" : kind)

/** The key that a route is written under, for messages. */
export const named = (route: Route): string =>
  route.kind === "branch"
    ? `branch ${shown(route.label ?? "")}`
    : route.kind === "loop" || route.kind === "exit"
      ? `${route.kind}_target`
      : keyOf(route.kind)

export function checkRoutes({ steps, ids, order, report }: Scope): void {
  for (const placed of steps) {
    for (const route of routesOf(placed.step)) {
      if (route.target === "" || order.has(route.target)) continue
      report.error(
        CODES[route.kind],
        placeOf(placed, route),
        `${placed.where}: ${named(route)} leads to ${shown(route.target)}, which is no step`,
        report.hint(route.target, ids),
      )
    }
  }
}

const LOOPS = "only a decision may go back: an agent-loop-decision, or a branch of an agent-decision with max_iterations"

/** [F16, F18] */
export function checkBackward({ steps, order, report }: Scope): void {
  for (const placed of steps) {
    for (const route of routesOf(placed.step)) {
      const { kind } = route
      if (
        (kind !== "on_complete" && kind !== "on_error" && kind !== "present" && kind !== "absent" && kind !== "timeout") ||
        isAhead(order, placed.index, route.target)
      )
        continue
      const again = kind === "on_error" && route.target === placed.step.id ? "; to run it again write retry: { max: 2 }" : ""
      report.error(
        kind === "on_complete" ? "FV-ONCOMPLETE" : "FV-ROUTE-BACK",
        placeOf(placed, route),
        `${placed.where}: ${named(route)} leads back to "${route.target}"`,
        LOOPS + again,
      )
    }
  }
}

export function checkLoop({ steps, order, report }: Scope): void {
  for (const { step, index, where, valueAt } of steps) {
    if (step.type !== "agent-loop-decision") continue
    const loop = order.get(step.loop_target)
    const exit = order.get(step.exit_target)
    if (loop !== undefined && loop > index)
      report.warn(
        "FV-LOOP-FWD",
        valueAt("loop_target"),
        `${where}: loop_target "${step.loop_target}" comes after it, so nothing is repeated`,
        "name a step before it",
      )
    if (exit !== undefined && exit <= index)
      report.error(
        "FV-EXIT-BACK",
        valueAt("exit_target"),
        `${where}: exit_target "${step.exit_target}" leads back, so the loop never ends`,
        "name a step after it",
      )
  }
}

/** [F18, F20] */
export function checkDecisions(scope: Scope): void {
  const { flow, order, report } = scope
  for (const { step, index, where, keyAt, valueAt, node } of scope.steps) {
    if (step.type !== "agent-decision" && step.type !== "code-decision" && step.type !== "fork") continue
    const back = step.branches.filter((b) => order.has(b.target) && !isAhead(order, index, b.target))
    const ahead = step.branches.filter((b) => isAhead(order, index, b.target) && order.has(b.target))
    if (step.branches.length < 2 && step.type !== "fork" && node("branches") !== undefined)
      report.error(
        "FV-DEC-MIN",
        keyAt("branches"),
        `${where} has ${step.branches.length === 1 ? "one branch" : "no branches"}: a decision needs two`,
        `add a branch, or make it a step of type ${step.type === "code-decision" ? "code" : "agent"}`,
      )
    const [first] = back
    if (first !== undefined && step.max_iterations === undefined && !(step.type === "fork" && step.multiSelect)) {
      const message = `${where}: branch ${shown(first.label)} leads back to "${first.target}" and nothing says how often`
      // A person may go back as often as they like [F18].
      if (step.type === "fork" && !flow.autonomous)
        report.warn("FV-DEC-LOOP", valueAt("branches", first.label), `${message} when the run is autonomous`, "max_iterations: 3")
      else report.error("FV-DEC-LOOP", valueAt("branches", first.label), message, "max_iterations: 3")
    }
    if (step.type === "fork" && step.multiSelect) checkMulti(scope, valueAt, where, back)
    if (step.type !== "fork") checkExhausted(scope, { where, keyAt, valueAt }, step, back, ahead)
  }
}

/** Of several branches at once none may lead back: the others would be left behind. */
function checkMulti({ report }: Scope, valueAt: Placed["valueAt"], where: string, back: readonly Branch[]): void {
  for (const { label, target } of back)
    report.error(
      "FV-FORK-MULTI",
      valueAt("branches", label),
      `${where}: branch ${shown(label)} leads back to "${target}", and several branches may be chosen at once`,
      "multiSelect: false, or lead the branch to a later step",
    )
}

interface Exhaustible {
  readonly on_exhausted?: string
  readonly branches: readonly Branch[]
}

function checkExhausted(
  { report }: Scope,
  { where, keyAt, valueAt }: Pick<Placed, "where" | "keyAt" | "valueAt">,
  step: Exhaustible,
  back: readonly Branch[],
  ahead: readonly Branch[],
): void {
  const { on_exhausted } = step
  if (on_exhausted !== undefined) {
    const at = valueAt("on_exhausted")
    if (!step.branches.some((b) => b.label === on_exhausted))
      report.error(
        "FV-EXHAUSTED",
        at,
        `${where}: on_exhausted names ${shown(on_exhausted)}, which is no branch`,
        report.hint(
          on_exhausted,
          step.branches.map((b) => b.label),
        ),
      )
    else if (back.some((b) => b.label === on_exhausted))
      report.error(
        "FV-EXHAUSTED",
        at,
        `${where}: on_exhausted names ${shown(on_exhausted)}, which leads back`,
        ahead[0] === undefined ? "add a branch that leads on" : `on_exhausted: ${ahead[0].label}`,
      )
  } else if (back.length > 0 && ahead.length > 1 && ahead[0] !== undefined) {
    report.warn(
      "FV-EXHAUSTED",
      keyAt("branches"),
      `${where}: when its iterations are used up, the first branch that leads on is taken: ${shown(ahead[0].label)}`,
      `on_exhausted: ${ahead[0].label}`,
    )
  }
}

/** [F21] Keys equal the options, each has one. */
export function checkFork({ steps, report }: Scope): void {
  for (const { step, where, keyAt, valueAt, node } of steps) {
    if (step.type !== "fork") continue
    const labels = step.branches.map((b) => b.label)
    const list = node("options")
    const seen = new Set<string>()
    step.options.forEach((option, i) => {
      const at = list?.kind === "list" ? valueAt("options", i) : valueAt("options")
      if (seen.has(option)) report.error("FV-FORK-OPTION", at, `${where}: the option ${shown(option)} is there twice`, "keep one of them")
      else if (!labels.includes(option))
        report.error(
          "FV-FORK-OPTION",
          at,
          `${where}: the option ${shown(option)} has no branch`,
          report.hint(
            option,
            labels.filter((l) => !step.options.includes(l)),
          ) ?? `branches: { ${option}: step-id }`,
        )
      seen.add(option)
    })
    if (step.options.length === 0) continue
    for (const label of labels)
      if (!seen.has(label))
        report.error(
          "FV-FORK-KEY",
          keyAt("branches", label),
          `${where}: the branch ${shown(label)} is none of the options`,
          report.hint(
            label,
            step.options.filter((o) => !labels.includes(o)),
          ) ?? report.hint(label, step.options),
        )
  }
}
