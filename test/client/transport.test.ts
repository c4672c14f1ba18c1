// One request of the client: its headers and query, its retries, and the errors that it throws.

import { describe, expect, test } from "vitest"
import { SluiceError } from "../../src/client/transport/sluice-error.ts"
import { Sluice } from "../../src/client/sluice.ts"

interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly body: unknown
}

function scripted(...answers: (Response | Error)[]) {
  const sent: Sent[] = []
  const client = new Sluice({
    url: "http://sluice.test/base/",
    key: "sl_key",
    fetch: async (url, init) => {
      sent.push({ method: init.method ?? "GET", url, headers: new Headers(init.headers), body: init.body })
      const answer = answers.shift() ?? new Error("no more answers")
      if (answer instanceof Error) throw answer
      return answer
    },
  })
  return { client, sent }
}

const later = (status: number, code: string): Response => Response.json({ code, detail: code }, { status, headers: { "retry-after": "0" } })

describe("a request", () => {
  test("[H1] carries the key; ids are escaped, paths of files keep their slashes", async () => {
    const { client, sent } = scripted(Response.json({}), new Response("x"), Response.json({}))
    await client.runs.get("a/b?c")
    await client.runs.file("run_x", "dir/a b.md")
    await client.runs.list({ flow: "f:g", status: ["failed", "canceled"], limit: 5 }).page("c1")
    expect(sent.map(({ url }) => url)).toEqual([
      "http://sluice.test/base/v1/runs/a%2Fb%3Fc",
      "http://sluice.test/base/v1/runs/run_x/files/dir/a%20b.md",
      "http://sluice.test/base/v1/runs?flow=f%3Ag&limit=5&status=failed%2Ccanceled&cursor=c1",
    ])
    expect(sent.every(({ headers }) => headers.get("authorization") === "Bearer sl_key")).toBe(true)
  })

  test("[F70, F80] a package is tried without being written, and a draft is written, named by a start and removed", async () => {
    const { client, sent } = scripted(...Array.from({ length: 5 }, () => Response.json({ data: [], next_cursor: null })))
    const wish = { version: "1.0.0", agents: { "a.md": "x" } }
    await client.packages.dry("acme", wish, "h1")
    await client.catalog.drafts.put("mine", { mode: "merge", agents: { "a.md": "x" } })
    await client.flows.start("f:g@draft:mine")
    await client.catalog.drafts.list().all()
    await client.catalog.drafts.delete("mine")
    expect(sent.map(({ method, url }) => `${method} ${decodeURIComponent(url.slice("http://sluice.test/base".length))}`)).toEqual([
      "PUT /v1/packages/acme?dry=1",
      "PUT /v1/catalog/drafts/mine",
      "POST /v1/flows/f:g@draft:mine/runs",
      "GET /v1/catalog/drafts",
      "DELETE /v1/catalog/drafts/mine",
    ])
    expect([JSON.parse(String(sent[0]?.body)), sent[0]?.headers.get("if-match")]).toEqual([wish, '"h1"'])
  })

  test("[H4] each POST has its own key, the same on every attempt; the caller's key wins", async () => {
    const started = () => Response.json({ id: "r" }, { status: 202 })
    const { client, sent } = scripted(new Error("reset"), started(), started(), started())
    await client.flows.start("f")
    await client.flows.start("f")
    await client.flows.start("f", {}, { idempotencyKey: "mine" })
    const keys = sent.map(({ headers }) => headers.get("idempotency-key"))
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
    expect(keys[1]).toBe(keys[0])
    expect(keys[2]).not.toBe(keys[0])
    expect(keys[3]).toBe("mine")
  })

  test.each([
    ["a quota", later(429, "quota")],
    ["a Worker that is still starting", later(503, "not_configured")],
    ["a first request that is still in progress", later(409, "idempotency_busy")],
  ])("[H6] is retried after %s, at the time that the server names", async (_, refusal) => {
    const { client, sent } = scripted(refusal, Response.json({ id: "r" }, { status: 202 }))
    expect(await client.flows.start("f")).toEqual({ id: "r" })
    expect(sent).toHaveLength(2)
  })

  test.each([
    ["422", Response.json({ code: "invalid", detail: "bad" }, { status: 422 })],
    ["409 without Retry-After", Response.json({ code: "already_answered", detail: "done" }, { status: 409 })],
    ["503 without Retry-After", Response.json({ code: "not_configured", detail: "no" }, { status: 503 })],
  ])("[H3] is not retried after %s", async (_, refusal) => {
    const { client, sent } = scripted(refusal)
    await expect(client.flows.start("f")).rejects.toBeInstanceOf(SluiceError)
    expect(sent).toHaveLength(1)
  })

  test("[H3] an error has the document's code and faults and the request's id", async () => {
    const { client } = scripted(
      Response.json(
        { code: "not_written", detail: "line 3: no", errors: [{ pointer: "", line: 3, message: "no" }], written: false },
        { status: 422, headers: { "x-request-id": "req_1" } },
      ),
    )
    const error: unknown = await client.catalog.put("flow", "f", "x").catch((e: unknown) => e)
    expect(error).toMatchObject({ status: 422, code: "not_written", requestId: "req_1", problem: { written: false } })
    expect(error instanceof SluiceError && error.errors[0]?.line).toBe(3)
  })

  test("[H3] an answer that is not a problem document is quoted in the error", async () => {
    const { client } = scripted(new Response("<h1>Bad gateway</h1>", { status: 502 }))
    await expect(client.runs.get("r")).rejects.toMatchObject({ status: 502, code: "answer", message: "HTTP 502: <h1>Bad gateway</h1>" })
  })

  test("[H1] a run token is sent in the query, without a header", async () => {
    const urls: string[] = []
    const client = new Sluice({
      url: "http://sluice.test",
      token: "t.1",
      fetch: async (url, init) => {
        urls.push(`${url} ${new Headers(init.headers).get("authorization")}`)
        return Response.json({})
      },
    })
    await client.runs.get("run_x")
    expect(urls).toEqual(["http://sluice.test/v1/runs/run_x?token=t.1 null"])
  })

  test("[H5] a list is read page by page", async () => {
    const { client, sent } = scripted(
      Response.json({ data: [{ id: "a" }, { id: "b" }], next_cursor: "c" }),
      Response.json({ data: [{ id: "c" }], next_cursor: null }),
    )
    expect((await client.runs.list().all()).map(({ id }) => id)).toEqual(["a", "b", "c"])
    expect(sent.map(({ url }) => new URL(url).search)).toEqual(["", "?cursor=c"])
  })
})
