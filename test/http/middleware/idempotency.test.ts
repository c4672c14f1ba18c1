// Idempotency-Key on every POST [H4].

import { describe, expect, test, vi } from "vitest"
import { runId, setUp } from "../../support/http/ask.ts"

async function ready() {
  const all = setUp()
  all.acme.catalog.flow()
  await all.acme.catalog.put("flow", "flows/f.yaml", "x")
  const start = (body: unknown, headers: Record<string, string> = { "idempotency-key": "k1" }) =>
    all.ask("POST", "/v1/flows/f/runs", { body, headers })
  const started = () => [...all.acme.runs.values()].reduce((sum, run) => sum + run.starts, 0)
  return { ...all, start, started }
}

describe("[H4] the same key", () => {
  test("[H4] and the same request give the first answer again, marked, and no second run", async () => {
    const { start, started } = await ready()
    const first = await start({ task: "go" })
    const again = await start({ task: "go" })
    expect([again.status, again.text]).toEqual([first.status, first.text])
    expect(again.headers.get("location")).toBe(first.headers.get("location"))
    expect([first.headers.get("idempotent-replayed"), again.headers.get("idempotent-replayed")]).toEqual([null, "true"])
    expect(again.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"))
    expect(started()).toBe(1)
  })

  test("[H4] the run's id is derived from the key", async () => {
    const { start, acme } = await ready()
    expect((await start({ task: "go" })).body["id"]).toBe(await acme.runId("k1"))
  })

  test("[H4] and another body, path, query or route are 422", async () => {
    const { start, ask, started } = await ready()
    const headers = { "idempotency-key": "k1" }
    await start({ task: "go" })
    expect((await start({ task: "other" })).body["code"]).toBe("idempotency_mismatch")
    expect((await ask("POST", "/v1/flows/f/runs?x=1", { body: { task: "go" }, headers })).status).toBe(422)
    expect((await ask("POST", "/v1/validate", { body: { task: "go" }, headers })).status).toBe(422)
    expect(started()).toBe(1)
  })

  test("[H4] while the first request is in progress is 409 with Retry-After", async () => {
    const { start, acme } = await ready()
    let finish = () => {}
    const gate = new Promise<void>((resolve) => (finish = resolve))
    const run = acme.run(await acme.runId("k1"))
    const begin = run.start.bind(run)
    run.start = async (request) => {
      await gate
      return begin(request)
    }
    const first = start({ task: "go" })
    await vi.waitFor(() => expect(acme.keys.get("k1")?.record).toBeDefined(), { timeout: 30_000 })
    const second = await start({ task: "go" })
    expect([second.status, second.body["code"], second.headers.get("retry-after")]).toEqual([409, "idempotency_busy", "1"])
    finish()
    expect((await first).status).toBe(202)
  })

  test("[H4] is another key in another tenant", async () => {
    const { start, services, ask } = await ready()
    services.of("other").catalog.flow()
    await start({ task: "go" })
    const r = await ask("POST", "/v1/flows/f/runs", { key: "key-b", body: { task: "other" }, headers: { "idempotency-key": "k1" } })
    expect([r.status, r.headers.get("idempotent-replayed")]).toEqual([202, null])
  })

  test("[H4] that started an older run with another task is a mismatch, even if its record is gone", async () => {
    const { start, acme } = await ready()
    await start({ task: "go" })
    acme.keys.clear()
    expect((await start({ task: "go" })).status).toBe(202)
    acme.keys.clear()
    expect((await start({ task: "other" })).body["code"]).toBe("idempotency_mismatch")
  })
})

describe("[H4] stored answers", () => {
  test("[H4] a refusal is not stored: the same request is taken once its cause is mended", async () => {
    const { start, acme } = await ready()
    const pin = acme.catalog.pin.bind(acme.catalog)
    for (const code of ["not_found", "invalid_flow"] as const) {
      acme.catalog.pin = async () => ({ ok: false, code, message: "mend it", diagnostics: [] })
      const refused = await start({ task: "go" })
      expect([refused.status >= 400, refused.headers.get("idempotent-replayed")]).toEqual([true, null])
    }
    acme.catalog.pin = pin
    const taken = await start({ task: "go" })
    expect([taken.status, taken.headers.get("idempotent-replayed")]).toEqual([202, null])
    expect((await start({ task: "go" })).headers.get("idempotent-replayed")).toBe("true")
  })

  test("[H4] a 409 is not stored: a later attempt counts as the first", async () => {
    const { acme, ask } = await ready()
    const run = acme.run(runId("x")).begin()
    const steer = () =>
      ask("POST", `/v1/runs/${runId("x")}/steps/a/steer`, { body: { message: "left" }, headers: { "idempotency-key": "s" } })
    run.steer = async () => ({ ok: false, code: "not_running" })
    expect((await steer()).status).toBe(409)
    run.steer = async () => ({ ok: true, id: "s9" })
    const later = await steer()
    expect([later.status, later.headers.get("idempotent-replayed")]).toEqual([202, null])
  })

  test("[H4] a 500 is not stored", async () => {
    const { start, acme } = await ready()
    vi.spyOn(console, "error").mockImplementation(() => {})
    const pin = acme.catalog.pin.bind(acme.catalog)
    acme.catalog.pin = () => Promise.reject(new Error("down"))
    expect((await start({ task: "go" })).status).toBe(500)
    acme.catalog.pin = pin
    expect((await start({ task: "go" })).status).toBe(202)
    vi.restoreAllMocks()
  })

  test("[H4] a stream is stored as its 202", async () => {
    const { start } = await ready()
    const headers = { "idempotency-key": "k1", accept: "text/event-stream" }
    expect((await start({ task: "go" }, headers)).headers.get("content-type")).toBe("text/event-stream")
    const again = await start({ task: "go" }, headers)
    expect([again.status, again.headers.get("content-type"), again.headers.get("idempotent-replayed")]).toEqual([
      202,
      "application/json",
      "true",
    ])
    expect(again.headers.get("location")).toBe(`/v1/runs/${String(again.body["id"])}`)
  })

  test("[H4] an answer too large for a row is stored as its 202", async () => {
    const { start, acme } = await ready()
    acme.run(await acme.runId("k1")).settles = { status: "succeeded", ended: "2026-01-01T00:00:01.000Z", output: "x".repeat(1_100_000) }
    const headers = { "idempotency-key": "k1", prefer: "wait=1" }
    expect((await start({ task: "go" }, headers)).status).toBe(200)
    expect((await start({ task: "go" }, headers)).status).toBe(202)
  })
})

describe("[H4] the header", () => {
  test.each(["", "x".repeat(256), "tab\there", "é"])("[H4] %j is 422", async (key) => {
    const { start, started } = await ready()
    expect((await start({ task: "go" }, { "idempotency-key": key })).status).toBe(422)
    expect(started()).toBe(0)
  })

  test("[H4] has no effect on GET and PUT", async () => {
    const { ask, acme } = await ready()
    await ask("GET", "/v1/runs", { headers: { "idempotency-key": "k1" } })
    await ask("PUT", "/v1/agents/a", { body: "x", headers: { "idempotency-key": "k1" } })
    expect(acme.keys.size).toBe(0)
  })

  test("[H10] is checked after key, path, method and scope", async () => {
    const { services, ask, acme } = await ready()
    services.key("none", "acme", [])
    expect((await ask("POST", "/v1/validate", { key: "none", headers: { "idempotency-key": "k1" } })).status).toBe(403)
    expect(acme.keys.size).toBe(0)
  })
})
