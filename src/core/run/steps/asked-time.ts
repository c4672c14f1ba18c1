// Measures how long questions were open [Q5, F36]. A step's timeout excludes the time in which a person is asked on its behalf, here or in
// a run that it started; the run's timeout excludes the time in which any person is asked. A pause is counted separately
// (core/run/steps/pause.ts), so time is measured without pauses. Below a map whose calls go through the batch API, the time in which a step
// waits for a batch is excluded like the time of a question [R33].

import type { RunEvent } from "../event.ts"
import { waitsForBatch } from "../batch/still.ts"
import type { Run } from "../state.ts"

/** Events by which a question may open, close or leave. */
const TURNS: ReadonlySet<RunEvent["type"]> = new Set([
  "interaction.asked",
  "interaction.answered",
  "interaction.expired",
  "model.batched",
  "model.replied",
  "model.failed",
  "child.batched",
  "child.started",
  "child.asked",
  "child.ended",
  "tool.returned",
  "tool.uncertain",
  "step.finished",
  "step.reopened",
  "run.forked",
  "run.ended",
])

/** [R33] The open steps that wait for a batch; of the map's own run, none. */
const batchedSteps = (run: Run): string[] =>
  run.batch === undefined ? [] : (run.plan.members[run.segment] ?? []).filter((step) => waitsForBatch(run, step))

/** Tells whether a person is asked on behalf of this step, or of any step, or a batch is waited for. */
export const isAsking = (run: Run, step?: string): boolean =>
  (run.batch !== undefined && (step === undefined ? batchedSteps(run).length > 0 : waitsForBatch(run, step))) ||
  run.pending.some((id) => step === undefined || run.interactions[id]?.step === step) ||
  Object.values(run.asks ?? {}).some((child) => child.open.length > 0 && (step === undefined || child.step === step))

/** Updates the measured time after `apply` has changed the run. */
export function askedTimed(run: Run, e: RunEvent): void {
  if (!TURNS.has(e.type)) return
  if (run.asking === undefined && run.pending.length === 0 && run.asks === undefined && run.batch === undefined) return
  const now = unpaused(run, e.at)
  const steps = new Set([
    ...run.pending.flatMap((id) => run.interactions[id]?.step ?? []),
    ...Object.values(run.asks ?? {}).flatMap((child) => (child.open.length > 0 ? [child.step] : [])),
    ...batchedSteps(run),
  ])
  const since = run.asking?.since
  const before = run.asking?.steps ?? {}
  for (const [step, from] of Object.entries(before)) {
    const s = Object.hasOwn(run.steps, step) ? run.steps[step] : undefined
    if (steps.has(step) || !s) continue
    run.touched.add(step)
    s.askedFor = (s.askedFor ?? 0) + Math.max(0, now - from)
  }
  if (since !== undefined && steps.size === 0) run.askedFor = (run.askedFor ?? 0) + Math.max(0, now - since)
  if (steps.size === 0) delete run.asking
  else run.asking = { since: since ?? now, steps: Object.fromEntries([...steps].map((step) => [step, before[step] ?? now])) }
}

/** The time of an event without the pauses before it. */
export const unpaused = ({ pausedAt, pausedFor = 0 }: Run, at: number): number =>
  at - pausedFor - (pausedAt === undefined ? 0 : Math.max(0, at - pausedAt))
