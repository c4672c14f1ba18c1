// Hooks over HTTP [W1–W3]: valid hooks, and the route for deliveries, which needs no key.

import { createHmac } from "node:crypto"
import { describe, expect, test, vi } from "vitest"
import { surface } from "../../../src/http/middleware/body.ts"
import { setUp } from "../../support/http/ask.ts"

const SECRET = "a-secret-of-the-test"
const BODY = JSON.stringify({ action: "opened", title: "TT", n: 7 })
const proof = (body: string | Uint8Array, secret = SECRET) => ({
  "x-signature": createHmac("sha256", secret).update(body).digest("hex"),
  "content-type": "application/json",
})

async function ready(more: Record<string, unknown> = {}) {
  const all = setUp()
  await all.acme.catalog.put("flow", "flows/f.yaml", "x")
  await all.acme.secrets.put("hs", [SECRET])
  all.acme.hooks.secrets = [SECRET]
  const made = await all.ask("POST", "/v1/hooks", { body: { flow: "f", kind: "hmac", secret: "hs", ...more } })
  const id = String(made.body["id"])
  const send = (body: string | Uint8Array, headers: Record<string, string> = proof(body), query = "") =>
    all.ask("POST", `/v1/hooks/${id}${query}`, { key: null, body, headers })
  return { ...all, made, id, send, hooks: all.acme.hooks }
}

