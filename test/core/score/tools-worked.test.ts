// The built-in scorer that asks no model: what became of the tools that an agent called.

import { expect, test } from "vitest"
import type { RunEvent } from "../../../src/core/run/event.ts"
import type { RefusalCode } from "../../../src/core/run/event-parts.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import { toolsWorked } from "../../../src/core/score/tools-worked.ts"

type End = "ok" | "failed" | "uncertain" | RefusalCode

/** One reply per call, in the pass `pass`. */
const journal = (calls: readonly (readonly [tool: string, end: End])[], pass = 1): RunEvent[] =>
  calls.flatMap(([tool, end], i) => {
    const callId = `c${pass}-${i}`
    const about = { step: "write", callId, tool }
    const outcome =
      end === "ok" || end === "failed"
        ? { type: "tool.returned", ...about, isError: end === "failed", content: [] }
        : end === "uncertain"
          ? { type: "tool.uncertain", ...about, key: "k" }
          : { type: "tool.refused", ...about, code: end, reason: "r" }
    return [
      { type: "model.replied", step: "write", pass, toolCalls: [{ id: callId, name: tool, args: {} }] },
      outcome,
    ] as unknown as RunEvent[]
  })

const run = (status: string, pass = 1): Pick<RunView, "steps"> =>
  ({ steps: { write: { status, pass } } }) as unknown as Pick<RunView, "steps">
const score = (calls: readonly (readonly [string, End])[]) => toolsWorked(run("complete"), journal(calls))

test("[V9] a cheerful end without the tool it took gets 0, and the reason names step, tool and code", () => {
  for (const code of ["undeclared", "policy", "role", "access", "denylist", "scope", "tainted", "approval_rejected"] as const)
    expect(score([["send", code]])).toEqual({ score: 0, reason: `step "write": send: ${code}` })
})

test("[V9] a call that failed, is uncertain, or did not fit is half; one that worked is whole", () => {
  for (const end of ["failed", "uncertain", "invalid_args", "too_many"] as const) expect(score([["send", end]]).score).toBe(0.5)
  expect(score([["send", "ok"]])).toEqual({ score: 1 })
  expect(score([])).toEqual({ score: 1 })
})

test("[V9] each tool counts by its last call; a call refused otherwise is passed over, and the one before it counts", () => {
  expect(
    score([
      ["send", "policy"],
      ["send", "ok"],
    ]).score,
  ).toBe(1)
  expect(
    score([
      ["send", "ok"],
      ["send", "failed"],
    ]).score,
  ).toBe(0.5)
  expect(
    score([
      ["send", "failed"],
      ["send", "stuck"],
    ]).score,
  ).toBe(0.5)
  expect(
    score([
      ["send", "ok"],
      ["read", "scope"],
    ]),
  ).toEqual({ score: 0, reason: 'step "write": read: scope' })
  expect(score([["finish", "invalid_args"]]).score).toBe(1)
})

test("[V9] only the last pass counts, and only of a step that ended complete", () => {
  const events = [...journal([["send", "policy"]], 1), ...journal([["send", "ok"]], 2)]
  expect(toolsWorked(run("complete", 2), events).score).toBe(1)
  expect(toolsWorked(run("error"), journal([["send", "policy"]])).score).toBe(1)
})
