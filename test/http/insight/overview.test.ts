// The routes of measures [H16]: their ranges, their slices, what is usual, and what has not changed.

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import type { FlowMeasures, Overview } from "../../../src/api/doc/overview.doc.ts"
import type { Sum } from "../../../src/core/run/usage/sum.ts"
import { setUp } from "../../support/http/ask.ts"

const HOUR = 3_600_000
const NOW = Date.parse("2026-11-24T14:20:00Z")
const THIS = Math.floor(NOW / HOUR)
const stored = (at: number, sum: Sum) => ({ at, text: JSON.stringify(sum) })
const runs = (succeeded: number, failed = 0): Sum => ({
  began: succeeded + failed,
  runs: { succeeded, failed },
  ms: { n: succeeded, sum: succeeded * 1_000, buckets: [79, succeeded] },
  by: {
    revision: { 7: { succeeded, failed } },
    step: { a: { reached: succeeded + failed, failed } },
    tool: { mail: { calls: 3, refused: { policy: 1 }, ms: { n: 2, sum: 900, buckets: [70, 2] } } },
    key: { desk: { succeeded, usd: 0.5 } },
    tag: { eu: { succeeded, input: 9 } },
  },
})

beforeEach(() => {
  vi.useFakeTimers({ now: NOW, toFake: ["Date"] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe("ranges", () => {
  test("[H16] the last 24 hours, with eight weeks before; a month is days, without", async () => {
    const { ask, acme } = setUp()
    const { body } = await ask("GET", "/v1/overview")
    expect(body).toMatchObject({ since: "2026-11-23T15:00:00.000Z", until: "2026-11-24T15:00:00.000Z", each: "hour" })
    expect((body as Overview).data).toHaveLength(24)
    expect(acme.measured[0]).toMatchObject({ unit: "hour", rehearsed: false, whole: [THIS - 23, THIS], open: [THIS - 23 - 8 * 168, THIS] })
    expect(acme.measured[0]?.heads).toHaveLength(8)
    const month = (await ask("GET", "/v1/overview?since=2026-10-24T10:00:00Z&rehearsed=1")).body as Overview
    expect(month).toMatchObject({ since: "2026-10-24T00:00:00.000Z", until: "2026-11-25T00:00:00.000Z", each: "day", rehearsed: true })
    expect([month.data.length, month.numbers, month.data.at(-1)?.partial]).toEqual([32, undefined, true])
    expect(acme.measured[1]).toEqual({ unit: "day", rehearsed: true, whole: [20_750, 20_781] })
  })

  test("[H16] in a range of a week, days begin at its first hour", async () => {
    const { ask, acme } = setUp()
    acme.summedHours = [stored(THIS - 24, runs(2)), stored(THIS, runs(1))]
    const { data } = (await ask("GET", "/v1/overview?since=2026-11-18T23:00:00Z&each=day")).body as Overview
    expect(data.map(({ at, began }) => [at, began]).slice(-2)).toEqual([
      ["2026-11-22T23:00:00.000Z", 2],
      ["2026-11-23T23:00:00.000Z", 1],
    ])
  })

  test.each([
    "since=monday",
    "since=2026-11-24T15:00:00Z",
    "until=2026-11-23T00:00:00Z&since=2026-11-24T00:00:00Z",
    "since=2025-11-01T00:00:00Z",
    "since=2026-11-01T00:00:00Z&each=hour",
    "each=week",
    "each=hour,day",
    "rehearsed=2",
    "names=yes",
    "flow=f",
  ])("[H16] ?%s is 422", async (query) => {
    const { ask } = setUp()
    expect((await ask("GET", `/v1/overview?${query}`)).status).toBe(422)
  })
})

test("[H16] what is far from the weeks before is unusual, and with three weeks nothing is", async () => {
  const { ask, acme } = setUp()
  const before = (weeks: number) =>
    Array.from({ length: weeks }, (_, k) => Array.from({ length: 24 }, (__, i) => stored(THIS - 23 + i - (k + 1) * 168, runs(20)))).flat()
  const here = Array.from({ length: 24 }, (_, i) => stored(THIS - 23 + i, runs(10, 10)))
  acme.summedHours = [...here, ...before(8)]
  const { numbers, data, total } = (await ask("GET", "/v1/overview?names=1")).body as Overview
  expect(numbers).toMatchObject({
    runs: { value: 480, unusual: false },
    success: { value: 0.5, unusual: true },
    open: { value: 3, usual: [0, 7] },
  })
  expect(data[0]).toMatchObject({
    began: 20,
    success: 0.5,
    usual: { runs: [10, 30] },
    tools: [{ tool: "mail", calls: 3, refused: { policy: 1 } }],
    keys: [{ name: "desk", runs: { succeeded: 10, failed: 0, canceled: 0 }, usd: 0.5, input: 0 }],
    tags: [{ name: "eu", usd: null, input: 9 }],
  })
  expect(total).toMatchObject({ ms: { n: 240 }, tools: [{ tool: "mail", calls: 72, ms: { spread: [[512, 48]] } }] })
  expect(data[0]?.tools?.[0]?.ms?.spread, "a slice has none").toBeUndefined()
  acme.summedHours = [...here, ...before(3)]
  expect(((await ask("GET", "/v1/overview")).body as Overview).numbers?.success).toMatchObject({ usual: null, unusual: null })
})

test("[H16] a flow's measures are by revision and step; a flow that is not there is 404, and one that is deleted has its past", async () => {
  const { ask, acme } = setUp()
  expect((await ask("GET", "/v1/flows/nobody/measures")).status).toBe(404)
  expect((await ask("GET", "/v1/flows/nobody/measures?since=monday")).status).toBe(404)
  acme.summedHours = [stored(THIS, runs(3, 1))]
  const { body, status } = await ask("GET", "/v1/flows/nobody/measures")
  expect(status).toBe(200)
  expect((body as FlowMeasures).total).toMatchObject({
    revisions: [{ revision: 7, runs: { succeeded: 3, failed: 1 }, success: 0.75 }],
    steps: [{ step: "a", reached: 4, failed: 1, left: 0, ms: null }],
  })
  expect((body as FlowMeasures).data.at(-1)).toMatchObject({ revisions: [7], partial: true })
  expect((await ask("GET", "/v1/flows/nobody/measures?since=monday")).status).toBe(404)
})

test("[H16] what has not changed is not sent again", async () => {
  const { ask, acme } = setUp()
  for (const path of ["/v1/overview", "/v1/flows/nobody/measures"]) {
    acme.summedHours = [stored(THIS, runs(3))]
    const { headers } = await ask("GET", path)
    const again = { headers: { "if-none-match": headers.get("etag") ?? "" } }
    expect((await ask("GET", path, again)).status).toBe(304)
    vi.setSystemTime(NOW + 60_000)
    expect((await ask("GET", path, again)).status).toBe(304)
    acme.summedHours = [stored(THIS, runs(4))]
    expect((await ask("GET", path, again)).status).toBe(200)
    vi.setSystemTime(NOW)
  }
})