describe("writing a hook", () => {
  test("[W1] it is created, listed, read, replaced and deleted", async () => {
    const { ask, made, id } = await ready({ mapping: { task: "${{trigger.body.title}}" }, header: "X-Proof" })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id,
      url: `http://localhost/v1/hooks/${id}`,
      created: "1970-01-01T00:00:01.000Z",
      flow: "f",
      kind: "hmac",
      secret: "hs",
      header: "x-proof",
      mapping: { task: "${{trigger.body.title}}" },
      autonomous: true,
      enabled: true,
    })
    expect((await ask("GET", "/v1/hooks")).body).toEqual({ data: [made.body], next_cursor: null })
    expect((await ask("GET", `/v1/hooks/${id}`)).body).toEqual(made.body)
    const put = await ask("PUT", `/v1/hooks/${id}`, { body: { flow: "f", kind: "token", secret: "hs", autonomous: false } })
    expect([put.status, put.body]).toMatchObject([200, { id, kind: "token", autonomous: false, mapping: {} }])
    expect(put.body["header"]).toBeUndefined()
    expect((await ask("DELETE", `/v1/hooks/${id}`)).status).toBe(204)
    expect((await ask("DELETE", `/v1/hooks/${id}`)).status).toBe(404)
    expect((await ask("GET", `/v1/hooks/${id}`)).status).toBe(404)
  })

  test.each([
    [{ flow: "nope" }, "/flow", undefined],
    [{ flow: "../x" }, "/flow", undefined],
    [{ kind: "smtp" }, "/kind", undefined],
    [{ kind: "githbu" }, "/kind", 'did you mean "github"?'],
    [{ secret: "none" }, "/secret", undefined],
    [{ secret: "__proto__" }, "/secret", undefined],
    [{ flter: "x" }, "/flter", 'did you mean "filter"?'],
    [{ filter: "rm -rf" }, "/filter", expect.any(String)],
    [{ filter: 'a == 1 || b == "2"' }, "/filter", expect.any(String)],
    [{ filter: "trigger.body.a == 1" }, "/filter", "a == 1"],
    [{ filter: 'body.action == "opened"' }, "/filter", 'action == "opened"'],
    [{ mapping: { tsk: "x" } }, "/mapping/tsk", 'did you mean "task"?'],
    [{ mapping: { task: "${{config.x}}" } }, "/mapping/task", expect.any(String)],
    [{ mapping: { inputs: { who: "${{trigger.kind}}" } } }, "/mapping/inputs/who", expect.any(String)],
    [{ dedupe: "${{task}}" }, "/dedupe", expect.any(String)],
    [{ kind: "github", dedupe: "${{trigger.body.id}}" }, "/dedupe", undefined],
    [{ kind: "stripe", header: "x-proof" }, "/header", undefined],
    [{ header: "x proof" }, "/header", undefined],
    [{ budget: { tokens: -1 } }, "/budget/tokens", undefined],
    [{ autonomous: "yes" }, "/autonomous", undefined],
    [{ start: { concurency: {} } }, "/start/concurency", 'did you mean "concurrency"?'],
    [{ start: { concurrency: { pool: "crm" } } }, "/start/concurrency/pool", undefined],
    [{ start: { throttle: { limit: 1 } } }, "/start/throttle/period", undefined],
    [{ start: { debounce: { period: "1s", key: "${{flow.input.a}}" } } }, "/start/debounce/key", expect.any(String)],
    [{ start: { delay: "2026-12-01T09:00:00Z" } }, "/start/delay", undefined],
  ])("[W1] %j is 422 and names the place", async (more, pointer, suggestion) => {
    const { ask, hooks } = await ready()
    const r = await ask("POST", "/v1/hooks", { body: { flow: "f", kind: "hmac", secret: "hs", ...more } })
    const fault = { pointer, ...(suggestion === undefined ? {} : { suggestion }) }
    expect([r.status, r.body["errors"]]).toMatchObject([422, [fault]])
    expect(hooks.stored.size).toBe(1)
  })

  test.each([
    [{ inputs: { whom: "${{trigger.body.who}}", n: 1 } }, "/mapping/inputs/whom", 'did you mean "who"?'],
    [{ inputs: { who: "${{trigger.body.who}}" } }, "/mapping/inputs/n", undefined],
    [{ inputs: { n: "no. ${{trigger.body.n}}" } }, "/mapping/inputs/n", undefined],
    [{ inputs: { n: true } }, "/mapping/inputs/n", undefined],
    [{ task: " ", inputs: { n: 7 } }, "/mapping/task", undefined],
  ])("[W1] %j could never start the flow: 422 names the place", async (mapping, pointer, suggestion) => {
    const { ask, acme, hooks } = await ready()
    const inputs = { n: { type: "number", required: true }, who: { type: "string", required: true, default: "nobody" } }
    acme.catalog.flow({ inputs, task_required: true })
    const r = await ask("POST", "/v1/hooks", { body: { flow: "f", kind: "hmac", secret: "hs", mapping: { task: "go", ...mapping } } })
    expect([r.status, r.body["errors"]]).toMatchObject([422, [{ pointer, ...(suggestion === undefined ? {} : { suggestion }) }]])
    expect(hooks.stored.size).toBe(1)
    const fine = { task: "go", inputs: { n: "${{trigger.body.n}}" } }
    expect((await ask("POST", "/v1/hooks", { body: { flow: "f", kind: "hmac", secret: "hs", mapping: fine } })).status).toBe(201)
  })

  test("[W1] hooks have a maximum number", async () => {
    const { ask, hooks } = await ready()
    hooks.full = true
    expect((await ask("POST", "/v1/hooks", { body: { flow: "f", kind: "hmac", secret: "hs" } })).status).toBe(409)
  })

  test("[H10] hooks need the scope admin, and a hook that does not exist is 404, whatever the body", async () => {
    const { ask, services, id } = await ready()
    services.key("key-r", "acme", ["runs:write", "runs:read"])
    for (const [method, path] of [
      ["GET", ""],
      ["POST", ""],
      ["GET", `/${id}`],
      ["PUT", `/${id}`],
      ["DELETE", `/${id}`],
      ["GET", `/${id}/deliveries`],
    ] as const) {
      expect((await ask(method, `/v1/hooks${path}`, { key: "key-r" })).status, `${method} ${path}`).toBe(403)
      expect((await ask(method, `/v1/hooks${path}`, { key: null })).status, `${method} ${path}`).toBe(401)
    }
    expect((await ask("PUT", "/v1/hooks/unknown", { body: { bad: 1 } })).status).toBe(404)
    expect((await ask("PATCH", `/v1/hooks/${id}`, { key: null })).status).toBe(401)
    expect((await ask("PATCH", `/v1/hooks/${id}`)).headers.get("allow")).toBe("GET, HEAD, PUT, DELETE, POST")
    const [foreign, unknown] = [
      await ask("GET", `/v1/hooks/${id}`, { key: "key-b" }),
      await ask("GET", "/v1/hooks/unknown", { key: "key-b" }),
    ]
    expect(foreign.text.replaceAll(id, "ID")).toBe(unknown.text.replaceAll("unknown", "ID"))
  })
})

