// Runs, their events, their questions, their files [E4] [H5] [Q2] [J24].

import type { RunFilter } from "../../../src/ports/tenant/run-list.ts"
import { describe, expect, test } from "vitest"
import type { RunEvent } from "../../../src/core/run/event.ts"
import type { InteractionView } from "../../../src/core/run/views/view.ts"
import { runId, setUp } from "../../support/http/ask.ts"
import { RUN_ROW } from "../../support/http/fake-services.ts"

const ID = runId("r")
const SSE = { accept: "text/event-stream" }

function ready() {
  const all = setUp()
  const run = all.acme.run(ID).begin()
  const get = (end: string, headers: Record<string, string> = {}) => all.ask("GET", `/v1/runs/${ID}${end}`, { headers })
  const post = (end: string, body?: unknown) => all.ask("POST", `/v1/runs/${ID}${end}`, { body })
  return { ...all, run, get, post }
}

const event = (seq: number): RunEvent => ({ seq, at: 0, v: 1, prev: "0".repeat(64), type: "run.waiting", reason: "interaction" })
const asked: InteractionView = {
  id: "i1",
  run: ID,
  kind: "ask_user",
  status: "pending",
  step: "a",
  payload: {},
  schema: {},
  created: "2026-01-01T00:00:00.000Z",
}

describe("list, read, cancel", () => {
  test("[H5] the list passes filters on and answers a page with a cursor", async () => {
    const { ask, acme } = ready()
    const r = await ask("GET", "/v1/runs?limit=200&cursor=c1&flow=f,g:h&status=failed,canceled")
    expect([r.status, r.body]).toMatchObject([200, { data: [RUN_ROW], next_cursor: "c2" }])
    await ask("GET", "/v1/runs?tag=a,b&trigger=api,child&created_after=2026-01-01T00:00:00Z&created_before=2026-01-02T00:00:00.000Z")
    await ask("GET", "/v1/runs")
    await ask("GET", `/v1/runs?children=1&parent=${ID}&session=desk`)
    await ask(
      "GET",
      "/v1/runs?q=Caf%C3%A9%20%20refund&sort=cost&since=2026-01-01&until=2026-01-02T00:00Z&hook=h&schedule=s&api_key=ci&flow=a:*",
    )
    const [from, to] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2)]
    expect(acme.catalog.listed).toEqual([
      { limit: 200, cursor: "c1", flow: ["f", "g:h"], status: ["failed", "canceled"] },
      { limit: 50, tag: "a,b", trigger: ["api", "child"], createdAfter: from, createdBefore: to },
      { limit: 50 },
      { limit: 50, children: true, parent: ID, session: "desk" },
      {
        limit: 50,
        q: ["cafe", "refund"],
        sort: "cost",
        createdAfter: from,
        createdBefore: to,
        hook: "h",
        schedule: "s",
        apiKey: "ci",
        flow: ["a:*"],
      },
    ])
  })

  test("[H5] `since` and `until` may be spans back from now", async () => {
    const { ask, acme } = ready()
    const before = Date.now()
    await ask("GET", "/v1/runs?since=7d&until=2h")
    const { createdAfter = 0, createdBefore = 0 } = (acme.catalog.listed[0] ?? {}) as RunFilter
    expect(createdBefore - createdAfter).toBe(7 * 86_400_000 - 2 * 3_600_000)
    expect(createdBefore).toBeGreaterThanOrEqual(before - 2 * 3_600_000)
    expect((await ask("GET", "/v1/runs?since=wensday")).body["errors"]).toMatchObject([{ message: expect.stringContaining("7d") }])
  })

  test.each([
    "limit=0",
    "limit=201",
    "limit=x",
    "limit=",
    "limit=1.5",
    "cursor=foreign",
    "status=done",
    "status=",
    "status=failed,",
    "tag=",
    "tag=a&tag=b",
    "trigger=cron",
    "children=yes",
    "created_after=soon",
    "created_before=1",
    "since=7",
    "since=soon",
    "until=-2h",
    "created_after=2026-01-01&since=7d",
    "created_before=2026-01-01&until=7d",
    "q=",
    "q=%20",
    "sort=cheapest",
    "sort=cost,newest",
    "sorted=cost",
  ])("[H5] ?%s is 422 and names the parameter", async (query) => {
    const { ask } = ready()
    const r = await ask("GET", `/v1/runs?${query}`)
    expect([r.status, r.body["errors"]]).toMatchObject([422, [{ pointer: `?${query.split("=")[0]}` }]])
  })

  test("[H5] a mistyped status gets a suggestion", async () => {
    const { ask } = ready()
    expect((await ask("GET", "/v1/runs?status=cancelled")).body["errors"]).toMatchObject([{ suggestion: 'did you mean "canceled"?' }])
  })

  test("[H5] a run is answered as its view", async () => {
    const { get, run } = ready()
    expect((await get("")).body).toEqual(run.view_)
  })

  test("[F34] cancel answers the run, and again when repeated", async () => {
    const { post } = ready()
    const first = await post("/cancel")
    expect([first.status, first.body["status"]]).toEqual([200, "canceled"])
    expect((await post("/cancel", {})).body).toEqual(first.body)
    expect((await post("/cancel", { why: 1 })).status).toBe(422)
  })
})

