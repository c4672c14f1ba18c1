// Callbacks over HTTP [W6]: valid receivers, how they are shown, and the receiver of a start.

import { describe, expect, test } from "vitest"
import { setUp } from "../../support/http/ask.ts"

const GOOD = { url: "https://receiver.example.com/in", secret: "cb" }
const ALL = ["run.succeeded", "run.failed", "run.canceled", "run.waiting"]

async function ready() {
  const all = setUp()
  all.acme.catalog.flow()
  await all.acme.catalog.put("flow", "flows/f.yaml", "x")
  return all
}

describe("a tenant's receivers", () => {
  test("[W6] are created, listed, read and deleted", async () => {
    const { ask } = await ready()
    const made = await ask("POST", "/v1/callbacks", { body: { ...GOOD, events: ["run.failed", "run.failed"] } })
    const row = { id: "cb_0", ...GOOD, events: ["run.failed"], enabled: true, created: "1970-01-01T00:00:01.000Z" }
    expect([made.status, made.headers.get("location"), made.body]).toEqual([201, "/v1/callbacks/cb_0", row])
    expect((await ask("GET", "/v1/callbacks")).body).toEqual({ data: [row], next_cursor: null })
    expect((await ask("GET", "/v1/callbacks/cb_0")).body).toEqual(row)
    expect((await ask("DELETE", "/v1/callbacks/cb_0")).status).toBe(204)
    for (const method of ["GET", "DELETE"]) expect((await ask(method, "/v1/callbacks/cb_0")).status).toBe(404)
  })

  test("[W6] get all events unless they name some", async () => {
    const { ask } = await ready()
    expect((await ask("POST", "/v1/callbacks", { body: GOOD })).body["events"]).toEqual(ALL)
    const wrong = [{ events: [] }, { events: ["run.started"] }, { event: ["run.failed"] }]
    for (const more of wrong) expect((await ask("POST", "/v1/callbacks", { body: { ...GOOD, ...more } })).status).toBe(422)
  })

  test("[W6] [N5] need the scope admin", async () => {
    const { ask, services } = await ready()
    services.key("reader", "acme", ["runs:read", "runs:write"])
    for (const [method, path] of [
      ["POST", "/v1/callbacks"],
      ["GET", "/v1/callbacks"],
      ["GET", "/v1/callback-deliveries"],
      ["POST", "/v1/callback-deliveries/m/redrive"],
    ] as const)
      expect((await ask(method, path, { key: "reader", ...(method === "POST" ? { body: GOOD } : {}) })).status).toBe(403)
  })

  test("[W6] have a maximum number", async () => {
    const { ask, acme } = await ready()
    acme.callbacks.full = true
    expect((await ask("POST", "/v1/callbacks", { body: GOOD })).body["code"]).toBe("too_many_callbacks")
  })
})

