// What the editor says of a rehearsal while it plays.

import { describe, expect, test } from "vitest"
import { isTriedOver, triedWords, type TriedView } from "../../web/flow/tried-words.ts"

const view = (more: Partial<TriedView>): TriedView => ({
  status: "running",
  created: "2026-11-29T20:00:00Z",
  pending: 0,
  steps: { look: { status: "complete" }, hold: { status: "running" }, write: { status: "pending" } },
  ...more,
})
const said = (more: Partial<TriedView>): readonly string[] => {
  const { status, words, link } = triedWords("The rehearsal", view(more))
  return [status, words, link]
}

describe("a rehearsal", () => {
  test("says that it has begun, and where it is", () => {
    expect(triedWords("The rehearsal", undefined).words).toBe("The rehearsal has begun.")
    expect(said({})).toEqual(["running", "The rehearsal is at hold. 1 of 3 steps done.", "Open"])
  })

  test("[F23i] names the signal that it waits for, and leads to where it can be sent", () => {
    const waits = { status: "waiting", waiting: { reason: "signal", signal: "open" } }
    expect(said(waits)).toEqual(["waiting", "The rehearsal waits for the signal open. 1 of 3 steps done.", "Send the signal"])
  })

  test("[H9] says that a person is asked, also by a run below, and leads to the answer", () => {
    const asks = ["waiting", "The rehearsal asks a person. 1 of 3 steps done.", "Answer it"]
    expect(said({ pending: 1 })).toEqual(asks)
    expect(said({ status: "waiting", waiting: { reason: "child" }, asks: [{}] })).toEqual(asks)
  })

  test("says how it ended, and why it failed", () => {
    const ended = { ended: "2026-11-29T20:00:01.200Z" }
    expect(said({ ...ended, status: "succeeded" })[1]).toBe("The rehearsal succeeded in 1.2 s: 1 step, no model, no cost.")
    expect(said({ ...ended, status: "failed", error: { message: "It broke." } })[1]).toContain(
      "failed in 1.2 s: 1 step, no model, no cost. It broke.",
    )
    expect([view({}), view({ status: "waiting" }), view({ status: "failed" })].map(isTriedOver)).toEqual([false, false, true])
  })
})
