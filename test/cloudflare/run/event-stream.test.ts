// One reader of a run over SSE [E4]: what comes first, what comes while idle, and how it ends. The test controls the clock.

import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { EventStream, MOST_UNTAKEN } from "../../../src/cloudflare/run/streams/event-stream.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"

/** The real one: what was written comes to its reader some turns later, how many is up to the streams in between. */
const { setImmediate } = globalThis
async function passed(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms)
  for (let n = 0; n < 20; n++) await new Promise<void>((resolve) => void setImmediate(resolve))
}
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const event = (seq: number, type: string): RunEvent => ({ seq, type, at: 0 }) as unknown as RunEvent

function open(journal: RunEvent[], first?: string, after = 0) {
  const closed = vi.fn()
  const source = { read: (cursor: number, limit: number) => journal.filter((e) => e.seq > cursor).slice(0, limit), over: () => false }
  const stream = new EventStream({ source, after, first, closed })
  if (!stream.response.body) throw new Error("no body")
  const reader = stream.response.body.pipeThrough(new TextDecoderStream()).getReader()
  let heard = ""
  let over = false
  const reading = (async () => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      heard += value
    }
    over = true
  })()
  return { stream, reader, reading, closed, heard: () => heard, over: () => over }
}
const pings = (text: string): number => text.split("\n").filter((line) => line.startsWith(":")).length

test("[E4] an idle stream sends a comment at least every 15 s, which is not an event", async () => {
  const { stream, heard, over } = open([event(1, "run.started")])
  await passed(1)
  const begun = heard()
  for (let n = 1; n <= 40; n++) {
    const before = pings(heard())
    await passed(15_000)
    expect(pings(heard())).toBeGreaterThan(before)
  }
  const quiet = heard().slice(begun.length)
  expect(quiet.split("\n\n").filter((frame) => frame !== "" && !frame.startsWith(":"))).toEqual([])
  expect(over()).toBe(false)
  stream.end()
})

test("[E4] after run.ended it closes and leaves no timer", async () => {
  const journal = [event(1, "run.started")]
  const { stream, closed, reading, heard } = open(journal)
  await passed(1)
  journal.push(event(2, "run.ended"))
  stream.wake()
  await reading
  expect(heard().match(/^id: \d+$/gm)).toEqual(["id: 1", "id: 2"])
  expect([vi.getTimerCount(), closed.mock.calls.length]).toEqual([0, 1])
})

test("[E4] the snapshot comes first, without an id, then the journal after the cursor", async () => {
  const journal = [1, 2, 3].map((seq) => event(seq, "warning"))
  const { stream, heard } = open(journal, "event: run.snapshot\ndata: {}\n\n", 1)
  await passed(1)
  expect(heard().startsWith("event: run.snapshot\ndata: {}\n\nid: 2\n")).toBe(true)
  expect(heard().match(/^id: \d+$/gm)).toEqual(["id: 2", "id: 3"])
  stream.end()
})

test("[E2] a transient frame has no id, and frames for a reader that does not read are dropped, not buffered", async () => {
  const { stream, heard } = open([event(1, "run.started")])
  for (let n = 0; n < 10_000; n++)
    stream.show("tool.progress", { step: "s", callId: "c", tool: "t", content: [{ type: "text", text: `${n}` }] })
  await passed(1)
  const frames = heard()
    .split("\n\n")
    .filter((frame) => frame.startsWith("event: tool.progress"))
  expect(frames[0]).toBe(
    'event: tool.progress\ndata: {"type":"tool.progress","step":"s","callId":"c","tool":"t","content":[{"type":"text","text":"0"}]}',
  )
  expect(frames.length).toBeLessThanOrEqual(101)
  expect(heard().match(/^id: \d+$/gm)).toEqual(["id: 1"])
  stream.end()
})

test("[E4] a reader that leaves is removed with its timer", async () => {
  const { stream, reader, closed } = open([event(1, "run.started")])
  await passed(1)
  await reader.cancel()
  stream.wake()
  await passed(20_000)
  expect([closed.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0])
})

test("[E4] text that streams survives a reload: it comes after the journal, once, and then goes on", async () => {
  let said = "Once upon"
  const journal = [event(1, "run.started"), event(2, "step.opened")]
  const source = { read: (cursor: number, limit: number) => journal.filter((e) => e.seq > cursor).slice(0, limit), over: () => false }
  const soFar = () => [{ step: "s", turn: 0, text: said, whole: true as const }]
  const stream = new EventStream({ source, after: 0, soFar, closed: () => undefined })
  // Said while the journal is still being sent: the text so far has it.
  stream.show("model.delta", { step: "s", turn: 0, text: " a" })
  said += " a"
  const reader = stream.response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let heard = ""
  const read = async (until: string): Promise<void> => {
    while (!heard.includes(until)) heard += (await reader?.read())?.value ?? ""
  }
  await read("Once upon a")
  stream.show("model.delta", { step: "s", turn: 0, text: " time" })
  await read(" time")
  const frames = heard.split("\n\n").filter((frame) => frame !== "")
  expect(frames.map((frame) => /event: (.+)/.exec(frame)?.[1])).toEqual(["run.started", "step.opened", "model.delta", "model.delta"])
  expect(frames[2]).toContain('"text":"Once upon a","whole":true')
  stream.end()
})

/** A stream that is open and whose reader takes nothing. */
function unread(journal: RunEvent[]) {
  const closed = vi.fn()
  const source = { read: (cursor: number) => journal.filter((e) => e.seq > cursor), over: () => false }
  const stream = new EventStream({ source, after: 0, first: undefined, closed })
  return { stream, closed }
}

test("[N4] a reader that takes nothing is cut off after a minute, and one that takes is not", async () => {
  const journal = [event(1, "run.started"), event(2, "warning")]
  const { stream, closed } = unread(journal)
  await passed(59_000)
  expect(closed).not.toHaveBeenCalled()
  await passed(2_000)
  expect([closed.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0])
  await expect(stream.response.text()).rejects.toThrow(/reconnect with Last-Event-ID/)

  const taking = open(journal)
  await passed(600_000)
  expect(taking.over()).toBe(false)
  taking.stream.end()
})

test("[N4] a reader that takes nothing while a mebibyte passes is cut off before", async () => {
  const { stream, closed } = unread([event(1, "run.started")])
  await passed(11_000)
  for (let chars = 0; chars <= MOST_UNTAKEN; chars += 10_000) stream.show("tool.progress", { text: "x".repeat(10_000) })
  expect(closed).toHaveBeenCalledTimes(1)
  stream.show("tool.progress", { text: "x" })
  stream.end()
  expect(closed).toHaveBeenCalledTimes(1)
})

test("[N4] it comes back at its cursor, with every event that it had not taken", async () => {
  const journal = Array.from({ length: 500 }, (_, n) => event(n + 1, "warning"))
  const { heard, stream } = open(journal, undefined, 120)
  await passed(100)
  expect(heard().match(/^id: \d+$/gm)?.length).toBe(380)
  stream.end()
})
