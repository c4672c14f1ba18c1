// The last calls of a tool, as its page lists them.

import { expect, test } from "vitest"
import type { RunEvent } from "../../src/core/run/event.ts"
import { callsOf } from "../../web/tools/last-calls.ts"

const at = (seq: number, event: object): RunEvent => ({ seq, at: seq * 100, step: "work", ...event }) as unknown as RunEvent
const called = (seq: number, callId: string, tool = "refund") => at(seq, { type: "tool.called", callId, tool, args: { id: callId } })
const returned = (seq: number, callId: string, more: object = {}) =>
  at(seq, { type: "tool.returned", callId, tool: "refund", isError: false, content: [], ...more })
const outcomes = (events: readonly RunEvent[]): string[] =>
  callsOf("refund", { run: "run_1", flow: "support" }, events).map(({ seq, outcome, ms }) => `${seq} ${outcome} ${ms ?? "–"}`)

test("[S13] each call of a tool has what became of it, the newest first, and no call of another tool", () => {
  const events = [
    called(1, "a"),
    called(2, "b", "charge"),
    returned(3, "a"),
    called(4, "c"),
    returned(6, "c", { isError: true }),
    at(7, { type: "tool.refused", callId: "d", tool: "refund", code: "policy", reason: "no" }),
    called(8, "e"),
    called(9, "f"),
    at(10, { type: "tool.uncertain", callId: "f", tool: "refund", key: "k" }),
  ]
  expect(outcomes(events)).toEqual(["9 unknown –", "8 running –", "7 refused –", "4 failed 200", "1 done 200"])
})
