// Applies the events of batches [R33, R34]. Part of `apply`.

import { defined } from "../../defined.ts"
import type { EventOf } from "../event.ts"
import type { Run } from "../state.ts"
import { touch } from "../steps/touch.ts"

export function callBatched(run: Run, { key, step, at }: EventOf<"model.batched">): void {
  touch(run, step)
  const u = run.underway[key]
  delete run.underway[key]
  const call = { kind: "model", step, attempt: u?.attempt ?? 1, since: u?.since ?? at, ...defined({ maxOutput: u?.maxOutput }) } as const
  run.batched = { ...run.batched, [key]: call }
}

export function childStill(run: Run, { step, index, from, waits }: EventOf<"child.batched">): void {
  const { children } = touch(run, step)
  if (!children) return
  const still = (children.still ??= { count: 0, said: {} })
  still.count += Number(waits) - Number(still.said[index]?.waits ?? false)
  still.said[index] = { from, waits }
}

export function batchSent(run: Run, { step, key, batch, calls, expires }: EventOf<"batch.sent">): void {
  const { children } = touch(run, step)
  delete run.underway[key]
  delete run.begun[key]
  if (!children) return
  const batches = (children.batches ??= { begun: 0, sent: 0, answered: 0, open: {} })
  batches.begun += 1
  batches.sent += calls
  batches.open[batch] = { calls, expires }
}

export function batchEnded(run: Run, { step, batch, answered }: EventOf<"batch.ended">): void {
  const batches = touch(run, step).children?.batches
  if (!batches) return
  batches.answered += answered
  delete batches.open[batch]
}
