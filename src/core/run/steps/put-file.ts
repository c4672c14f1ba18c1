// Accepts a file for a run that has begun [F55], while no step could read it in the middle of its work: before the first step, while a step
// waits for a person, a time, a signal or a retry, or when the run is paused and nothing is under way.

import { KINDS } from "../../steps/kinds.ts"
import { err, ok, type Result } from "../../result.ts"
import type { Fact } from "../event.ts"
import type { Refusal, Signal } from "../signal.ts"
import type { Run } from "../state.ts"
import { changedFiles } from "./changed-files.ts"

/** Limit: different files put into one run; each stays in the run's state. */
export const MAX_PUT_FILES = 1_000 // limit: different files put into one run → 409 `too_many_files`

export function filePut(run: Run, { file, by }: Extract<Signal, { type: "file" }>): Result<Fact[], Refusal> {
  const put = run.put ?? []
  if (put.length >= MAX_PUT_FILES && !put.some((before) => before.path === file.path)) return err({ code: "too_many" })
  const why = busy(run)
  return why === undefined ? ok([...changedFiles([file], {}), { type: "file.put", file, by }]) : err({ code: "busy", why })
}

/** Why no file can be put now; undefined: one can. */
function busy(run: Run): string | undefined {
  const atWork = Object.values(run.underway)
  if (atWork.length === 0 || Object.values(run.steps).every((s) => s.opened === undefined)) return undefined
  if (run.status === "running" && (run.pending.length > 0 || Object.keys(run.steps).some((id) => waits(run, id)))) return undefined
  const steps = [...new Set(atWork.map(({ step }) => `"${step}"`))]
  return `the ${steps.length === 1 ? "step" : "steps"} ${steps.slice(0, 5).join(", ")} ${steps.length === 1 ? "is" : "are"} at work`
}

function waits(run: Run, id: string): boolean {
  const s = run.steps[id]
  const step = run.plan.steps.get(id)
  if (s?.status !== "running" || !step) return false
  return s.session?.retryAt !== undefined || KINDS[step.type].waitsFor?.(step) !== undefined
}
