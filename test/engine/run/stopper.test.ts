// The end of an effect, whether it has asked for its signal or not.

import { expect, test, vi } from "vitest"
import { SharedTurn } from "../../../src/engine/run/conduct/shared-turn.ts"
import { Stopper } from "../../../src/engine/run/conduct/stopper.ts"
import { scriptedModel } from "../../../src/models/rehearsed/scripted.ts"
import type { FinalMessage, ModelRequest } from "../../../src/ports/model.ts"

test("[F34] an effect that is stopped knows it, before it asks for its signal and after", () => {
  const [early, late] = [new Stopper(), new Stopper()]
  const { signal } = early
  expect([early.aborted, signal.aborted, late.aborted]).toEqual([false, false, false])
  for (const stopper of [early, late, late]) stopper.abort()
  expect(early.signal).toBe(signal)
  expect([early.aborted, signal.aborted, late.aborted, late.signal.aborted]).toEqual([true, true, true, true])
})

const request = (turn: number): ModelRequest => ({
  model: "m",
  system: "s",
  messages: [],
  tools: [],
  maxOutputTokens: 1,
  place: { flow: "f", step: "a", pass: 1, turn, failures: 0, agent: "a", stepType: "agent" },
})

const lastOf = async (turns: Parameters<typeof scriptedModel>[0], stop: Stopper, turn = 0): Promise<FinalMessage["stopReason"]> => {
  const made = scriptedModel(turns, "m")
  if (!made.ok || !made.value.play) throw new Error("a scripted model plays")
  for await (const chunk of made.value.play(request(turn), stop)) if (chunk.type === "final") return chunk.stopReason
  throw new Error("it has no final")
}

test("[F34] a scripted turn that waits ends when its effect is stopped", async () => {
  const stop = new Stopper()
  const last = lastOf({ "*": [{ delay: "1m", text: "late" }] }, stop)
  stop.abort()
  expect(await last).toBe("aborted")
  const never = new Stopper()
  never.abort()
  expect(await lastOf({ "*": [{ text: "x" }] }, never)).toBe("aborted")
})

test("[N4] turns without a delay make no signal, and let others have the thread at every eighth", async () => {
  const [timer, controller] = [vi.spyOn(globalThis, "setTimeout"), vi.spyOn(globalThis, "AbortController")]
  try {
    for (let turn = 0; turn < 80; turn++) expect(await lastOf({ "*": [{ text: "x" }] }, new Stopper(), turn)).toBe("stop")
    expect(timer).toHaveBeenCalledTimes(10)
    expect(controller).not.toHaveBeenCalled()
  } finally {
    timer.mockRestore()
    controller.mockRestore()
  }
})

test("[N4] of many that play at once, all pause until others had the thread", async () => {
  const timer = vi.spyOn(globalThis, "setTimeout")
  try {
    const played: number[] = []
    const run = async (): Promise<void> => {
      for (let turn = 0; turn < 10; turn++) {
        await lastOf({ "*": [{ text: "x" }] }, new Stopper(), turn)
        played.push(turn)
      }
    }
    const all = Promise.all(Array.from({ length: 50 }, run))
    // As far as they get before the event loop has a turn.
    for (let n = 0; n < 1_000; n++) await Promise.resolve()
    expect(played.length).toBeLessThanOrEqual(8)
    await all
    expect(timer.mock.calls.length).toBeGreaterThanOrEqual(50)
  } finally {
    timer.mockRestore()
  }
})

test("[N4] effects of one run share a timer by sixteen, and what begins after it has one of its own", async () => {
  const timer = vi.spyOn(globalThis, "setTimeout")
  try {
    const turns = new SharedTurn()
    const order: string[] = []
    const all = Promise.all(Array.from({ length: 100 }, async (_, n) => order.push(await turns.wait().then(() => `first ${n}`))))
    expect(timer).toHaveBeenCalledTimes(7)
    await all
    expect(order).toEqual(Array.from({ length: 100 }, (_, n) => `first ${n}`))
    await turns.wait()
    expect(timer).toHaveBeenCalledTimes(8)
    // Another run's effects wait for none of these.
    await Promise.all([new SharedTurn().wait(), new SharedTurn().wait()])
    expect(timer).toHaveBeenCalledTimes(10)
  } finally {
    timer.mockRestore()
  }
})
