// Applies a route [F13], [F15], [F21]: where the run continues, which steps are excluded, and a fork's preamble for its branch. Part of `apply`.

import { hasBranches } from "../../flow/flow.ts"
import { closedBy } from "../../flow/graph.ts"
import type { EventOf } from "../event.ts"
import { isBackward } from "../plan.ts"
import { type ForkChoice, type Run, backTaken } from "../state.ts"
import { idsOf } from "./segment.ts"
import { hasEnded } from "./own-route.ts"
import { choiceApart } from "../session/apart.ts"
import { touch } from "./touch.ts"

/** [F13], [F15] The run moves to the target's segment, and the exclusions of the choice apply. */
export function taken(run: Run, e: EventOf<"branch.taken">): void {
  const { graph, steps } = run.plan
  const s = touch(run, e.step)
  const step = steps.get(e.step)
  if (run.lanes) {
    if (step && hasBranches(step) && isBackward(run.plan, e.step, e.target)) s.taken[e.branch] = backTaken(s, e.branch) + 1
    return named(run, e)
  }
  if (e.also) return alsoEntered(run, e)
  run.segment = graph.segmentOf[graph.order.get(e.target) ?? 0] ?? 0
  run.routes = e.by === "score" ? run.routes.filter(({ step: id }) => idsOf(run, run.segment).includes(id) && hasEnded(run, id)) : []
  for (const decider of graph.excluders.get(e.target) ?? []) {
    const list = Object.hasOwn(run.exclusions, decider) ? run.exclusions[decider] : undefined
    if (list) run.exclusions[decider] = list.filter((id) => id !== e.target)
  }
  // A route by `on_error` or `on_complete` has no label of the decider.
  const chose = e.by !== "error" && e.by !== "complete" && e.by !== "score"
  const excluded = chose ? closedBy(graph, e.step, e.branch) : undefined
  if (excluded && excluded.length > 0) run.exclusions[e.step] = excluded.filter((id) => id !== e.target)
  if (step && hasBranches(step) && isBackward(run.plan, e.step, e.target)) s.taken[e.branch] = backTaken(s, e.branch) + 1
  named(run, e)
}

function named(run: Run, e: EventOf<"branch.taken">): void {
  const target = touch(run, e.target)
  target.routed = true
  const choice = Object.hasOwn(run.forks, e.step) ? run.forks[e.step] : undefined
  if (!choice) return
  const { shown, apart } = choiceApart(run, e.step, choice)
  target.preamble = forkPreamble(e.step, shown)
  if (apart.length > 0) target.apart = apart
  else delete target.apart
}

/**
 * [F21] A single lane becomes an ordinary run: the steps that it closes are closed for the run. Beside steps that other lanes have run, it
 * stays a lane and follows their routes when it reaches them.
 */
export function lanesMoved(run: Run, e: EventOf<"lanes.moved">): void {
  run.segment = e.segment
  run.routes = []
  // What a branch chose closes steps for that branch alone.
  for (const lane of [...e.here, ...e.ahead]) for (const c of lane.chose) delete run.exclusions[c.step]
  const gone = new Set(e.gone)
  const ahead = [...(run.lanes?.ahead ?? []).filter((_lane, i) => !gone.has(i)), ...e.ahead]
  const [only, ...more] = e.here
  const hasRun = (run.plan.members[e.segment] ?? []).some((id) => hasEnded(run, id))
  if (!only || more.length > 0 || ahead.length > 0 || hasRun) {
    run.lanes = { here: e.here, ahead }
    return
  }
  delete run.lanes
  const opened = new Set(only.opened)
  for (const [decider, list] of Object.entries(run.exclusions)) run.exclusions[decider] = list.filter((id) => !opened.has(id))
  for (const c of only.chose) {
    const closed = closedBy(run.plan.graph, c.step, c.branch).filter((id) => !opened.has(id))
    if (closed.length > 0) run.exclusions[c.step] = closed
  }
}

/** A further branch of a multi-select: it is entered when the run reaches it; a step stays excluded if every choice excludes it. */
function alsoEntered(run: Run, e: EventOf<"branch.taken">): void {
  const { graph } = run.plan
  const both = new Set(closedBy(graph, e.step, e.branch))
  for (const [decider, list] of Object.entries(run.exclusions))
    run.exclusions[decider] = list.filter((id) => id !== e.target && (decider !== e.step || both.has(id)))
  named(run, e)
}

function forkPreamble(id: string, c: ForkChoice): string {
  const lines = [
    `## ${c.by === "person" ? "User decision" : "Automatic decision"}: ${id}`,
    "",
    `Question: ${c.question}`,
    `Chosen: ${c.answer}`,
  ]
  if (c.notes !== undefined && c.notes.trim() !== "") lines.push(`Notes: ${c.notes}`)
  lines.push(`Decided by: ${c.by === "person" ? "a person" : `the agent ${c.agent ?? ""}`.trim()}`)
  return lines.join("\n")
}