describe("a delivery", () => {
  test("[W1] with a valid signature gives the run its task, inputs and payload", async () => {
    const mapping = { task: "${{trigger.body.title}} ${{trigger.query.src}}", inputs: { n: "${{trigger.body.n}}" } }
    const { send, hooks } = await ready({ mapping })
    const r = await send(BODY, { ...proof(BODY), cookie: "CANARY=1", "x-event": "issues" }, "?src=q1")
    expect([r.status, r.body]).toEqual([202, { delivery: "dl_1", run: "run_1", verdict: "accepted" }])
    expect(hooks.delivered).toMatchObject([
      {
        external: null,
        keys: [expect.stringMatching(/^body:/)],
        what: {
          verdict: "accepted",
          task: "TT q1",
          inputs: { n: 7 },
          payload: { headers: { "x-event": "issues", "content-type": "application/json" }, body: JSON.parse(BODY), query: { src: "q1" } },
        },
      },
    ])
    expect(JSON.stringify(hooks.delivered)).not.toMatch(/CANARY|x-signature/)
  })

  test("[W2] without a valid signature is 401: the reason is only in the log", async () => {
    const { send, hooks } = await ready()
    const all = [{}, { ...proof(BODY), "x-signature": "" }, proof(BODY, "another"), proof(`${BODY} `)]
    const texts = new Set<string>()
    for (const headers of all) {
      const r = await send(BODY, headers)
      expect([r.status, r.body["code"]]).toEqual([401, "unproven"])
      expect(r.headers.get("content-type")).toBe("application/problem+json")
      texts.add(r.text)
    }
    expect(texts.size).toBe(1)
    expect(hooks.delivered).toEqual([])
    expect(hooks.refused.map((r) => r.verdict)).toEqual(["rejected", "rejected", "rejected", "rejected"])
    expect(JSON.stringify(hooks.refused)).not.toContain("TT")
  })

  test("[H10] is checked in the order 413, 404, 401, 400", async () => {
    const { ask, send, hooks } = await ready()
    const big = new Uint8Array(1_048_577)
    expect((await ask("POST", "/v1/hooks/unknown", { key: null, body: big })).status).toBe(413)
    expect((await ask("POST", "/v1/hooks/unknown", { key: null, body: "{" })).status).toBe(404)
    expect((await send("{", proof("other"))).status).toBe(401)
    const r = await send("{")
    expect([r.status, r.body["code"]]).toEqual([400, "malformed_json"])
    expect(hooks.refused.map((x) => x.verdict)).toEqual(["rejected", "malformed"])
    expect(hooks.delivered).toEqual([])
  })

  test("[W2] declared JSON must parse and pass the limits, which are checked after the signature", async () => {
    const { send } = await ready()
    const deep = "[".repeat(100) + "]".repeat(100)
    for (const body of ["", "{", deep, '{"n": 1e400}', '{"__proto__": {}}', new Uint8Array([0x22, 0xff, 0x22])])
      expect((await send(body)).status).toBe(400)
  })

  test("[W2] a form becomes an object, anything else is text with U+FFFD", async () => {
    const { send, hooks } = await ready()
    const form = `payload=${encodeURIComponent('{"a":1}')}&b=%20x`
    await send(form, { ...proof(form), "content-type": "application/x-www-form-urlencoded" })
    const bytes = new Uint8Array([0x61, 0xff, 0x62])
    await send(bytes, { ...proof(bytes), "content-type": "text/plain" })
    expect(hooks.delivered.map((d) => d.what.verdict === "accepted" && d.what.payload["body"])).toEqual([
      { payload: { a: 1 }, b: " x" },
      "a\ufffdb",
    ])
  })

  test("[W3] two ids that are one number are two deliveries, and the filter lets one of them through", async () => {
    const { send, hooks } = await ready({
      dedupe: "${{trigger.body.id}}",
      filter: "id != 1790345128833417220",
      mapping: { task: "${{trigger.body.id}}" },
    })
    for (const id of ["1790345128833417219", "1790345128833417220"]) await send(`{"id":${id}}`)
    expect(hooks.delivered).toMatchObject([
      { keys: ["id:1790345128833417219"], what: { verdict: "accepted", payload: { body: { id: "1790345128833417219" } } } },
      { keys: ["id:1790345128833417220"], what: { verdict: "filtered" } },
    ])
  })

  test("[W1] that does not pass the filter is 202 without a run", async () => {
    const { send, hooks } = await ready({ filter: 'action == "closed"' })
    const r = await send(BODY)
    expect([r.status, r.body]).toEqual([202, { delivery: "dl_1", run: null, verdict: "filtered" }])
    expect(hooks.delivered).toMatchObject([{ keys: [expect.any(String)], what: { verdict: "filtered" } }])
    const said = { reason: expect.stringContaining('action == "closed" does not hold: it is "opened"') }
    expect(hooks.delivered).toMatchObject([{ what: { ...said, payload: { body: JSON.parse(BODY) } } }])
  })

  const FORM = new URLSearchParams({ payload: JSON.stringify({ action: "opened", issue: { title: "TT" } }) }).toString()
  const ofGitHub = (body: string) => ({
    "x-hub-signature-256": `sha256=${proof(body)["x-signature"]}`,
    "content-type": "application/x-www-form-urlencoded",
    "x-github-event": "issues",
  })

  test("[W2] GitHub's form, which is its default, is read as the event in it", async () => {
    const mapping = { task: "${{trigger.body.issue.title}}" }
    const { send, hooks } = await ready({ kind: "github", filter: 'action == "opened"', mapping })
    expect((await send(FORM, ofGitHub(FORM))).body).toMatchObject({ verdict: "accepted" })
    const event = { action: "opened", issue: { title: "TT" } }
    expect(hooks.delivered).toMatchObject([{ what: { task: "TT", payload: { body: event } } }])
  })

  test.each([
    { filter: 'payload.action == "opened"' },
    { mapping: { task: "${{trigger.body.payload.issue.title}}" } },
    { mapping: { inputs: { all: "${{ trigger.body.payload }}" } } },
  ])("[W2] a hook that names payload, as in %j, sees the form as it came", async (more) => {
    const { send, hooks } = await ready({ kind: "github", ...more })
    expect((await send(FORM, ofGitHub(FORM))).body).toMatchObject({ verdict: "accepted" })
    expect(hooks.delivered).toMatchObject([{ what: { payload: { body: { payload: { action: "opened" } } } } }])
    expect(hooks.delivered[0]?.what).not.toHaveProperty("missing")
  })

  test("[W2] another sender's form is read as it came", async () => {
    const { send, hooks } = await ready({ filter: "amount > 100" })
    const form = "amount=150&payload=%7B%22a%22%3A1%7D"
    const sent = await send(form, { ...proof(form), "content-type": "application/x-www-form-urlencoded; charset=utf-8" })
    expect(sent.body).toMatchObject({ verdict: "accepted" })
    expect(hooks.delivered).toMatchObject([{ what: { payload: { body: { amount: "150", payload: { a: 1 } } } } }])
  })

  test("[F40] references without a value go with it", async () => {
    const { send, hooks } = await ready({ mapping: { task: "${{trigger.body.title}} by ${{trigger.body.sender.login}}" } })
    await send(BODY)
    expect(hooks.delivered).toMatchObject([{ what: { task: "TT by ", missing: ["trigger.body.sender.login"] } }])
  })

  test("[W3] that arrived before is 200 with its run", async () => {
    const { send, hooks } = await ready()
    hooks.verdict = { verdict: "duplicate", run: "run_0" }
    const r = await send(BODY)
    expect([r.status, r.body]).toMatchObject([200, { run: "run_0", verdict: "duplicate" }])
  })

  test("[W3] that cannot start a run is accepted with the verdict failed", async () => {
    const { send, hooks } = await ready()
    hooks.verdict = { verdict: "failed", run: null }
    expect(await send(BODY)).toMatchObject({ status: 202, body: { run: null, verdict: "failed" } })
  })

  test("[W2] GitHub's ping starts nothing", async () => {
    const { send, hooks } = await ready({ kind: "github" })
    const signature = { "x-hub-signature-256": `sha256=${proof(BODY)["x-signature"]}`, "content-type": "application/json" }
    const r = await send(BODY, { ...signature, "x-github-event": "ping" })
    expect([r.status, r.body]).toMatchObject([200, { run: null, verdict: "ping" }])
    expect(hooks.delivered).toMatchObject([{ keys: [], what: { verdict: "ping" } }])
  })

  test("[W2] Slack's challenge is answered if it is signed", async () => {
    const { send, hooks } = await ready({ kind: "slack" })
    const body = JSON.stringify({ type: "url_verification", challenge: "CH-1" })
    const time = String(Math.floor(Date.now() / 1000))
    const signed = (secret: string) => ({
      "content-type": "application/json",
      "x-slack-request-timestamp": time,
      "x-slack-signature": `v0=${createHmac("sha256", secret).update(`v0:${time}:${body}`).digest("hex")}`,
    })
    const r = await send(body, signed(SECRET))
    expect([r.status, r.body]).toEqual([200, { challenge: "CH-1" }])
    const forged = await send(body, signed("another"))
    expect([forged.status, forged.text.includes("CH-1")]).toEqual([401, false])
    expect(hooks.delivered.map((d) => d.what.verdict)).toEqual(["ping"])
  })

  test("[W1] to a disabled hook is 404", async () => {
    const { send } = await ready({ enabled: false })
    expect((await send(BODY)).status).toBe(404)
  })

  test("[H4] ignores an Idempotency-Key", async () => {
    const { send, hooks } = await ready()
    for (const _ of [1, 2])
      expect((await send(BODY, { ...proof(BODY), "idempotency-key": "k" })).headers.get("idempotent-replayed")).toBeNull()
    expect(hooks.delivered.length).toBe(2)
  })
})