describe("pause, delete, messages", () => {
  test("[H5] pause and resume answer the run, and again when repeated", async () => {
    const { post, run } = ready()
    for (const [end, status] of [
      ["/pause", "paused"],
      ["/resume", "running"],
    ] as const)
      for (let i = 0; i < 2; i++) {
        const r = await post(end)
        expect([r.status, r.body["status"]]).toEqual([200, status])
      }
    expect(run.reasons).toEqual(["paused operator", "paused operator", "running operator", "running operator"])
    expect((await post("/pause", { why: 1 })).status).toBe(422)
  })

  test("[H5] a deleted run is 404 on every route, also when deleted again", async () => {
    const { ask, get } = ready()
    const r = await ask("DELETE", `/v1/runs/${ID}`)
    expect([r.status, r.text]).toEqual([204, ""])
    expect((await ask("DELETE", `/v1/runs/${ID}`)).status).toBe(404)
    for (const end of ["", "/events", "/files", "/interactions", "/steps/a/messages"]) expect((await get(end)).status, end).toBe(404)
    expect((await ask("DELETE", "/v1/runs/nothing")).status).toBe(404)
  })

  test("[J21] a step's messages start after the cursor; an unknown step is 404", async () => {
    const { get, run } = ready()
    run.messages_ = [2, 3].map((seq) => ({ seq, at: 0, role: "user", kind: "task", text: `t${seq}` }))
    expect((await get("/steps/a/messages?cursor=2")).body).toEqual({ data: [run.messages_[1]], next_cursor: null })
    expect((await get("/steps/a/messages?cursor=x")).status).toBe(422)
    for (const end of ["/steps/b/messages", "/steps/b/messages?cursor=x"]) expect((await get(end)).status, end).toBe(404)
  })
})

