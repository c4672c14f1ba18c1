// A tenant's quotas on runs, and its retention.

import { describe, expect, test } from "vitest"
import type { PinResult } from "../../../src/ports/tenant/catalog.ts"
import { setUp } from "../../support/http/ask.ts"

/** A house whose flow `f` can start. */
function ready() {
  const made = setUp()
  const flow = { id: "f", autonomous: true, task_required: false, inputs: {} }
  const pinned: Extract<PinResult, { ok: true }> = {
    ok: true,
    pins: { revision: 1, flow: { id: "f", hash: "h" }, agents: {}, skills: {}, models: {} },
    flow,
    rehearsed: false,
  }
  made.acme.catalog.pinResult = pinned
  return { ...made, pinned }
}

const limits = { concurrent: { quota: 2, left: 0 }, starts: { quota: 10, left: 8, reset: 41_000 } }

describe("quotas on starts", () => {
  test("[H6] a full quota is 429 with Retry-After and the quotas, and is not stored under the Idempotency-Key", async () => {
    const { ask, acme, pinned } = ready()
    acme.catalog.pinResult = {
      ok: false,
      code: "quota",
      message: "this tenant may have 2 concurrent runs, and it has that many now",
      retry: 1_200,
      limits,
    }
    const headers = { "idempotency-key": "k" }
    const no = await ask("POST", "/v1/flows/f/runs", { body: { task: "x" }, headers })
    expect([no.status, no.body["code"]]).toEqual([429, "quota"])
    expect(no.headers.get("content-type")).toBe("application/problem+json")
    expect(no.headers.get("retry-after")).toBe("2")
    expect(no.headers.get("ratelimit-policy")).toBe('"runs";q=2, "starts";q=10;w=60')
    expect(no.headers.get("ratelimit")).toBe('"runs";r=0, "starts";r=8;t=41')
    acme.catalog.pinResult = pinned
    expect((await ask("POST", "/v1/flows/f/runs", { body: { task: "x" }, headers })).status).toBe(202)
  })

  test("[H6] a start takes a place under its run's id, answers what is left, and gives the place back if it is refused", async () => {
    const { ask, acme, pinned } = ready()
    acme.catalog.pinResult = { ...pinned, limits }
    const yes = await ask("POST", "/v1/flows/f/runs", { body: { task: "x" } })
    expect([yes.status, yes.headers.get("ratelimit")]).toEqual([202, '"runs";r=0, "starts";r=8;t=41'])
    expect(acme.catalog.pinned).toEqual([
      expect.objectContaining({ options: expect.objectContaining({ start: { run: yes.body["id"], kind: "api" } }) }),
    ])
    expect(acme.account.back).toEqual([])
    const bad = await ask("POST", "/v1/flows/f/runs", { body: { task: "x", inputs: { nobody: "knows" } } })
    expect(bad.status).toBe(422)
    expect(acme.account.back).toHaveLength(1)
  })
})

describe("retention", () => {
  test("[H6] is 30 days by default, can be set, and cannot exceed the instance's maximum", async () => {
    const { ask, acme } = setUp()
    expect((await ask("GET", "/v1/settings/retention")).body).toEqual({ runs: "30d" })
    expect((await ask("PUT", "/v1/settings/retention", { body: { runs: "36h" } })).body).toEqual({ runs: "36h" })
    expect(acme.account.retained).toBe(129_600_000)
    const long = await ask("PUT", "/v1/settings/retention", { body: { runs: "400d" } })
    expect([long.status, long.body["detail"]]).toEqual([422, "/runs: exceeds this instance's maximum retention of 365d"])
    for (const runs of ["soon", "0s", -1, null, "10", 999])
      expect((await ask("PUT", "/v1/settings/retention", { body: { runs } })).status).toBe(422)
    expect((await ask("GET", "/v1/settings/retention")).body).toEqual({ runs: "36h" })
  })
})
