// The routes of bulks [R42–R45]: what a request may say, the scopes that it needs, and its answers.

import { describe, expect, test } from "vitest"
import { runId, setUp } from "../../support/http/ask.ts"
import { BULK } from "../../support/http/fake-bulks.ts"

const RUN = runId("a")
const filter = { status: "failed" }

describe("a bulk is asked for", () => {
  test("[R42] by a filter with the names and forms of the list's query, or by runs", async () => {
    const { ask, acme } = setUp()
    const given = { flow: "support:*", status: "failed,canceled", q: "Zo\u00eb", hook: "h", api_key: "ci", since: "2026-01-01" }
    const r = await ask("POST", "/v1/bulk", { body: { action: "again", filter: given, most: 5, again: { tags: ["t"] } } })
    expect([r.status, r.body]).toEqual([202, { id: BULK.id, action: "again", count: 2 }])
    expect(r.headers.get("location")).toContain(`/v1/bulk/${BULK.id}`)
    await ask("POST", "/v1/bulk", { body: { action: "fork", runs: [RUN], fork: { from: "failed" } } })
    expect(acme.bulks.asked).toMatchObject([
      {
        order: { action: "again", again: { tags: ["t"] } },
        runs: {
          filter: {
            flow: ["support:*"],
            status: ["failed", "canceled"],
            q: ["zoe"],
            hook: "h",
            apiKey: "ci",
            createdAfter: Date.UTC(2026, 0, 1),
          },
        },
        most: 5,
      },
      { order: { action: "fork", fork: { from: "failed" } }, runs: { runs: [RUN] }, most: 1_000 },
    ])
  })

  test("[R43] `check` counts, and begins nothing", async () => {
    const { ask, acme } = setUp()
    const { status, body } = await ask("POST", "/v1/bulk?check=1", { body: { action: "delete", filter } })
    expect([status, body]).toEqual([
      200,
      { action: "delete", count: 2, complete: true, effects: { live: 1, staged: 1, dry: 0 }, runs: ["run_a"] },
    ])
    expect(acme.bulks.asked).toEqual([{ runs: { filter: { status: ["failed"] } } }])
  })

  test.each([
    [{}, "/action"],
    [{ action: "pause", filter }, "/action"],
    [{ action: "cancel" }, ""],
    [{ action: "cancel", filter, runs: [RUN] }, ""],
    [{ action: "cancel", filter: {} }, "/filter"],
    [{ action: "cancel", filter: { children: "1" } }, "/filter/children"],
    [{ action: "cancel", filter: { parent: RUN } }, "/filter/parent"],
    [{ action: "cancel", filter: { status: "done" } }, "/filter/status"],
    [{ action: "cancel", filter: { since: "soon" } }, "/filter/since"],
    [{ action: "cancel", filter: { q: " " } }, "/filter/q"],
    [{ action: "cancel", filter: { q: "x".repeat(201) } }, "/filter/q"],
    [{ action: "cancel", runs: [] }, "/runs"],
    [{ action: "cancel", runs: Array(1_001).fill(RUN) }, "/runs"],
    [{ action: "cancel", runs: [RUN, "run_x"] }, "/runs/1"],
    [{ action: "cancel", filter, most: 0 }, "/most"],
    [{ action: "cancel", filter, most: 10_001 }, "/most"],
    [{ action: "cancel", filter, again: {} }, "/again"],
    [{ action: "again", filter, fork: {} }, "/fork"],
    [{ action: "again", filter, again: { from: {} } }, "/again/from"],
    [{ action: "fork", filter, fork: { from: { seq: 3 } } }, "/fork/from"],
    [{ action: "fork", filter, fork: { from: "first" } }, "/fork/from"],
  ])("[R42] %j is 422 at %s", async (body, pointer) => {
    const { ask, acme } = setUp()
    const r = await ask("POST", "/v1/bulk", { body })
    const errors = r.body["errors"] as { pointer: string }[]
    expect([r.status, errors.some((fault) => fault.pointer.startsWith(pointer))], JSON.stringify(errors)).toEqual([422, true])
    expect(acme.bulks.asked).toEqual([])
  })

  test("[R43] more runs than `most` are 422 with the count; too much to look at is 422; five under way are 429", async () => {
    const { ask, acme } = setUp()
    const refused = async (result: typeof acme.bulks.result) => {
      acme.bulks.result = result
      return ask("POST", "/v1/bulk", { body: { action: "cancel", filter } })
    }
    const many = await refused({ ok: false, code: "too_many", count: 1_240 })
    expect([many.status, many.body]).toMatchObject([422, { count: 1_240, errors: [{ pointer: "/most" }] }])
    expect((await refused({ ok: false, code: "too_wide" })).body).toMatchObject({ status: 422, errors: [{ pointer: "/filter" }] })
    const busy = await refused({ ok: false, code: "busy" })
    expect([busy.status, busy.body["code"], busy.headers.get("retry-after")]).toEqual([429, "quota", "30"])
  })

  test("[K7] who may not do a thing may not do it by a bulk; words need the scope to read", async () => {
    const { ask, services } = setUp()
    services.key("writer", "acme", ["runs:write"])
    const as = async (key: string, body: object) => (await ask("POST", "/v1/bulk", { key, body })).status
    expect(await as("writer", { action: "cancel", filter })).toBe(202)
    expect(await as("writer", { action: "cancel", filter: { q: "secret" } })).toBe(403)
    expect(await as("writer", { action: "fork", filter, fork: { patch: { revision: 3 } } })).toBe(403)
    services.key("reader", "acme", ["runs:read"])
    expect(await as("reader", { action: "cancel", filter })).toBe(403)
  })
})

describe("its progress", () => {
  test("[R45] the list, a bulk, its runs; a stop", async () => {
    const { ask } = setUp()
    const shown = { ...BULK, created: "1970-01-01T00:00:01.000Z" }
    expect((await ask("GET", "/v1/bulk")).body).toEqual({ data: [shown], next_cursor: null })
    expect((await ask("GET", "/v1/bulk/bulk_1")).body).toEqual(shown)
    expect((await ask("GET", "/v1/bulk/bulk_1/items?outcome=done,failed")).body).toEqual({
      data: [{ run: "run_a", outcome: "done", new: "run_b" }],
      next_cursor: null,
    })
    expect((await ask("POST", "/v1/bulk/bulk_1/stop")).body).toEqual({ ...shown, status: "stopped" })
  })

  test("[H10] an unknown bulk is 404, whatever else is wrong; a bad parameter names itself", async () => {
    const { ask } = setUp()
    for (const [method, path] of [
      ["GET", "/v1/bulk/bulk_0"],
      ["GET", "/v1/bulk/bulk_0/items?limit=0"],
      ["GET", "/v1/bulk/bulk_0/items?outcome=odd"],
      ["POST", "/v1/bulk/bulk_0/stop"],
    ] as const)
      expect((await ask(method, path)).status, path).toBe(404)
    for (const bad of ["limit=0", "limit=201", "cursor=foreign", "outcome=odd"])
      expect((await ask("GET", `/v1/bulk/bulk_1/items?${bad}`)).body["errors"], bad).toMatchObject([{ pointer: `?${bad.split("=")[0]}` }])
    for (const bad of ["limit=0", "cursor=foreign", "status=done"]) expect((await ask("GET", `/v1/bulk?${bad}`)).status, bad).toBe(422)
  })
})