describe("events", () => {
  const journal = () => {
    const all = ready()
    all.run.events_ = [1, 2, 3, 4].map(event)
    return all
  }

  test("[E4] without Accept the journal is JSON, ascending, from the cursor", async () => {
    const { get } = journal()
    for (const headers of [{}, { accept: "*/*" }, { accept: "application/json" }]) {
      expect((await get("/events?after=2", headers)).body).toEqual({ data: [event(3), event(4)], next_cursor: null })
    }
  })

  test("[E4] a full page has the cursor of the next page, and pages lose and repeat nothing", async () => {
    const { get } = journal()
    const first = await get("/events?limit=3")
    expect(first.body["next_cursor"]).toBe("3")
    expect((await get("/events?limit=3&after=3")).body).toEqual({ data: [event(4)], next_cursor: null })
    expect((await get("/events?limit=3&cursor=3")).body).toEqual({ data: [event(4)], next_cursor: null })
    expect((await get("/events?after=4")).body).toEqual({ data: [], next_cursor: null })
  })

  test.each(["after=x", "after=-1", "after=", "limit=0", "limit=1001", "limit=ten"])("[E4] ?%s is 422", async (query) => {
    const { get } = journal()
    expect((await get(`/events?${query}`)).status).toBe(422)
  })

  test("[E4] Accept: text/event-stream streams after the cursor", async () => {
    const { get, run } = journal()
    const r = await get("/events?after=2&snapshot=1", SSE)
    expect([r.status, r.headers.get("content-type"), r.headers.get("cache-control")]).toEqual([200, "text/event-stream", "no-store"])
    expect(r.text.match(/^id: \d+/gm)).toEqual(["id: 3", "id: 4"])
    expect(run.streamed).toEqual([{ after: 2, snapshot: true }])
  })

  test("[E4] Last-Event-ID resumes, and wins over the ?after of the old URL", async () => {
    const { get, run } = journal()
    await get("/events?after=1", { ...SSE, "last-event-id": "3" })
    await get("/events?after=1", { ...SSE, "last-event-id": "" })
    expect(run.streamed.map((s) => s.after)).toEqual([3, 1])
    expect((await get("/events", { ...SSE, "last-event-id": "three" })).status).toBe(422)
  })

  test("[E4] a reconnect past the end is 204", async () => {
    const { get, run } = journal()
    await run.cancel()
    const r = await get("/events", { ...SSE, "last-event-id": "4" })
    expect([r.status, r.text]).toEqual([204, ""])
  })

  test("[E4] the media type with the higher q wins", async () => {
    const { get } = journal()
    expect((await get("/events", { accept: "text/event-stream;q=0.5, application/json" })).headers.get("content-type")).toBe(
      "application/json",
    )
    expect((await get("/events", { accept: "text/event-stream, */*;q=0.1" })).headers.get("content-type")).toBe("text/event-stream")
  })

  test("[E3] ?format=pi-flows answers frames, another format is 422", async () => {
    const { get, run } = journal()
    const r = await get("/events?format=pi-flows&after=3")
    expect([r.status, r.body]).toEqual([
      200,
      { data: [{ seq: 4, event: "flow:notify", data: { message: "run.waiting" } }], next_cursor: null },
    ])
    await get("/events?format=pi-flows&after=1", SSE)
    expect(run.streamed).toEqual([{ after: 1, snapshot: false, format: "pi-flows" }])
    expect((await get("/events?format=yaml")).body["errors"]).toMatchObject([{ pointer: "?format" }])
  })

  test("[E4] an upgrade is passed to the run with its cursor and key", async () => {
    const { get, run, services } = journal()
    services.callers.set("key-a", { tenant: "acme", name: "a", scopes: ["runs:read"], keyId: "key_1" })
    await get("/events?after=2", { upgrade: "WebSocket" })
    await get("/events?format=pi-flows", { upgrade: "websocket" })
    expect(run.sockets).toEqual([
      { after: 2, key: "key_1" },
      { after: 0, format: "pi-flows", key: "key_1" },
    ])
    expect((await get("/events", { upgrade: "h2c" })).status).toBe(422)
    expect((await get("/events?after=x", { upgrade: "websocket" })).status).toBe(422)
  })

  test("[S18] an upgrade whose key has just been revoked is 401", async () => {
    const { get, run } = journal()
    run.socketAnswer = 401
    expect((await get("/events", { upgrade: "websocket" })).body["code"]).toBe("unauthorized")
  })
})

