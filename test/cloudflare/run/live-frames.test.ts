// Transient frames on a run's stream [E2]: how often they are sent, in which order, and to which readers. The test controls the clock.

import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { LiveFrames, MAX_SO_FAR, type LiveReader } from "../../../src/cloudflare/run/streams/live-frames.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Shown = { readonly at: number; readonly event: string; readonly data: Record<string, unknown> }

function listening() {
  const live = new LiveFrames()
  const shown: Shown[] = []
  const start = Date.now()
  const reader: LiveReader = {
    size: 1,
    wake: () => void shown.push({ at: Date.now() - start, event: "wake", data: {} }),
    show: (event, data) => void shown.push({ at: Date.now() - start, event, data: { ...data } }),
    end: () => undefined,
  }
  live.add(reader)
  return { live, reader, shown, frames: (event: string) => shown.filter((s) => s.event === event) }
}
const text = (said: string) => [{ type: "text", text: said }] as const
const event = (e: Record<string, unknown>): RunEvent => ({ seq: 1, at: 0, ...e }) as unknown as RunEvent
/** The highest number in any second. */
const busiest = (frames: readonly Shown[]): number =>
  Math.max(...frames.map(({ at }) => frames.filter((f) => f.at >= at && f.at < at + 1_000).length))

test("[E2] the newest partial results of a call reach the reader as tool.progress, at most 10 per second", () => {
  const { live, frames } = listening()
  for (let n = 0; n < 3_000; n += 5) {
    live.progress("s", "c1", "mcp.scan", text(`${n}`))
    vi.advanceTimersByTime(5)
  }
  const seen = frames("tool.progress")
  expect(busiest(seen)).toBe(10)
  expect(seen.length).toBeGreaterThanOrEqual(29)
  expect(seen[0]).toEqual({ at: 100, event: "tool.progress", data: { step: "s", callId: "c1", tool: "mcp.scan", content: text("95") } })
})

test("[E2] several calls of one step share its 10 frames per second in turn, and the last result of each is shown", () => {
  const { live, frames } = listening()
  for (let n = 0; n < 2_000; n += 10) {
    for (const call of ["c1", "c2", "c3"]) live.progress("s", call, "t", text(`${call} ${n}`))
    vi.advanceTimersByTime(10)
  }
  vi.advanceTimersByTime(1_000)
  const seen = frames("tool.progress")
  expect(busiest(seen)).toBe(10)
  for (const call of ["c1", "c2", "c3"]) {
    const own = seen.filter((s) => s.data["callId"] === call)
    expect(own.length).toBeGreaterThanOrEqual(6)
    expect(own.at(-1)?.data["content"]).toEqual(text(`${call} 1990`))
  }
})

test("[E2] events of other steps do not make a step's frames more frequent", () => {
  const { live, frames } = listening()
  for (let n = 0; n < 2_000; n += 5) {
    live.progress("s", "c1", "t", text(`${n}`))
    live.delta("m", 0, "x")
    live.wake([event({ type: "tool.called", step: "other", callId: "o", tool: "read", args: {} })])
    vi.advanceTimersByTime(5)
  }
  expect([busiest(frames("tool.progress")), busiest(frames("model.delta"))]).toEqual([10, 10])
  // The text is complete, however many frames it was split into.
  const told = frames("model.delta").map((s) => String(s.data["text"]))
  expect(told.join("")).toBe("x".repeat(told.join("").length))
  expect(told.join("").length).toBeGreaterThanOrEqual(380)
})

test("[E2] a step's text is shown before its next event, and no progress of a call after its result", () => {
  const { live, shown } = listening()
  live.delta("s", 0, "a ")
  live.delta("s", 0, "word")
  live.wake([event({ type: "model.replied", step: "s", turn: 0 })])
  live.progress("s", "c1", "t", text("half"))
  live.wake([event({ type: "tool.returned", step: "s", callId: "c1" })])
  vi.advanceTimersByTime(1_000)
  expect(shown.map((s) => s.event)).toEqual(["model.delta", "wake", "wake"])
  expect(shown[0]?.data).toEqual({ step: "s", turn: 0, text: "a word" })
})

test("[E2] [J13] without readers nothing is collected and no timer runs", () => {
  const { live, reader, shown } = listening()
  live.remove(reader)
  live.progress("s", "c1", "t", text("unheard"))
  live.delta("s", 0, "unheard")
  expect(vi.getTimerCount()).toBe(0)
  live.add(reader)
  vi.advanceTimersByTime(1_000)
  expect(shown).toEqual([])
})

test("[E2] a late reader gets an open turn's text so far, without what is still to be sent, until the turn is over", () => {
  const { live, frames } = listening()
  live.delta("s", 0, "one ")
  vi.advanceTimersByTime(200)
  live.delta("s", 0, "two")
  expect(live.soFar()).toEqual([{ step: "s", turn: 0, text: "one ", whole: true }])
  vi.advanceTimersByTime(200)
  expect(live.soFar()).toEqual([{ step: "s", turn: 0, text: "one two", whole: true }])
  expect(frames("model.delta").map(({ data }) => data["text"])).toEqual(["one ", "two"])
  live.delta("s", 1, "next")
  vi.advanceTimersByTime(200)
  expect(live.soFar()).toEqual([{ step: "s", turn: 1, text: "next", whole: true }])
  live.wake([event({ type: "model.replied", step: "other", turn: 1 })])
  expect(live.soFar()).toHaveLength(1)
  for (const type of ["model.replied", "model.failed", "action.lost", "step.finished", "step.reopened"]) {
    live.delta("s", 1, "again")
    live.wake([event({ type, step: "s", turn: 1 })])
    expect(live.soFar(), type).toEqual([])
  }
})

test("[E2] an open turn is kept without readers too, to a bound: the newest text, and how much is missing", () => {
  const live = new LiveFrames()
  for (let n = 0; n < 300; n++) live.delta("s", 0, `${n % 10}`.repeat(1_024))
  expect(vi.getTimerCount()).toBe(0)
  const [said] = live.soFar()
  expect(said?.text.endsWith("9".repeat(1_024))).toBe(true)
  expect((said?.text.length ?? 0) + (said?.omitted ?? 0)).toBe(300 * 1_024)
  expect(said?.text.length).toBeLessThan(2 * MAX_SO_FAR)
  for (let n = 0; n < 100; n++) live.delta(`step ${n}`, 0, "x")
  expect(live.soFar().length).toBe(32)
})
