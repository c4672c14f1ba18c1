// The feed of a tenant [H15]: order, resuming, gaps, and what it does not keep.

import { describe, expect, test, vi } from "vitest"
import { Feed, MAX_KEPT, MAX_STREAMS } from "../../../src/cloudflare/tenant/feed/feed.ts"
import { tellReport, type Standing } from "../../../src/cloudflare/tenant/feed/feed-reports.ts"
import type { FeedEvent, FeedPage } from "../../../src/ports/tenant/feed.ts"

function world() {
  let now = 1_000
  let epochs = 0
  const feed = new Feed({ now: () => now, epoch: () => `e${epochs++}` })
  const look = async (after?: string, reader = "r"): Promise<Exclude<FeedPage, "full">> => {
    const seen = await feed.look({ reader, wait: 0, ...(after === undefined ? {} : { after }) })
    if (seen === "full") throw new Error("full")
    return seen
  }
  return { feed, look, pass: (ms: number) => void (now += ms) }
}
const runs = (events: readonly FeedEvent[]): unknown[] => events.map(({ data }) => data["run"])

describe("the feed", () => {
  test("[H15] a reader gets what happens after it began, in order and once", async () => {
    const { feed, look } = world()
    const { at, gap, events } = await look()
    expect([gap, events]).toEqual([false, []])
    for (const run of ["a", "b"]) feed.tell("run.began", { run, thread: undefined })
    const next = await look(at)
    expect(runs(next.events)).toEqual(["a", "b"])
    expect(next.events[0]).toEqual({ id: "e1-1", type: "run.began", at: "1970-01-01T00:00:01.000Z", data: { run: "a" } })
    expect((await look(next.at)).events).toEqual([])
    feed.tell("run.ended", { run: "a" })
    expect(runs((await look(next.at)).events)).toEqual(["a"])
    // Another reader, and one that lost its connection in between.
    expect(runs((await look(next.events[0]?.id, "other")).events)).toEqual(["b", "a"])
  })

  test("[H15] a reader that waits is woken by the next event", async () => {
    const { feed, look } = world()
    const { at } = await look()
    const waiting = feed.look({ reader: "r", after: at, wait: 60_000 })
    feed.tell("run.began", { run: "a" })
    expect(await waiting).toMatchObject({ events: [{ data: { run: "a" } }], gap: false })
  })

  test("[H15] a look waits no longer than 20 seconds", async () => {
    vi.useFakeTimers()
    try {
      const { feed, look } = world()
      const { at } = await look()
      const waiting = feed.look({ reader: "r", after: at, wait: 60_000 })
      await vi.advanceTimersByTimeAsync(20_000)
      expect(await waiting).toEqual({ at, events: [], gap: false })
    } finally {
      vi.useRealTimers()
    }
  })

  test.each(["", "x", "e1-", "e1-99", "e0-0", "other-1", "e1--1", "e1-1e3", "9".repeat(60)])(
    "[H15] after %j there is a gap",
    async (id) => {
      const { feed, look } = world()
      await look()
      feed.tell("run.began", { run: "a" })
      const seen = await look(id)
      expect([seen.gap, seen.events, seen.at]).toEqual([true, [], "e1-1"])
    },
  )

  test("[H15] of a thousand events the oldest are a gap, and the others come in pieces", async () => {
    const { feed, look } = world()
    const { at } = await look()
    for (let n = 0; n <= MAX_KEPT; n++) feed.tell("run.began", { run: n })
    expect((await look(at)).gap).toBe(true)
    const got: unknown[] = []
    for (let place = "e1-1"; ;) {
      const seen = await look(place)
      if (seen.events.length === 0) break
      got.push(...runs(seen.events))
      place = seen.at
    }
    expect(got).toEqual(Array.from({ length: MAX_KEPT }, (_, n) => n + 1))
  })

  test("[H15] while nobody listens nothing is kept, and that is a gap", async () => {
    const { feed, look, pass } = world()
    expect(feed.isHeard).toBe(false)
    feed.tell("run.began", { run: "a" })
    const { at } = await look()
    pass(299_000)
    feed.tell("run.began", { run: "b" })
    expect(runs((await look(at)).events)).toEqual(["b"])
    pass(301_000)
    feed.tell("run.began", { run: "c" })
    expect(await look(at)).toMatchObject({ gap: true, events: [] })
  })

  test("[H15] fifty streams at once; one that is closed, or has not looked for long, frees its place", async () => {
    const { feed, look, pass } = world()
    for (let n = 0; n < MAX_STREAMS; n++) await look(undefined, `r${n}`)
    expect(await feed.look({ reader: "more", wait: 0 })).toBe("full")
    feed.leave("r7")
    await look(undefined, "more")
    expect(await feed.look({ reader: "r7", wait: 0 })).toBe("full")
    pass(45_000)
    await look(undefined, "r7")
  })
})

describe("a run's report", () => {
  const row = (status: string, pending: number, ended?: number) => ({
    id: "run_1",
    flow: "f",
    status,
    created: 1,
    ...(ended === undefined ? {} : { ended }),
    view: { pending, thread: "t", parent: { run: "run_0" } },
  })
  const had = (status: string, pending: number, reported = true): Standing => ({ status, pending, reported })

  test.each([
    ["begins", row("running", 0), undefined, ["run.began"]],
    ["begins and has ended", row("succeeded", 0, 2), undefined, ["run.began", "run.ended"]],
    ["was promised and has ended", row("failed", 0, 2), had("running", 0, false), ["run.ended"]],
    ["asks", row("waiting", 2), had("running", 0), ["run.changed", "question.asked"]],
    ["asks while it runs", row("running", 1), had("running", 0), ["question.asked"]],
    ["is answered", row("waiting", 1), had("waiting", 2), ["question.answered"]],
    ["has ended and asks no more", row("canceled", 0, 2), had("waiting", 1), ["run.ended", "question.answered"]],
    ["has put a file", row("running", 0), had("running", 0), []],
    ["has other effects after its end", row("succeeded", 0, 2), had("succeeded", 0), ["run.changed"]],
  ] as const)("[H15] that %s", async (_, now, before, types) => {
    const { feed, look } = world()
    tellReport(feed, now, () => {
      throw new Error("nobody listens")
    })
    const { at } = await look()
    tellReport(feed, now, () => before)
    const { events } = await look(at)
    expect(events.map(({ type }) => type)).toEqual(types)
    for (const { data } of events)
      expect(data).toEqual({ run: "run_1", flow: "f", status: now.status, pending: now.view.pending, thread: "t", parent: "run_0" })
  })
})
