// The routes of usage and failures [H13, H14]: their queries, the two formats, and what people say about a group.

import { describe, expect, test } from "vitest"
import { newGroup, type Failure } from "../../../src/core/run/failure/group.ts"
import { setUp } from "../../support/http/ask.ts"

const DAY = 86_400_000
const today = (): string => new Date().toISOString().slice(0, 10)

describe("usage", () => {
  test("[H13] a range is days, both included; without one it is the last 30", async () => {
    const { ask, acme } = setUp()
    await ask("GET", "/v1/usage?by=model&from=2026-11-01&to=2026-11-03T23:59:59Z&rehearsed=1")
    await ask("GET", "/v1/usage")
    await ask("GET", "/v1/usage?to=2026-01-30")
    await ask("GET", "/v1/usage?by=flow&each=day&from=2026-11-01&to=2026-11-01")
    await ask("GET", "/v1/usage?by=flow&each=hour")
    await ask("GET", "/v1/usage?each=hour&from=2026-11-01&to=2026-11-07")
    const day = Date.parse("2026-11-01") / DAY
    const last = Math.floor(Date.now() / DAY)
    const january = Date.parse("2026-01-30") / DAY
    expect(acme.summed).toEqual([
      { by: "model", from: day, to: day + 2, rehearsed: true },
      { by: "day", from: last - 29, to: last, rehearsed: false },
      { by: "day", from: january - 29, to: january, rehearsed: false },
      { by: "flow", from: day, to: day, rehearsed: false, daily: true },
      { by: "flow", from: last - 6, to: last, rehearsed: false, hourly: true },
      { by: "day", from: day, to: day + 6, rehearsed: false, hourly: true },
    ])
  })

  test.each([
    "by=hour",
    "by=day,flow",
    "each=day",
    "by=day&each=day",
    "by=model&each=hour",
    "by=flow&each=hour&from=2026-11-01&to=2026-11-08",
    "by=flow&each=",
    "from=monday",
    "to=2026-13-01",
    "from=2026-11-02&to=2026-11-01",
    "format=xml",
    "rehearsed=2",
    "form=1",
  ])("[H13] ?%s is 422", async (query) => {
    const { ask } = setUp()
    expect((await ask("GET", `/v1/usage?${query}`)).status).toBe(422)
  })

  test("[H13] 400 days are answered, 401 are 422", async () => {
    const { ask } = setUp()
    expect((await ask("GET", "/v1/usage?from=2025-01-01&to=2026-02-04")).status).toBe(200)
    expect((await ask("GET", "/v1/usage?from=2025-01-01&to=2026-02-05")).status).toBe(422)
  })

  test("[H13] is JSON, or CSV in which no name is a formula", async () => {
    const { ask } = setUp()
    const { body } = await ask("GET", "/v1/usage?by=model")
    expect(body).toMatchObject({ by: "model", to: today(), rehearsed: false, data: [{ key: "=odd", input: 7, usd: 0.5 }], complete: true })
    for (const [query, accept] of [
      ["?by=model&format=csv", "application/json"],
      ["?by=model", "text/csv"],
    ] as const) {
      const { headers, text } = await ask("GET", `/v1/usage${query}`, { headers: { accept } })
      expect([headers.get("content-type"), headers.get("vary")]).toMatchObject([
        "text/csv; charset=utf-8",
        expect.stringContaining("Accept"),
      ])
      expect(headers.get("content-disposition")).toContain("usage-by-model-")
      expect(text.split("\r\n").slice(0, 2)).toEqual([
        "model,runs,failed,children,input,cached,output,usd,unpriced,model_calls,tool_calls,tool_errors,questions,approvals,answered,waited_ms,lost_calls,lost_tokens",
        "'=odd,1,0,0,7,0,0,0.5,0,0,0,0,0,0,0,0,0,0",
      ])
    }
    const json = await ask("GET", "/v1/usage?format=json", { headers: { accept: "text/csv" } })
    expect(json.body["by"]).toBe("day")
  })
})

describe("failures", () => {
  const failure: Failure = {
    run: "run_1",
    flow: "f",
    step: "a",
    source: "api_error",
    message: "answered 503",
    rehearsed: false,
    began: Date.now() - 1_000,
    at: Date.now(),
    revision: 3,
  }
  const withGroups = () => {
    const all = setUp()
    all.acme.groups = [
      { key: "fail_1", ...newGroup(failure) },
      { key: "fail_2", ...newGroup({ ...failure, rehearsed: true }) },
    ]
    return all
  }

  test("[H14] are listed with fourteen days, today last; rehearsals only when they are asked for", async () => {
    const { ask } = withGroups()
    const { body } = await ask("GET", "/v1/failures")
    expect(body["data"]).toMatchObject([
      { key: "fail_1", shape: "answered <n>", count: 1, status: "open", first: { run: "run_1", revision: 3 }, runs: ["run_1"] },
    ])
    const [group] = body["data"] as { days: { day: string; count: number }[] }[]
    expect(group?.days).toHaveLength(14)
    expect(group?.days.at(-1)).toEqual({ day: today(), count: 1 })
    expect(group?.days.slice(0, -1).every(({ count }) => count === 0)).toBe(true)
    expect((await ask("GET", "/v1/failures?rehearsed=1")).body["data"]).toMatchObject([{ key: "fail_2", rehearsed: true }])
    expect((await ask("GET", "/v1/failures?status=muted,resolved")).body["data"]).toEqual([])
    for (const bad of ["status=gone", "q=", "since=soon", "until=1", "sort=best", "sort=count,newest"])
      expect((await ask("GET", `/v1/failures?${bad}`)).body["errors"], bad).toMatchObject([{ pointer: `?${bad.split("=")[0]}` }])
  })

  test("[H14] a person says what a group is, with the scope to write; an unknown group is 404, whatever is said", async () => {
    const { ask, services } = withGroups()
    const said = await ask("POST", "/v1/failures/fail_1", { body: { status: "muted" } })
    expect(said.body).toMatchObject({ key: "fail_1", status: "muted", by: expect.any(String), at: expect.any(String) })
    for (const body of [{ status: "closed" }, {}, { status: "open", why: 1 }]) {
      expect((await ask("POST", "/v1/failures/fail_1", { body })).status).toBe(422)
      expect((await ask("POST", "/v1/failures/fail_0", { body })).status).toBe(404)
    }
    expect((await ask("POST", "/v1/failures/fail_0", { body: { status: "open" } })).status).toBe(404)
    services.key("reader", "acme", ["runs:read"])
    expect((await ask("POST", "/v1/failures/fail_1", { key: "reader", body: { status: "open" } })).status).toBe(403)
  })
})

test("[H5] runs are counted by status or flow under the filters of the list", async () => {
  const { ask, acme } = setUp()
  expect((await ask("GET", "/v1/runs/counts")).body).toEqual({
    by: "status",
    data: [{ key: "failed", count: 2 }],
    total: 2,
    complete: true,
  })
  expect((await ask("GET", "/v1/runs/counts?by=flow&tag=x&status=failed,paused")).body).toMatchObject({ by: "flow", data: [{ key: "f" }] })
  expect(acme.catalog.listed.at(-1)).toMatchObject({ tag: "x", status: ["failed", "paused"] })
  for (const query of ["by=tag", "by=status,flow", "status=gone", "limit=3", "cursor=x"])
    expect((await ask("GET", `/v1/runs/counts?${query}`)).status, query).toBe(422)
})
