// The architect over HTTP: valid tasks, the scopes that they need, and how sessions and refusals are shown.

import { describe, expect, test } from "vitest"
import type { AcceptResult } from "../../../src/ports/tenant/authoring/architect.ts"
import { runId, setUp } from "../../support/http/ask.ts"

const ID = runId("session")
const withArchitect = () => {
  const setup = setUp()
  setup.acme.catalog.flow({ id: "@subagent/flow-architect" })
  return { ...setup, architect: setup.acme.architect }
}
/** A session whose run has succeeded. */
const ready = () => {
  const setup = withArchitect()
  setup.architect.add(ID)
  setup.acme.run(ID).begin("@subagent/flow-architect", { status: "succeeded", ended: "2026-01-01T00:00:01.000Z" })
  return setup
}
const error = { code: "FV-NAME", line: 4, severity: "error", message: "bad" } as const

describe("POST /v1/architect", () => {
  test("[H9] a task starts a run of the architect whose writes are staged under the run's id", async () => {
    const { ask, acme, architect } = withArchitect()
    const r = await ask("POST", "/v1/architect", { body: { task: "a flow for mail" } })
    const id = String(r.body["id"])
    expect([r.status, r.body, r.headers.get("location")]).toMatchObject([
      202,
      { status: "working", run: id, iteration: 1, urls: { self: `/v1/architect/${id}`, accept: `/v1/architect/${id}/accept` } },
      `/v1/architect/${id}`,
    ])
    expect(architect.opened).toEqual([{ id, task: "a flow for mail" }])
    expect(acme.catalog.pinned).toMatchObject([{ target: { agent: "flow-architect" }, options: { rehearse: false, autonomous: true } }])
    expect(acme.run(id).request).toMatchObject({ staging: id, autonomous: true, task: "the architect's task" })
  })

  test("[H9] Prefer: wait answers the session if the run has ended, otherwise 202", async () => {
    const { ask, acme, architect } = withArchitect()
    const id = await acme.runId()
    acme.next = 0
    architect.add(id)
    const r = await ask("POST", "/v1/architect", { body: { task: "t" }, headers: { prefer: "wait=5" } })
    expect([r.status, r.body["status"], r.headers.get("preference-applied")]).toEqual([200, "ready", "wait=5"])
    acme.run(await acme.runId()).settles = {}
    acme.next = 1
    expect((await ask("POST", "/v1/architect", { body: { task: "t" }, headers: { prefer: "wait=5" } })).status).toBe(202)
  })

  test("[F72] a change names its flow", async () => {
    const { ask, architect } = withArchitect()
    await ask("POST", "/v1/architect", { body: { flow: "legal:nda", change: "shorter" } })
    expect(architect.opened).toMatchObject([{ task: "shorter", flow: "legal:nda" }])
    architect.openResult = { ok: false, code: "no_flow" }
    const r = await ask("POST", "/v1/architect", { body: { flow: "gone", change: "shorter" } })
    expect([r.status, r.body["errors"]]).toMatchObject([422, [{ pointer: "/flow" }]])
  })

  test.each([
    {},
    { task: "" },
    { task: "   " },
    { task: 5 },
    { flow: "f" },
    { change: "c" },
    { task: "t", change: "c" },
    { task: "t", flow: "f" },
    { task: "t", flow: "f", change: "c" },
    { flow: "../f", change: "c" },
    { task: "t", model: "x" },
    { task: "x".repeat(50_001) },
  ])("[H3] %j is 422 and starts nothing", async (body) => {
    const { ask, architect, acme } = withArchitect()
    expect((await ask("POST", "/v1/architect", { body })).status).toBe(422)
    expect([architect.opened, acme.runs.size]).toEqual([[], 0])
  })

  test("[H1] it needs both scopes, catalog:write and runs:write", async () => {
    const { ask, services, architect } = ready()
    services.key("writer", "acme", ["catalog:write", "catalog:read"])
    services.key("runner", "acme", ["runs:write", "runs:read"])
    for (const key of ["writer", "runner"]) {
      expect((await ask("POST", "/v1/architect", { key, body: { task: "t" } })).status).toBe(403)
      expect((await ask("POST", `/v1/architect/${ID}/revise`, { key, body: { notes: "n" } })).status).toBe(403)
    }
    expect((await ask("POST", `/v1/architect/${ID}/accept`, { key: "runner" })).status).toBe(403)
    expect((await ask("GET", `/v1/architect/${ID}`, { key: "runner" })).status).toBe(403)
    expect([architect.opened, architect.revised, architect.accepted]).toEqual([[], [], []])
  })

  test("[H3] too many open sessions are 409; an architect that cannot run is 422", async () => {
    const { ask, acme, architect } = withArchitect()
    architect.openResult = { ok: false, code: "too_many" }
    expect((await ask("POST", "/v1/architect", { body: { task: "t" } })).body).toMatchObject({ status: 409, code: "too_many_sessions" })
    acme.catalog.pinResult = { ok: false, code: "no_model", message: "no model", diagnostics: [] }
    expect((await ask("POST", "/v1/architect", { body: { task: "t" } })).body).toMatchObject({ status: 422, code: "no_model" })
    expect(acme.runs.size).toBe(0)
  })

  test("[H4] an Idempotency-Key that started another run opens no session", async () => {
    const { ask, acme, architect } = withArchitect()
    acme.run(await acme.runId("old")).begin("other", { ended: "2026-01-01T00:00:01.000Z" })
    const r = await ask("POST", "/v1/architect", { body: { task: "t" }, headers: { "idempotency-key": "old" } })
    expect([r.status, r.body["code"], architect.opened]).toEqual([422, "idempotency_mismatch", []])
  })
})

