// Applies the events of a step's child runs [F23]: starting, started, ended. Part of `apply`; the parent keeps only counts.

import { defined } from "../../defined.ts"
import { tidy } from "../../money/tidy.ts"
import { stillEnded } from "../batch/still.ts"
import type { EventOf } from "../event.ts"
import type { Children, Run } from "../state.ts"
import { touch } from "./touch.ts"
import { childKey } from "../key.ts"

export const newChildren = (e: EventOf<"step.opened">): Children => ({
  total: e.total ?? 0,
  next: 0,
  starting: [],
  open: {},
  ended: 0,
  failed: 0,
  ...defined({ task: e.task, values: e.values }),
})

export function childStarted(run: Run, e: EventOf<"child.started">): void {
  const c = touch(run, e.step).children
  dropChildKey(run, e)
  if (!c) return
  c.starting = c.starting.filter((i) => i !== e.index)
  c.open[e.index] = e.run
  run.children = [...run.children.slice(-(MAX_CHILDREN_SHOWN - 1)), e.run]
}

export function childEnded(run: Run, e: EventOf<"child.ended">): void {
  const c = touch(run, e.step).children
  dropChildKey(run, e)
  if (!c) return
  c.starting = c.starting.filter((i) => i !== e.index)
  delete c.open[e.index]
  stillEnded(c, e.index)
  c.ended += 1
  if (e.usage) {
    const { tokens, usd, tool_calls, steps } = e.usage
    run.usage.children += tokens
    run.usage.tool_calls += tool_calls
    run.usage.steps += steps
    if (usd !== null) run.usage.usd = tidy((run.usage.usd ?? 0) + usd)
  }
  const { rounds } = touch(run, e.step)
  // [V24] What a judge says has the marks of what it judged, and no others.
  if (rounds?.offered) rounds.judge = e.run
  else {
    if (e.tainted === true) touch(run, e.step).tainted = true
    if (e.private === true) touch(run, e.step).private = true
  }
  if (e.status === "succeeded") {
    const { summary, files, outputs, artifacts } = e
    if (run.plan.steps.get(e.step)?.type === "flow-ref" || rounds?.offered)
      c.report = { summary, files, outputs, ...defined({ artifacts }) }
    return
  }
  c.failed += 1
  c.message = e.summary
  if (run.plan.steps.get(e.step)?.type === "map") c.culprit = e.index
}

/** A child has started, or never will: its start is no longer under way. */
function dropChildKey(run: Run, e: { step: string; pass: number; index: number }): void {
  const key = childKey(e.step, e.pass, e.index)
  delete run.underway[key]
  delete run.begun[key]
}

/** A run shows its latest children; the list of runs finds all children of a map by their parent. */
const MAX_CHILDREN_SHOWN = 100 // limit: children that a run's view names → the list of runs finds the others
