// Admits what is said of batches [R33, R34]: a call was handed up, a batch is sent, has ended, and a child stands still. Changes nothing.

import { ok } from "../../result.ts"
import type { Fact, FactOf } from "../event.ts"
import { type Admitted, refuse } from "../session/admit-session.ts"
import type { BatchSignal } from "../signal.ts"
import type { Children, Run } from "../state.ts"
import { isMapOpen } from "./still.ts"

/** From here on nothing of the call is under way in its run, until its reply comes with a batch. */
export function handed(run: Run, key: string): Admitted {
  const u = Object.hasOwn(run.underway, key) ? run.underway[key] : undefined
  const session = u && run.steps[u.step]?.session
  if (!session || u.batch === undefined || !run.batch) return refuse("stale")
  return ok([{ type: "model.batched", step: u.step, key, turn: session.turn, model: session.model, run: run.batch.run }])
}

export function batchAdmitted(run: Run, signal: BatchSignal): Admitted {
  const { step, pass } = signal
  if (!isMapOpen(run, step, pass)) return refuse("stale")
  const children = run.steps[step]?.children
  switch (signal.type) {
    case "batch.begin": {
      const { key } = signal
      // [R37] A paused run sends nothing.
      if (run.status === "paused" || Object.hasOwn(run.underway, key)) return refuse("stale")
      return ok([{ type: "action.begun", key, kind: "batch", step, attempt: (run.begun[key] ?? 0) + 1 }])
    }
    case "batch.sent":
      return run.underway[signal.key]?.kind === "batch" ? ok([signal]) : refuse("stale")
    case "batch.ended":
      return Object.hasOwn(children?.batches?.open ?? {}, signal.batch) ? ok([signal]) : refuse("stale")
    case "child.batched":
      return childBatched(children, signal)
  }
}

/** A quick child may say so before its parent has journaled its start. */
function childBatched(children: Children | undefined, said: FactOf<"child.batched">): Admitted {
  const { step, run, index, pass, from, waits } = said
  const isStarting = children?.starting.includes(index) === true
  if (!children || !(isStarting || children.open[index] === run)) return refuse("stale")
  const known = children.still?.said[index]
  if (known !== undefined && known.from >= from) return refuse("stale")
  if ((known?.waits ?? false) === waits) return ok([])
  const started: Fact = { type: "child.started", step, run, index, pass }
  return ok(isStarting ? [started, said] : [said])
}