describe("GET /v1/architect", () => {
  test("[H5] a session is shown with its diff and an ETag", async () => {
    const { ask } = ready()
    const r = await ask("GET", `/v1/architect/${ID}`)
    expect([r.status, r.headers.get("etag")]).toEqual([200, '"cd"'])
    expect(r.body).toMatchObject({
      id: ID,
      status: "ready",
      task: "make it",
      flow: "f",
      iteration: 1,
      run: ID,
      valid: true,
      files: [{ path: "flows/f.yaml", change: "added", diagnostics: [] }],
      diff: { "flows/f.yaml": expect.stringContaining("+name: f") },
      created: "2023-11-14T22:13:20.000Z",
    })
  })

  test("[F34] its status follows its run until a person decides", async () => {
    const { ask, acme, architect } = ready()
    const status = async () => (await ask("GET", `/v1/architect/${ID}`)).body["status"]
    const seen: unknown[] = []
    for (const run of ["queued", "running", "waiting", "paused", "succeeded", "failed", "canceled"] as const) {
      acme.run(ID).begin("f", { status: run })
      seen.push(await status())
    }
    expect(seen).toEqual(["working", "working", "working", "working", "ready", "failed", "failed"])
    acme.run(ID).view_ = undefined
    expect(await status()).toBe("failed")
    acme.run(ID).begin("f", { status: "succeeded" })
    architect.add(ID, { files: [], diff: {} })
    expect((await ask("GET", `/v1/architect/${ID}`)).body).toMatchObject({
      status: "failed",
      valid: false,
      error: { message: expect.any(String) },
    })
    architect.add(ID, { state: "accepted", revision: 8 })
    expect((await ask("GET", `/v1/architect/${ID}`)).body).toMatchObject({ status: "accepted", revision: 8 })
  })

  test("[F73] a file with an error makes the session invalid, and a file that has moved shows both hashes", async () => {
    const { ask, architect } = ready()
    const file = { path: "flows/f.yaml", kind: "flow", id: "f", change: "changed", hash: "ab", diagnostics: [error] } as const
    architect.add(ID, { files: [{ ...file, moved: { base: "1", current: null } }] })
    const { body } = await ask("GET", `/v1/architect/${ID}`)
    expect(body).toMatchObject({ valid: false, files: [{ diagnostics: [error], moved: { base: "1", current: null } }] })
  })

  test("[H2] another tenant's, a malformed and an unknown id are the same 404 on every route", async () => {
    const { ask } = ready()
    for (const [method, more, body] of [
      ["GET", "", undefined],
      ["DELETE", "", undefined],
      ["POST", "/accept", {}],
      ["POST", "/revise", { notes: 5 }],
    ] as const) {
      const answers = await Promise.all([
        ask(method, `/v1/architect/${ID}${more}`, { key: "key-b", body }),
        ask(method, `/v1/architect/nonsense${more}`, { body }),
        ask(method, `/v1/architect/${runId("unknown")}${more}`, { body }),
      ])
      expect(answers.map((r) => [r.status, { ...r.body, instance: "" }])).toEqual(
        answers.map(() => [404, { ...answers[0].body, instance: "" }]),
      )
    }
  })

  test("[H5] the list has a row for each session, without files", async () => {
    const { ask, architect } = withArchitect()
    const { files: _f, diff: _d, tag: _t, ...session } = architect.add(ID)
    architect.rows = [
      { ...session, files: 1, runStatus: "succeeded" },
      { ...session, id: runId("b"), files: 0 },
    ]
    const { body } = await ask("GET", "/v1/architect")
    expect(body).toMatchObject({
      data: [
        { id: ID, status: "ready", files: 1 },
        { status: "working", files: 0 },
      ],
      next_cursor: null,
    })
    for (const query of ["limit=0", "limit=201", "cursor=foreign"]) expect((await ask("GET", `/v1/architect?${query}`)).status).toBe(422)
  })
})

