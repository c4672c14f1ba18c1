// Says what stands still until a batch is answered [R33]: children of a map, steps below it, and runs.

import { batchKey } from "../key.ts"
import { isOver, type Children, type Run, type StepState } from "../state.ts"

/** Part of `apply`: the child has ended. */
export function stillEnded({ still }: Children, index: number): void {
  const said = still?.said[index]
  if (!still || !said) return
  still.count -= Number(said.waits)
  delete still.said[index]
}

/** Whether children of the step are open, and none goes on without a reply from a batch or a person. */
function standStill(run: Run, { open, still, starting }: Children): boolean {
  if (still === undefined || still.count === 0 || starting.length > 0) return false
  return Object.entries(open).every(([index, child]) => still.said[Number(index)]?.waits === true || run.asks?.[child]?.waits === true)
}

/** Whether the step waits for a batch, with a call of its own or of a run below it, and nothing else of it goes on. */
export function waitsForBatch(run: Run, step: string): boolean {
  const children = run.steps[step]?.children
  if (children) return standStill(run, children)
  return Object.values(run.batched ?? {}).some((call) => call.step === step)
}

/** Whether this pass of the map still wants what its batches bring. */
export function isMapOpen(run: Run, step: string, pass: number): boolean {
  const s = Object.hasOwn(run.steps, step) ? run.steps[step] : undefined
  return !isOver(run) && s?.status === "running" && s.children !== undefined && s.pass === pass
}

/** Whether a child of the map can begin, or go on, without a reply from a batch. A slice of the day may let the next one begin. */
export function mayGoOn(run: Run, step: string): boolean {
  const children = run.steps[step]?.children
  if (children === undefined || !standStill(run, children)) return true
  return Object.values(run.underway).some(({ kind, step: of }) => kind === "lease" || (of === step && kind !== "batch"))
}

/** The key of the next batch of the pass. */
export const nextBatchKey = (step: string, { pass, children }: Pick<StepState, "pass" | "children">): string =>
  batchKey(step, pass, children?.batches?.begun ?? 0)