describe("interactions", () => {
  const waiting = () => {
    const all = ready()
    all.run.interactions_ = [asked, { ...asked, id: "i2", status: "answered" }]
    return all
  }
  const answer = (body: unknown) => waiting().post("/interactions/i1", body)

  test("[Q1] they can be listed, filtered by status, and read one by one", async () => {
    const { get } = waiting()
    const ids = async (end: string) => (await get(end)).body["data"]
    expect(await ids("/interactions")).toMatchObject([{ id: "i1" }, { id: "i2" }])
    expect(await ids("/interactions?status=pending")).toMatchObject([{ id: "i1" }])
    expect(await ids("/interactions?status=answered,expired")).toMatchObject([{ id: "i2" }])
    expect((await get("/interactions/i2")).body).toMatchObject({ id: "i2", status: "answered" })
    expect((await get("/interactions/i3")).status).toBe(404)
    expect((await get("/interactions?status=open")).status).toBe(422)
  })

  test.each([
    { answer: "blue" },
    { answer: false },
    { answer: null },
    { answer: ["a"], notes: "n" },
    { custom: "text" },
    { auto: true },
    { cancelled: true },
    { decision: "approve" },
    { decision: "edit", args: { a: 1 }, feedback: "f" },
  ])("[Q2] %j is an answer, recorded under the key's name", async (body) => {
    const { post, run } = waiting()
    const r = await post("/interactions/i1", body)
    expect([r.status, r.body["status"], r.body["by"]]).toEqual([200, "answered", "name of key-a"])
    expect(run.answers).toEqual([{ id: "i1", body, by: "name of key-a" }])
  })

  test.each([
    {},
    { answer: 1, custom: "x" },
    { auto: false },
    { auto: true, cancelled: true },
    { custom: "" },
    { notes: "n" },
    { custom: "x", notes: "n" },
    { decision: "maybe" },
    { answer: 1, args: {} },
    { answer: 1, feedback: "x" },
    { anwser: 1 },
  ])("[Q2] %j is not an answer: 422, and the question stays open", async (body) => {
    const { post, run } = waiting()
    expect((await post("/interactions/i1", body)).status).toBe(422)
    expect(run.answers).toEqual([])
  })

  test("[Q2] an answer that its schema refuses is 422 with the place of each fault", async () => {
    const { post, run } = waiting()
    run.answerResult = {
      ok: false,
      code: "invalid",
      errors: [
        { path: "answer", message: "must be one of red, blue" },
        { path: "/answer/0", message: "m" },
        { path: "", message: "whole" },
      ],
    }
    const r = await post("/interactions/i1", { answer: "green" })
    expect([r.status, r.body["errors"]]).toMatchObject([422, [{ pointer: "/answer" }, { pointer: "/answer/0" }, { pointer: "" }]])
  })

  test("[Q2] the second answer is 409 with the first decision", async () => {
    const { post, run } = waiting()
    const first = { ...asked, status: "answered", answer: { answer: "blue" }, by: "ann" } as const
    run.answerResult = { ok: false, code: "already_answered", interaction: first }
    const r = await post("/interactions/i1", { answer: "red" })
    expect([r.status, r.body["interaction"]]).toEqual([409, first])
  })

  test("[Q2] an unknown interaction is 404, whatever the body", async () => {
    const { post } = waiting()
    for (const body of [{ answer: 1 }, {}, { nonsense: 1 }]) expect((await post("/interactions/nope", body)).status).toBe(404)
    expect((await answer({ answer: 1 })).status).toBe(200)
  })
})

