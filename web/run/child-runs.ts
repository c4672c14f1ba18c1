// Lists the runs that one pass of a step has started: a map's items, another flow, a team's members.

import { callsOf, type Pass } from "../../src/core/run/views/outline.ts"

interface ChildRuns {
  readonly count: number
  readonly open: number
  readonly failed: number
}

export function childRunsOf(pass: Pass | undefined): ChildRuns {
  const states = new Map<string, "open" | "failed" | "done">()
  for (const { kind, run, ended, status } of pass?.works ?? [])
    if (kind === "child" && run !== undefined) states.set(run, ended === undefined ? "open" : status === "failed" ? "failed" : "done")
  // The run that a call has started is known once the call has ended.
  for (const { child, state } of pass ? callsOf(pass) : [])
    if (child !== undefined && !states.has(child)) states.set(child, state === "error" ? "failed" : "done")
  const all = [...states.values()]
  return { count: all.length, open: all.filter((one) => one === "open").length, failed: all.filter((one) => one === "failed").length }
}

/** `3 runs`, `12 runs, 4 running, 1 failed`. */
export function childRunsWords({ count, open, failed }: ChildRuns): string {
  const parts = [count === 1 ? "1 run" : `${count} runs`]
  if (open > 0) parts.push(`${open} running`)
  if (failed > 0) parts.push(`${failed} failed`)
  return parts.join(", ")
}
