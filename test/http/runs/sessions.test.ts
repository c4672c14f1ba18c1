// The routes of sticky sessions [J25], and the name that a start gives.

import { describe, expect, test } from "vitest"
import { setUp } from "../../support/http/ask.ts"

describe("sessions", () => {
  test("[J25] are listed with their agent and id, and deleted once", async () => {
    const { ask, acme } = setUp()
    await acme.sessions.claim({ agent: "a", id: "s1", by: "run_1/agent/1" })
    expect((await ask("GET", "/v1/sessions")).body["data"]).toMatchObject([{ agent: "a", id: "s1", busy: true, runs: 0 }])
    expect((await ask("DELETE", "/v1/sessions/b/s1")).status).toBe(404)
    expect((await ask("DELETE", "/v1/sessions/a/s1")).status).toBe(204)
    expect((await ask("DELETE", "/v1/sessions/a/s1")).status).toBe(404)
    expect((await ask("GET", "/v1/sessions")).body["data"]).toEqual([])
  })

  test("[J25] [H5] a session is read by its agent and id, and only by its tenant; what is wrong with the query counts afterwards", async () => {
    const { ask, acme, services } = setUp()
    await acme.sessions.claim({ agent: "a", id: "s1", by: "run_1/agent/1" })
    expect((await ask("GET", "/v1/sessions/a/s1")).body).toMatchObject({ agent: "a", id: "s1", busy: true, data: [], next_cursor: null })
    for (const query of ["limit=0", "limit=201", "limit=x", "cursor=zzz", "cursor=W10"])
      expect([query, (await ask("GET", `/v1/sessions/a/s1?${query}`)).status]).toEqual([query, 422])
    expect((await ask("GET", "/v1/sessions/a/s2?limit=0")).status).toBe(404)
    expect((await ask("GET", "/v1/sessions/b/s1")).status).toBe(404)
    services.key("stranger", "other", ["runs:read"])
    expect((await ask("GET", "/v1/sessions/a/s1", { key: "stranger" })).status).toBe(404)
    services.key("writer", "acme", ["runs:write"])
    expect((await ask("GET", "/v1/sessions/a/s1", { key: "writer" })).status).toBe(403)
  })

  test("[H1] reading and deleting need their scopes", async () => {
    const { services, ask } = setUp()
    services.key("reader", "acme", ["runs:read"])
    expect((await ask("GET", "/v1/sessions", { key: "reader" })).status).toBe(200)
    expect((await ask("DELETE", "/v1/sessions/a/s1", { key: "reader" })).status).toBe(403)
    services.key("caller", "acme", ["tools:call"])
    expect((await ask("GET", "/v1/sessions", { key: "caller" })).status).toBe(403)
  })

  test("[J25] a tenant sees no sessions of other tenants", async () => {
    const { services, ask, acme } = setUp()
    await acme.sessions.claim({ agent: "a", id: "s1", by: "run_1/agent/1" })
    services.key("stranger", "other", ["runs:read", "runs:write"])
    expect((await ask("GET", "/v1/sessions", { key: "stranger" })).body["data"]).toEqual([])
    expect((await ask("DELETE", "/v1/sessions/a/s1", { key: "stranger" })).status).toBe(404)
  })

  test("[J25] the session that a start names reaches the run", async () => {
    const { ask, acme } = setUp()
    acme.catalog.flow({ id: "f" })
    expect((await ask("POST", "/v1/flows/f/runs", { body: { task: "go", session: "notes-1" } })).status).toBe(202)
    expect([...acme.runs.values()].map((r) => r.request?.session)).toEqual(["notes-1"])
  })

  test.each(["a/b", "..", "", 5, null])("[J25] a start with the session %j is 422", async (session) => {
    const { ask, acme } = setUp()
    acme.catalog.flow({ id: "f" })
    await acme.catalog.put("flow", "f", "x")
    const r = await ask("POST", "/v1/flows/f/runs", { body: { task: "go", session } })
    expect([r.status, JSON.stringify(r.body["errors"])]).toEqual([422, expect.stringContaining("/session")])
  })
})