describe("steering", () => {
  test("[J24] a message is queued for a running step", async () => {
    const { post, run } = ready()
    const r = await post("/steps/a/steer", { message: "turn left" })
    expect([r.status, r.body]).toEqual([202, { id: "s1", step: "a", status: "queued" }])
    expect(run.steered).toEqual([{ step: "a", message: "turn left", by: "name of key-a" }])
  })

  test("[J24] not running 409, unknown step 404, no message 422", async () => {
    const { post, run } = ready()
    run.begin("f", {
      steps: { a: { status: "complete", type: "agent", usage: { input: 0, output: 0 }, model_calls: 1, retries: 0, attempts: 1, pass: 1 } },
    })
    expect((await post("/steps/a/steer", { message: "late" })).status).toBe(409)
    expect((await post("/steps/nope/steer", { message: "x" })).status).toBe(404)
    expect((await post("/steps/nope/steer", { text: "x" })).status).toBe(404)
    expect((await post("/steps/toString/steer", { text: "x" })).status).toBe(404)
    for (const body of [{ text: "x" }, { message: "  " }, {}]) expect((await post("/steps/a/steer", body)).status).toBe(422)
  })

  test("[J24] after twenty queued messages the next is 409 with Retry-After", async () => {
    const { post, run } = ready()
    run.steer = async () => ({ ok: false, code: "too_many" })
    const r = await post("/steps/a/steer", { message: "one more" })
    expect([r.status, r.body["code"], r.headers.get("retry-after")]).toEqual([409, "too_many_steers", "5"])
  })

  test("[E3] ?format takes one known format", async () => {
    const { get } = ready()
    for (const format of ["pi-flows", "harness"]) expect((await get(`/events?format=${format}`)).status).toBe(200)
    for (const format of ["harnes", "pi-flows,harness", ""]) expect((await get(`/events?format=${format}`)).status, format).toBe(422)
  })

  test("[G1] a step's tools are listed with the rule that grants them", async () => {
    const { get } = ready()
    expect((await get("/steps/a/tools")).body["data"]).toEqual([{ name: "finish", granted: true, rule: "always" }])
    expect((await get("/steps/b/tools")).status).toBe(404)
  })
})

describe("files", () => {
  test("[T20] the list has path, size, hash and time", async () => {
    const { get, run } = ready()
    await run.putFile("a/b.md", "hello")
    expect((await get("/files")).body).toMatchObject({
      data: [{ path: "a/b.md", size: 5, modified: "1970-01-01T00:00:00.000Z" }],
      next_cursor: null,
    })
  })

  test("[T20] a file is text or octets, never a page, with its hash as ETag", async () => {
    const { get, run } = ready()
    await run.putFile("x.html", "<script>alert(1)</script>")
    await run.putFile("pic", new Uint8Array([0xff, 0xd8, 0]))
    await run.putFile("nul", "a\0b")
    const page = await get("/files/x.html")
    expect([page.status, page.headers.get("content-type"), page.text]).toEqual([
      200,
      "text/plain; charset=utf-8",
      "<script>alert(1)</script>",
    ])
    expect([page.headers.get("x-content-type-options"), page.headers.get("etag")]).toEqual([
      "nosniff",
      `"${run.files_.get("x.html")?.entry.hash}"`,
    ])
    for (const name of ["pic", "nul"]) expect((await get(`/files/${name}`)).headers.get("content-type")).toBe("application/octet-stream")
  })

  test("[T20] If-None-Match of the hash is 304", async () => {
    const { get, run } = ready()
    await run.putFile("a", "x")
    const etag = `"${run.files_.get("a")?.entry.hash}"`
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, "*"])
      expect((await get("/files/a", { "if-none-match": tag })).status).toBe(304)
    expect((await get("/files/a", { "if-none-match": '"other"' })).status).toBe(200)
  })

  test("[G7] a path is normalized once, and a path that leads out of the workspace is the usual 404", async () => {
    const { get, run } = ready()
    await run.putFile("dir/a b.txt", "x")
    for (const path of ["dir/a%20b.txt", "dir%2Fa%20b.txt", "dir//a%20b.txt"]) expect((await get(`/files/${path}`)).status, path).toBe(200)
    for (const path of ["..%2Fsecret", "dir/..%2F..%2Fx", "%252e%252e/x", "dir%5Ca", "%00", "dir", "nope"])
      expect((await get(`/files/${path}`)).status, path).toBe(404)
  })

  test("[T5] the whole of a truncated output is at its handle", async () => {
    const { get, run } = ready()
    run.outputs.set("h1", new TextEncoder().encode("all of it"))
    const r = await get("/outputs/h1")
    expect([r.status, r.text, r.headers.get("content-type")]).toEqual([200, "all of it", "text/plain; charset=utf-8"])
    expect((await get("/outputs/h2")).status).toBe(404)
  })
})