describe("POST /v1/architect/:session/accept", () => {
  test("[F71] answers the new revision", async () => {
    const { ask, architect } = ready()
    const r = await ask("POST", `/v1/architect/${ID}/accept`, { body: {} })
    expect([r.status, r.body]).toEqual([200, { id: ID, status: "accepted", revision: 8, paths: ["flows/f.yaml"] }])
    expect(architect.accepted).toEqual([[ID, { run: ID }]])
  })

  test("[F73] If-Match accepts only the version that the caller saw", async () => {
    const { ask, architect } = ready()
    architect.acceptResult = { ok: false, code: "stale", tag: "ef" }
    const r = await ask("POST", `/v1/architect/${ID}/accept`, { headers: { "if-match": '"cd"' } })
    expect([r.status, r.headers.get("etag"), architect.accepted]).toEqual([412, '"ef"', [[ID, { run: ID, ifMatch: "cd" }]]])
    expect((await ask("POST", `/v1/architect/${ID}/accept`, { headers: { "if-match": "nonsense" } })).status).toBe(422)
  })

  test.each([
    [{ ok: false, code: "not_found" }, 404, "not_found"],
    [{ ok: false, code: "discarded" }, 409, "session_over"],
    [{ ok: false, code: "other_run" }, 409, "architect_working"],
    [{ ok: false, code: "nothing" }, 409, "architect_not_ready"],
    [{ ok: false, code: "moved", moved: [{ path: "flows/f.yaml", base: "1", current: "2" }] }, 409, "catalog_moved"],
    [{ ok: false, code: "invalid", diagnostics: { "flows/f.yaml": [error] } }, 422, "not_written"],
  ] as const)("[F73] %j is refused", async (result: AcceptResult, status, code) => {
    const { ask, architect } = ready()
    architect.acceptResult = result
    const r = await ask("POST", `/v1/architect/${ID}/accept`)
    expect([r.status, r.body["code"]]).toEqual([status, code])
    if (code === "catalog_moved") expect(r.body["changed"]).toEqual([{ path: "flows/f.yaml", base: "1", current: "2" }])
    if (code === "not_written") expect(r.body["diagnostics"]).toEqual({ "flows/f.yaml": [error] })
  })

  test("[F34] a session that is working or has failed cannot be accepted", async () => {
    const { ask, acme, architect } = ready()
    acme.run(ID).begin("f")
    expect((await ask("POST", `/v1/architect/${ID}/accept`)).body["code"]).toBe("architect_working")
    acme.run(ID).begin("f", { status: "failed", ended: "2026-01-01T00:00:01.000Z" })
    expect((await ask("POST", `/v1/architect/${ID}/accept`)).body["code"]).toBe("architect_not_ready")
    expect(architect.accepted).toEqual([])
  })
})

describe("revising and discarding", () => {
  test("[H9] revise starts another run for the same session", async () => {
    const { ask, acme, architect } = ready()
    const r = await ask("POST", `/v1/architect/${ID}/revise`, { body: { notes: "shorter" } })
    const next = String(r.body["run"])
    expect([r.status, r.body]).toMatchObject([202, { id: ID, status: "working", iteration: 2 }])
    expect(architect.revised).toEqual([[ID, { run: ID, next, notes: "shorter", fresh: false }]])
    expect(acme.run(next).request).toMatchObject({ staging: ID, task: "the revised task", run: next })
  })

  test.each([{}, { notes: "" }, { notes: 5 }, { notes: "n", fresh: "yes" }, { note: "n" }])("[H3] revise with %j is 422", async (body) => {
    const { ask, architect } = ready()
    expect((await ask("POST", `/v1/architect/${ID}/revise`, { body })).status).toBe(422)
    expect(architect.revised).toEqual([])
  })

  test("[F34] a session cannot be revised while the architect works or after it is over", async () => {
    const { ask, acme, architect } = ready()
    const codes: unknown[] = []
    const revise = async () => codes.push((await ask("POST", `/v1/architect/${ID}/revise`, { body: { notes: "n" } })).body["code"])
    for (const code of ["accepted", "discarded", "other_run", "not_found"] as const) {
      architect.reviseResult = { ok: false, code }
      await revise()
    }
    const asked = architect.revised.length
    acme.run(ID).begin("f")
    await revise()
    expect(codes).toEqual(["session_over", "session_over", "architect_working", "not_found", "architect_working"])
    expect(architect.revised).toHaveLength(asked)
  })

  test("[F34] discarding a session cancels its run; an accepted session cannot be discarded", async () => {
    const { ask, acme, architect } = withArchitect()
    architect.add(ID)
    acme.run(ID).begin("f")
    expect((await ask("DELETE", `/v1/architect/${ID}`)).status).toBe(204)
    expect(acme.run(ID).view_?.status).toBe("canceled")
    architect.discardResult = "accepted"
    expect((await ask("DELETE", `/v1/architect/${ID}`)).body["code"]).toBe("session_over")
  })
})
