import { describe, expect, it } from "vitest"
import { blockLines } from "../../web/start/block-words.ts"
import { keyNames, keyTitle } from "../../web/start/key-words.ts"
import { gatesOf, waitSentence } from "../../web/start/wait-sentence.ts"
import { lineRows } from "../../web/start/line-rows.ts"
import { keysAtWork } from "../../web/start/keys-at-work.ts"
import type { SaidStart } from "../../src/core/start/start-block.ts"

const told = (block: SaidStart): readonly string[] => blockLines(block).map(({ main, rest }) => `${main} ${rest}`)
const [HOUR, DAY] = [3_600_000, 86_400_000]

describe("a start block in words", () => {
  it("[R23] says who waits for whom, and how long", () => {
    expect(told({ concurrency: { key: "${{flow.input.customer}}" } })).toEqual([
      "One at a time for each customer. The next one waits its turn, at most 7 days.",
    ])
    expect(told({ concurrency: { limit: 3, overlap: "skip" } })).toEqual(["At most 3 at a time. A start that finds no room is skipped."])
    expect(told({ concurrency: { overlap: "supersede", key: "${{flow.input.repo}}#${{flow.input.pr}}", pool: "reviews" } })).toEqual([
      "One at a time for each repo and pr. A newer one cancels the oldest. Counted with other flows of the pool reviews.",
    ])
    expect(told({ concurrency: {}, expires: HOUR })).toEqual(["One at a time. The next one waits its turn, at most 1 h."])
    expect(told({ concurrency: { overlap: "skip" }, expires: HOUR })).toContain("Fails if it has not begun within 1 h.")
  })

  it("[R23] says rates, windows, delays and ranks", () => {
    expect(
      told({
        throttle: { limit: 60, period: HOUR },
        debounce: { key: "${{trigger.body.ticket.id}}", period: 20_000, timeout: 60_000 },
        priority: "low",
        delay: { ms: 2 * DAY },
      }),
    ).toEqual([
      "At most 60 an hour begin, all together.",
      "Starts of one ticket.id merge until none has come for 20 s, after 1 min at the latest; the last one counts.",
      "Begins 2 days later than it could.",
      "Goes last where runs wait.",
    ])
    expect(told({ throttle: { key: "${{flow.input.repo}}", limit: 1, period: 600_000 }, priority: "normal" })).toEqual([
      "At most 1 in 10 min begins for each repo.",
    ])
    expect(told({ batch: { size: 50, timeout: 300_000, into: "mails" }, expires: HOUR })).toEqual([
      "Up to 50 starts become one run with all they bring in its input mails, after 5 min at the latest.",
      "Fails if it has not begun within 1 h.",
    ])
    expect(told({})).toEqual([])
  })
})

describe("a key in words", () => {
  it("[R23] says what its runs have in common", () => {
    expect(keyNames(undefined)).toBeUndefined()
    expect(keyNames("deploy")).toBeUndefined()
    expect(keyNames("${{ thread }}")).toBe("thread")
    expect(keyTitle("${{flow.input.customer}}", "cus_48120")).toBe("customer cus_48120")
    expect(keyTitle("${{flow.input.repo}}#${{flow.input.pr}}", "acme/shop#7")).toBe("acme/shop#7")
    expect(keyTitle(undefined, "")).toBe("")
  })
})

describe("the keys of a flow", () => {
  it("[R23] has those first for which most wait, with the oldest run that holds each", () => {
    const start = (run: string, state: "waiting" | "running", key: string) => ({ run, state, concurrency: { key, limit: 1 } })
    expect(
      keysAtWork([
        start("a", "running", "one"),
        start("b", "waiting", "two"),
        start("c", "running", "two"),
        start("d", "waiting", "two"),
        { run: "e", state: "waiting", waiting: { key: "three" } },
        { run: "f", state: "waiting" },
      ]),
    ).toEqual([
      { key: "two", working: 1, waiting: 2, limit: 1, run: "c" },
      { key: "three", working: 0, waiting: 1, limit: undefined, run: "e" },
      { key: "one", working: 1, waiting: 0, limit: 1, run: "a" },
    ])
  })
})

describe("what a queued run waits for", () => {
  const time = (at: string): string => at.slice(11, 16)
  const obeyed = { merged: 1, concurrency: { limit: 1 }, throttle: { limit: 60, period: HOUR } }
  const wait = { reason: "concurrency", key: "cus_48120", ahead: 2, run: "run_a" }

  it("[R18] is one sentence: for whom, how many at a time, how many before it", () => {
    const said = (of: Parameters<typeof waitSentence>[0], title = ""): string => waitSentence(of, obeyed, title, time)
    expect(said(wait, "customer cus_48120")).toBe("Waits for customer cus_48120: one run at a time, 2 before it")
    expect(said({ ...wait, ahead: 100 })).toBe("Waits for its turn: one run at a time, 100 or more before it")
    expect(said({ reason: "throttle", ahead: 0 })).toBe("Waits for its turn: at most 60 an hour, it is next")
    expect(said({ reason: "throttle", until: "2026-12-01T09:00:10Z" })).toBe("Begins at 09:00: at most 60 an hour")
    expect(said({ reason: "debounce", until: "2026-12-01T09:00:10Z" })).toBe("Begins at 09:00 if no other start like it comes")
    expect(said({ reason: "batch", until: "2026-12-01T09:05:00Z" })).toBe("Collects starts until 09:05")
    expect(said({ reason: "delay", until: "2026-12-01T09:05:00Z" })).toBe("Begins at 09:05")
    expect(said({ reason: "room" })).toBe("Waits for a free place: it is next")
  })

  it("[R5] says what it has passed, what holds it and what comes after", () => {
    const names = { window: "repo and pr", throttle: "repo", concurrency: "customer" }
    expect(gatesOf(wait, { ...obeyed, merged: 4 }, names, time).map(({ what, state, note }) => [what, state, note])).toEqual([
      ["Merge starts for each repo and pr", "done", "4 starts"],
      ["At most 60 an hour for each repo", "done", "passed"],
      ["One at a time for each customer", "now", "2 before it"],
      ["A free place for runs", "later", ""],
    ])
    expect(gatesOf({ reason: "debounce", until: "2026-12-01T09:00:10Z" }, obeyed, {}, time)[0]).toEqual({
      what: "Merge starts",
      about: "Made of 1 start so far.",
      state: "now",
      note: "until 09:00",
    })
  })

  it("[R12] puts holders first, then by priority and arrival, and keeps the run itself in view", () => {
    const start = (run: string, priority: "high" | "normal" | "low" = "normal", state: "waiting" | "running" = "waiting") => ({
      run,
      state,
      priority,
    })
    const line = [start("a", "normal", "running"), start("b", "low"), start("c"), start("d", "high")]
    expect(lineRows(line, "b", 10).map((row) => [row.place, row.start.run])).toEqual([
      [undefined, "a"],
      [1, "d"],
      [2, "c"],
      [3, "b"],
    ])
    const long = [start("a", "normal", "running"), ...Array.from({ length: 50 }, (_, n) => start(`w${n + 1}`))]
    expect(lineRows(long, "w30", 6).map((row) => row.start.run)).toEqual(["a", "w28", "w29", "w30", "w31", "w32"])
    expect(lineRows(long, "w50", 6).map((row) => row.start.run)).toEqual(["a", "w46", "w47", "w48", "w49", "w50"])
  })
})
