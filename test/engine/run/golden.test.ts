// Golden journals, frozen at one commit: every later build folds them to the same views and makes the same decisions.
//
// The replay sends the kernel the same signals as then and expects the same events, so the same head. src/engine/run/replay/read-signal.ts
// describes how signals are read back from facts, and which of their parts are in no journal.

import { describe, expect, test } from "vitest"
import { apply } from "../../../src/core/run/apply.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import type { Plan } from "../../../src/core/run/plan.ts"
import { restore } from "../../../src/core/run/snapshot.ts"
import { newRun, type Run } from "../../../src/core/run/state.ts"
import { view, type RunView } from "../../../src/core/run/views/view.ts"
import { goldens, sha256 } from "../../support/kernel/golden.ts"
import { replay } from "../../support/kernel/replay.ts"

const GOLDENS = await goldens(new URL("../../fixtures/journals/5dace29/", import.meta.url))

/** What views show since then, of runs that had nothing of it. */
const SINCE = { effects: "live" }

const fold = (plan: Plan, events: readonly RunEvent[]): Run => events.reduce(apply, newRun(plan))
/** Without the calls that were lost, which no view of then has. */
function shown(run: Run): unknown {
  const { usage, ...others }: RunView = JSON.parse(JSON.stringify(view(run)))
  const { lost: _, ...spent } = usage
  return { ...others, usage: spent }
}

describe("a golden journal", () => {
  test.each(GOLDENS)("[J8, S5] $name folds to the recorded view at each seq", ({ plan, views, events }) => {
    expect(views.at(-1)?.seq).toBe(events.length)
    for (const old of views) expect(shown(fold(plan, events.slice(0, old.seq)))).toEqual({ ...old, ...SINCE })
  })

  test.each(GOLDENS)("[J8, S5] $name continues from the snapshot taken in the middle", ({ plan, views, events, snapshot }) => {
    const { seq } = snapshot.head
    expect(seq).toBeLessThan(events.length)
    expect(shown(events.slice(seq).reduce(apply, restore(plan, snapshot)))).toEqual({ ...views.at(-1), ...SINCE })
  })

  test.each(GOLDENS)("[J7] $name is one chain that ends in its head", ({ head, events }) => {
    let prev = "0".repeat(64)
    for (const [i, event] of events.entries()) {
      expect(event).toMatchObject({ seq: i + 1, prev })
      prev = sha256(JSON.stringify(event))
    }
    expect(prev).toBe(head)
  })

  test.each(GOLDENS)("[J6] $name replays to the same head", ({ plan, events, head }) => {
    const again = replay(plan, events, sha256)
    expect(again.fault).toBeUndefined()
    expect(again.head).toBe(head)
  })
})

describe("all golden journals together", () => {
  test("[B3] show the calls that were lost, or that an end cut off, in these and in no other", () => {
    const lost = GOLDENS.flatMap(({ name, plan, events }) => (view(fold(plan, events)).usage.lost ? [name] : []))
    expect(lost.toSorted()).toEqual(["canceled", "family-canceled", "lost", "trouble"])
  })

  test("[J6] contain every type of signal except `broken`", () => {
    const seen = new Set(GOLDENS.flatMap(({ plan, events }) => replay(plan, events, sha256).signals.map((s) => s?.type)))
    const types = [
      ["start", "cancel", "pause", "resume", "timer", "lost", "steer", "signal", "answer"],
      ["model.reply", "model.failure", "tool.result", "code.result", "child.start", "child.end"],
      ["session.open", "leased", "collected", "compacted"],
    ].flat()
    expect(new Set([...seen].filter((type) => type !== undefined))).toEqual(new Set(types))
  })

  test("[F10] contain every type of step", () => {
    const types = new Set(GOLDENS.flatMap(({ events }) => events.flatMap((e) => (e.type === "step.opened" ? [e.stepType] : []))))
    expect([...types].toSorted()).toEqual(
      [
        "agent",
        "agent-decision",
        "agent-loop-decision",
        "code",
        "code-decision",
        "conditional",
        "flow-ref",
        "fork",
        "map",
        "wait",
      ].toSorted(),
    )
  })
})