describe("the log", () => {
  test("[W3] lists deliveries; a foreign cursor and a bad limit are 422", async () => {
    const { ask, id, hooks } = await ready()
    const row = {
      id: "dl_1",
      external_id: "x",
      verdict: "accepted",
      reason: null,
      run: "run_1",
      duplicates: 2,
      redelivery_of: null,
    } as const
    hooks.rows = [{ ...row, at: 1_000 }]
    const list = await ask("GET", `/v1/hooks/${id}/deliveries`)
    expect(list.body).toEqual({ data: [{ ...row, at: "1970-01-01T00:00:01.000Z" }], next_cursor: null })
    hooks.rows = [{ ...row, verdict: "filtered", reason: `it is "${SECRET}"`, at: 1_000 }]
    expect((await ask("GET", `/v1/hooks/${id}/deliveries`)).text).not.toContain(SECRET)
    expect((await ask("GET", `/v1/hooks/${id}/deliveries?cursor=foreign`)).status).toBe(422)
    expect((await ask("GET", `/v1/hooks/${id}/deliveries?limit=0`)).status).toBe(422)
    expect((await ask("GET", "/v1/hooks/unknown/deliveries?limit=0")).status).toBe(404)
  })

  test("[W3] a redelivery is 202 with a new run, 409 without a stored payload, 404 for an unknown delivery", async () => {
    const { ask, id, hooks } = await ready()
    const again = () => ask("POST", `/v1/hooks/${id}/deliveries/dl_1/redeliver`, { body: {} })
    expect((await again()).status).toBe(404)
    hooks.again = "refused"
    expect([(await again()).status, (await again()).body["code"]]).toEqual([409, "not_redeliverable"])
    const more = () => ask("POST", `/v1/hooks/${id}/deliveries/dl_1/redeliver`, { body: { run: "x" } })
    expect((await more()).status).toBe(404)
    hooks.rows = [
      { id: "dl_1", at: 1, external_id: null, verdict: "accepted", reason: null, run: null, duplicates: 0, redelivery_of: null },
    ]
    expect(await more()).toMatchObject({ status: 422, body: { errors: [{ pointer: "/run" }] } })
    hooks.again = { delivery: "dl_2", run: "run_2", verdict: "accepted" }
    expect(await again()).toMatchObject({ status: 202, body: { delivery: "dl_2", run: "run_2" } })
  })
})

test("[N4] large deliveries that arrive together are read in turns", async () => {
  const { send } = await ready()
  const body = JSON.stringify({ text: Array.from({ length: 100_000 }, (_, n) => n) })
  const rests = vi.spyOn(globalThis, "setTimeout")
  try {
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(body)))
    expect(answers.map((answer) => answer.status)).toContain(202)
    expect(rests.mock.calls.length).toBeGreaterThanOrEqual(8)
  } finally {
    rests.mockRestore()
  }
})

test("[H3] a large body of plain numbers is looked through without an entry for each", async () => {
  const entries = vi.spyOn(Object, "entries")
  try {
    expect(surface({ list: Array.from({ length: 10_000 }, (_, n) => n) })).toBeUndefined()
    expect(entries.mock.calls.length).toBe(1)
    expect(surface({ list: [1, [2, Number.POSITIVE_INFINITY]] })).toEqual({ pointer: "/list/1/1", message: "is too large for a number" })
  } finally {
    entries.mockRestore()
  }
})