describe("what is refused", () => {
  test.each([
    "http://receiver.example.com/",
    "ftp://example.com",
    "file:///etc/passwd",
    "https://user:pass@example.com",
    "https://169.254.169.254/latest",
    "https://10.0.0.1",
    "https://[::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://0xa9fea9fe/",
    "https://metadata.google.internal",
    "https://example.com:22/",
    "http://127.0.0.1:9/",
    "not a url",
    "",
    `https://example.com/${"x".repeat(2_000)}`,
  ])("[W6] the address %j, by its pointer, in a start too", async (url) => {
    const { ask, acme } = await ready()
    const alone = await ask("POST", "/v1/callbacks", { body: { ...GOOD, url } })
    expect([alone.status, alone.body["errors"]]).toEqual([422, [expect.objectContaining({ pointer: "/url" })]])
    const start = await ask("POST", "/v1/flows/f/runs", { body: { callback: { ...GOOD, url } } })
    expect([start.status, start.body["errors"]]).toEqual([422, [expect.objectContaining({ pointer: "/callback/url" })]])
    expect([acme.callbacks.rows, acme.runs.size, acme.catalog.pinned]).toEqual([[], 0, []])
  })

  test("[W6] http is allowed only to exempt hosts, which exist only in local development", async () => {
    const { ask, services } = await ready()
    services.privateHosts = ["127.0.0.1"]
    const status = async (url: string) => (await ask("POST", "/v1/callbacks", { body: { ...GOOD, url } })).status
    expect(await status("http://127.0.0.1:9000/in")).toBe(201)
    expect(await status("http://127.0.0.2:9000/in")).toBe(422)
    expect(await status("http://receiver.example.com/in")).toBe(422)
  })

  test("[W6] a scope that does not exist or cannot sign", async () => {
    const { ask, acme } = await ready()
    acme.callbacks.scopes.set("none", "no_scope").set("plain", "no_key")
    for (const secret of ["none", "plain"]) {
      const r = await ask("POST", "/v1/callbacks", { body: { ...GOOD, secret } })
      expect([r.status, r.body["errors"]]).toEqual([422, [expect.objectContaining({ pointer: "/secret" })]])
      const start = await ask("POST", "/v1/flows/f/runs", { body: { callback: { ...GOOD, secret } } })
      expect(start.body["errors"]).toEqual([expect.objectContaining({ pointer: "/callback/secret" })])
    }
  })

  test("[W6] [S11] an address that contains a secret of the vault", async () => {
    const { ask, acme } = await ready()
    await acme.secrets.put("token", ["CANARY-1234567890"])
    const r = await ask("POST", "/v1/callbacks", { body: { ...GOOD, url: "https://example.com/?key=CANARY-1234567890" } })
    expect([r.status, r.text.includes("CANARY")]).toEqual([422, false])
  })

  test("[W6] [H10] a flow that does not exist is 404, whatever the callback", async () => {
    const { ask } = await ready()
    expect((await ask("POST", "/v1/flows/none/runs", { body: { callback: { url: "x", secret: "cb" } } })).status).toBe(404)
    expect((await ask("POST", "/v1/flows/f/runs", { body: { callback: { ...GOOD, evens: [] } } })).status).toBe(422)
  })
})

describe("a start", () => {
  test("[W6] [J14] passes its receiver on to the run", async () => {
    const { ask, acme } = await ready()
    expect((await ask("POST", "/v1/flows/f/runs", { body: { callback: { ...GOOD, events: ["run.waiting"] } } })).status).toBe(202)
    expect([...acme.runs.values()].map((run) => run.request?.callback)).toEqual([{ ...GOOD, events: ["run.waiting"] }])
  })
})

describe("the log", () => {
  const message = {
    id: "msg_1",
    run: "run_1",
    callback: null,
    url: GOOD.url,
    type: "run.failed",
    status: "dead" as const,
    attempts: 13,
    last_status: 503,
    last_error: "the receiver answered 503",
    created: 2_000,
  }

  test("[W6] [H5] can be filtered by run and status, and has pages", async () => {
    const { ask, acme } = await ready()
    acme.callbacks.sent.push(message)
    const r = await ask("GET", "/v1/callback-deliveries?run=run_1&status=dead&limit=7&cursor=c")
    expect(r.body).toEqual({ data: [{ ...message, created: "1970-01-01T00:00:02.000Z" }], next_cursor: "next" })
    expect(acme.callbacks.asked).toEqual([{ run: "run_1", status: ["dead"], limit: 7, cursor: "c" }])
    for (const bad of ["status=gone", "limit=0", "limit=201", "cursor=foreign"])
      expect((await ask("GET", `/v1/callback-deliveries?${bad}`)).status).toBe(422)
  })

  test("[W6] a dead message is sent again, a delivered one is not, and an unknown one is 404", async () => {
    const { ask, acme } = await ready()
    acme.callbacks.sent.push(message, { ...message, id: "msg_2", status: "delivered" })
    expect((await ask("POST", "/v1/callback-deliveries/msg_1/redrive", { body: {} })).body).toEqual({ id: "msg_1", status: "pending" })
    expect((await ask("POST", "/v1/callback-deliveries/msg_1/redrive")).status).toBe(202)
    expect((await ask("POST", "/v1/callback-deliveries/msg_2/redrive")).body["code"]).toBe("already_delivered")
    expect((await ask("POST", "/v1/callback-deliveries/msg_3/redrive")).status).toBe(404)
    expect((await ask("POST", "/v1/callback-deliveries/msg_3/redrive", { body: { now: true } })).status).toBe(404)
    expect((await ask("POST", "/v1/callback-deliveries/msg_1/redrive", { body: { now: true } })).status).toBe(422)
    expect(acme.callbacks.redriven).toEqual(["msg_1", "msg_1"])
  })
})
