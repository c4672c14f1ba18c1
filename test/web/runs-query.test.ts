// The query of the list of runs: what is typed, what the address says and what the API is asked are one thing; what cannot be asked is told.

import { describe, expect, test } from "vitest"
import { momentOf, rangeWords, shownMoment } from "../../web/runs/moment.ts"
import { addressOf, askedBy, faultIn, lineOf, nameOf, readAddress, readLine, replaced, searchOf, withToken } from "../../web/runs/query.ts"
import { hasScores, shownScore } from "../../web/runs/shown-score.ts"
import { suggestions, type Values } from "../../web/runs/suggest.ts"
import { viewsIn, withoutView, withView } from "../../web/runs/saved-views.ts"

/** A Tuesday. */
const NOW = new Date(2026, 10, 24, 14, 20).getTime()
const local = (...parts: [number, number, number, number?, number?]): string => new Date(...parts).toISOString()
const read = (search: string) => readAddress(new URLSearchParams(search))

describe("the query of runs", () => {
  test("[S7] a line is tokens and words; a colon in quotes, in an address and in a clock is none", () => {
    expect(readLine('status:failed flow:support:* refund tag:"two words" "order:4471" http://x.test/a 12:30 TypeError: no')).toEqual({
      tokens: [
        { key: "status", value: "failed" },
        { key: "flow", value: "support:*" },
        { key: "tag", value: "two words" },
      ],
      words: 'refund "order:4471" http://x.test/a 12:30 TypeError: no',
    })
  })

  test("[S7] what is still being typed is no token yet", () => {
    expect(readLine("refund flow:sup", true)).toEqual({ tokens: [], words: "refund flow:sup" })
    expect(readLine("flow:sup ", true)).toEqual({ tokens: [{ key: "flow", value: "sup" }], words: "" })
    expect(readLine('tag:"two wo', true)).toEqual({ tokens: [], words: 'tag:"two wo' })
    expect(readLine('tag:"two words" ', true).tokens).toEqual([{ key: "tag", value: "two words" }])
  })

  test("[S7] the address has the names of the API, and comes back as it was", () => {
    const query = read("?q=flow:billing:*+refund+by:ana&status=failed&since=7d&sort=cost")
    expect(addressOf(query)).toMatchObject({ status: "failed", flow: "billing:*", since: "7d", sort: "cost", q: "by:ana refund" })
    expect(read(searchOf(query))).toEqual(read("?status=failed&flow=billing:*&since=7d&sort=cost&q=by:ana+refund"))
    expect(searchOf(read("?sort=cost&status=failed"))).toBe(searchOf(read("?status=failed&sort=cost")))
    expect(searchOf(read(""))).toBe("")
    for (const token of query.tokens) expect(readLine(lineOf(token)).tokens).toEqual([token])
  })

  test("[S7] a filter of several values gets one more, another its new value", () => {
    const query = withToken(read("?status=failed&since=7d"), { key: "status", value: "waiting" })
    expect(addressOf(withToken(query, { key: "since", value: "1h" }))).toMatchObject({ status: "failed,waiting", since: "1h" })
    expect(addressOf(replaced(query, "status", undefined))["status"]).toBeUndefined()
  })

  test("[S7] what is no filter, no value and no time says so, and is not asked", () => {
    expect(faultIn({ key: "by", value: "ana" }, [], NOW)?.words).toMatch(/^“by:” is not a filter\. You can write status:, flow:/)
    expect(faultIn({ key: "support", value: "refund" }, ["support:refund"], NOW)?.instead).toEqual({ key: "flow", value: "support:refund" })
    expect(faultIn({ key: "status", value: "failed,broken" }, [], NOW)?.words).toMatch(/^“broken” is not one of queued/)
    expect(faultIn({ key: "since", value: "last wensday" }, [], NOW)?.words).toMatch(/is not a time/)
    expect(faultIn({ key: "since", value: "wed" }, [], NOW)).toBeUndefined()
    expect(askedBy(read("?q=by:ana+since:wensday+%22order:4471%22&status=failed&until=7d"), NOW)).toEqual({
      status: "failed",
      until: "7d",
      q: "order:4471",
    })
  })

  test("[S7] times are read as people write them, in their own zone", () => {
    const times: readonly [string, string | undefined, string?][] = [
      ["7d", "7d"],
      ["2w", "14d"],
      ["2026-11-01", local(2026, 10, 1), local(2026, 10, 2)],
      ["nov 18", local(2026, 10, 18), local(2026, 10, 19)],
      ["18 Nov", local(2026, 10, 18), local(2026, 10, 19)],
      ["Dec 1", local(2025, 11, 1), local(2025, 11, 2)],
      ["Nov 18 2025", local(2025, 10, 18), local(2025, 10, 19)],
      ["wed", local(2026, 10, 18), local(2026, 10, 19)],
      ["Tuesday", local(2026, 10, 24), local(2026, 10, 25)],
      ["yesterday", local(2026, 10, 23), local(2026, 10, 24)],
      ["yesterday 9am", local(2026, 10, 23, 9), local(2026, 10, 23, 9)],
      ["11:40", local(2026, 10, 24, 11, 40), local(2026, 10, 24, 11, 40)],
      ["15:00", local(2026, 10, 23, 15), local(2026, 10, 23, 15)],
      ["12:05 am", local(2026, 10, 24, 0, 5), local(2026, 10, 24, 0, 5)],
      ["2026-11-24T10:00:00.000Z", "2026-11-24T10:00:00.000Z"],
      ["wensday", undefined],
      ["Nov 31", undefined],
      ["25:00", undefined],
      ["13pm", undefined],
      ["", undefined],
    ]
    for (const [text, since, until = since] of times) {
      expect(momentOf(text, "since", NOW), text).toBe(since)
      expect(momentOf(text, "until", NOW), text).toBe(until)
    }
    expect([rangeWords("7d", undefined), rangeWords("1h", undefined), rangeWords(undefined, undefined)]).toEqual([
      "Last 7 days",
      "Last hour",
      "Any time",
    ])
    expect([rangeWords("2026-11-01", undefined), rangeWords(undefined, "yesterday")]).toEqual(["Nov 1 to now", "Until yesterday"])
    expect(shownMoment(local(2026, 10, 24, 21, 5))).toBe("Nov 24, 9:05 PM")
  })

  test("[S7] a view has a name, and two of one name or address are one", () => {
    expect(nameOf(read("?status=failed&flow=support:*&sort=cost&q=refund"))).toBe("Failed, support:*, refund")
    const views = withView(withView(withView([], { name: "a", search: "?a" }), { name: "b", search: "?a" }), { name: "b", search: "?b" })
    expect(views).toEqual([{ name: "b", search: "?b" }])
    expect(withoutView(views, "?b")).toEqual([])
    expect([viewsIn(null), viewsIn("nothing"), viewsIn('[{"name":1}]'), viewsIn(JSON.stringify(views))]).toEqual([[], [], [], views])
  })
})

describe("what can be written next", () => {
  const values: Values = {
    flow: ["support:refund", "support:reply", "sales:lead"].map((value) => ({ value })),
    tag: [{ value: "two words" }],
    hook: [{ value: "hk_1", note: "orders" }],
  }
  const lines = (line: string): readonly string[] => suggestions(line, values).map((one) => one.line)

  test("[S7] names of filters, then values of the one that is written", () => {
    expect(lines("")).toContain("since:")
    expect(lines("refund ")).toEqual([])
    expect(lines("si")).toEqual(["since:"])
    expect(lines("refund status:fa")).toEqual(["status:failed"])
    expect(lines("status:failed,wai")).toEqual(["status:failed,waiting"])
    expect(lines("tag:t")).toEqual(['tag:"two words"'])
    expect(lines("since:")[0]).toBe("since:1h")
  })

  test("a hook is found and shown by its name, and written by its id", () => {
    expect(suggestions("hook:ord", values)).toEqual([{ line: "hook:hk_1", words: "hook: orders", note: "hk_1" }])
  })

  test("[S7] flows that begin alike come together too, and a flow's own name is enough", () => {
    expect(lines("flow:support:r")).toEqual(["flow:support:refund", "flow:support:reply", "flow:support:r*"])
    expect(lines("support:ref")).toEqual(["flow:support:refund"])
    expect(lines("fail")).toEqual(["status:failed"])
    expect(lines("flow:lead")).toEqual(["flow:sales:lead"])
  })
})

test("[V44] scores are a filter of scorer, at most and at least, which the address keeps and the API is asked", () => {
  const line = readLine("scorer:helpful at_most:0.5 at_least:0")
  expect(searchOf(line)).toBe("?scorer=helpful&at_most=0.5&at_least=0")
  expect(readAddress(new URLSearchParams(searchOf(line)))).toEqual(line)
  expect(askedBy(line, 0)).toEqual({ scorer: "helpful", at_most: "0.5", at_least: "0" })
  // Without a scorer there is nothing to bound, and what is no share of 1 is left out.
  expect(askedBy(readLine("at_most:0.5"), 0)).toEqual({})
  expect(askedBy(readLine("scorer:helpful at_least:7"), 0)).toEqual({ scorer: "helpful" })
  expect(faultIn({ key: "at_least", value: "7" }, [], 0)?.words).toContain("not a number from 0 to 1")
})

test("[V44] a row shows the score that the list is filtered by, else the lowest, and people's mean among them", () => {
  const row = { scores: { helpful: 0.5, polite: 1, other: null }, feedback: { up: 1, down: 3 } }
  expect(shownScore(row, undefined)).toEqual({ scorer: "feedback", score: 0.25, all: "helpful 0.50, polite 1.00, feedback 0.25" })
  expect(shownScore(row, "polite")).toMatchObject({ scorer: "polite", score: 1 })
  expect(shownScore({ scores: { other: null }, feedback: { up: 0, down: 0 } }, undefined)).toBeUndefined()
  expect(hasScores([{}, row])).toBe(true)
})
