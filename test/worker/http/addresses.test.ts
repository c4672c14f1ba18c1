// Every address that is handed out works where it was handed out [N2]: asked directly, below /t/NAME, on a host of its own, and through a proxy
// that PUBLIC_URL names. The dispatcher is the real one; each address is resolved as a browser would and fetched.

import { env, waitUntil } from "cloudflare:workers"
import { afterEach, beforeAll, describe, expect, test } from "vitest"
import { servicesOf } from "../../../src/cloudflare/worker/wire.ts"
import { createApp } from "../../../src/http/app.ts"
import dispatcher from "../../../src/dispatch/index.ts"
import { bindingOf } from "../../../src/core/instance-name.ts"
import { agent, ask, call, flow, LOCAL } from "../../support/worker/house.ts"

const PROXY = "https://pub.example/sluice"

beforeAll(async () => {
  await call("PUT", "/v1/secrets/addresshook", { value: "token-of-the-address-hook" })
  await ask("PUT", "/v1/settings/providers/ad", {
    kind: "scripted",
    turns: {
      sharer: [
        { calls: [{ tool: "write", args: { path: "a.txt", content: "shared" } }] },
        { calls: [{ tool: "r2.share", args: { path: "a.txt" } }] },
        { calls: [{ tool: "ask_user", args: { question: "Good?", type: "confirm" } }] },
        { finish: { status: "complete", summary: "done" } },
      ],
    },
  })
  await ask("PUT", "/v1/catalog", {
    agents: {
      "sharer.md": agent("sharer", "write, r2.share, ask_user").replace(
        "rehearsal/default",
        "ad/sharer\neffects: { after_untrusted: allow }",
      ),
    },
    flows: { "share.yaml": flow("share", "  - { id: a, type: agent, agent: sharer }\n", "autonomous: false\n") },
  })
})
// Objects read PUBLIC_URL from the test's own bindings.
afterEach(() => void Object.assign(env, { PUBLIC_URL: "" }))

/** A place from which the instance is asked: its root as clients know it, and the way there. */
interface Place {
  readonly root: string
  readonly bindings?: object
  readonly fetch: (request: Request) => Promise<Response>
}
/** An instance with these bindings: the Worker's own keeps those that it began with. */
const withBindings = (bindings: object) => {
  const app = createApp(servicesOf({ ...env, ...bindings } as never, waitUntil))
  return { fetch: async (request: Request): Promise<Response> => app.fetch(request, { ...env, ...bindings }, { waitUntil } as never) }
}
const DISPATCHED = { DISPATCHED: "yes" }
const dispatched =
  (domain?: string, bindings: object = {}) =>
  (request: Request) =>
    dispatcher.fetch(
      request as never,
      { [bindingOf("acme")]: withBindings(bindings), ...(domain === undefined ? {} : { DOMAIN: domain }) } as never,
    )

const PLACES: Readonly<Record<string, Place>> = {
  "asked directly": { root: "http://sluice", fetch: withBindings({}).fetch },
  "below /t/NAME": { root: "http://front.example/t/acme", fetch: dispatched() },
  "below /t/NAME of a known domain": {
    root: "https://example.com/t/acme",
    bindings: { DISPATCHED: "yes" },
    fetch: dispatched("example.com"),
  },
  "on a host of its own": { root: "https://acme.example.com", fetch: dispatched("example.com", DISPATCHED) },
  "behind a proxy that PUBLIC_URL names": {
    root: PROXY,
    bindings: { PUBLIC_URL: `${PROXY}/` },
    async fetch(request) {
      if (!request.url.startsWith(`${PROXY}/`)) return new Response("not this instance", { status: 404 })
      return withBindings({ PUBLIC_URL: `${PROXY}/` }).fetch(new Request(request.url.replace(PROXY, "http://inner"), request))
    },
  },
}

/** Texts that are addresses: all of them, wherever they are in a body. */
function addresses(value: unknown, at = ""): [at: string, address: string][] {
  if (typeof value === "string") return /^(?:https?:\/\/|\/(?!\/))\S*$/.test(value) && !IS_NONE.test(at) ? [[at, value]] : []
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => addresses(member, `${at}/${name}`))
}
/** Members that hold paths of files or pointers, or addresses of others. */
const IS_NONE = /\/(instance|pointer|path|type|baseUrl|endpoint|callback)$/

describe.each(Object.entries(PLACES))("%s", (_, { root, bindings = {}, fetch }) => {
  const key = { authorization: `Bearer ${LOCAL}`, "content-type": "application/json" }
  const send = (url: string, init: RequestInit = {}) => fetch(new Request(url, { redirect: "manual", ...init }))

  test("[N2] every address in an answer leads to what it names", async () => {
    Object.assign(env, bindings)
    const found: [from: string, at: string, url: string][] = []
    /** Asks, and notes every address of the answer, resolved against the address that was asked. */
    const look = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const url = root + path
      const r = await send(url, { method, headers: { ...key, ...headers }, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
      const text = await r.text()
      expect(r.status, `${method} ${path}: ${text}`).toBeLessThan(300)
      for (const name of ["location", "link"]) {
        const value = r.headers.get(name)
        if (value !== null) found.push([`${method} ${path}`, name, new URL(value, url).href])
      }
      const json = text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : {}
      for (const [at, address] of addresses(json)) found.push([`${method} ${path}`, at, new URL(address, url).href])
      return json
    }
    await look("GET", "/", undefined, { accept: "application/json" })
    const hook = await look("POST", "/v1/hooks", { flow: "share", kind: "token", secret: "addresshook", mapping: { task: "go" } })
    const schedule = await look("POST", "/v1/schedules", { flow: "share", cron: "0 0 1 1 *" })
    await look("POST", "/v1/tools/ask_user", { question: "Go?", type: "confirm" })
    const { id } = await look("POST", "/v1/flows/share/runs", { task: "go" })
    for (let n = 0; n < 500 && ((await look("GET", `/v1/runs/${id}`)) as { pending: number }).pending === 0; n++)
      await new Promise((r) => setTimeout(r, 10))
    const put = await send(`${root}/v1/runs/${id}/files/in/b%20c.txt`, { method: "PUT", headers: key, body: "put" })
    expect(put.status).toBe(201)
    found.push(["PUT file", "location", new URL(put.headers.get("location") ?? "", root).href])
    const { data } = await look("GET", `/v1/runs/${id}/interactions`)
    const link = await look("POST", `/v1/runs/${id}/interactions/${data[0].id}/link`, {})
    const sharedBy = async (run: string): Promise<(string | undefined)[]> => {
      const { data: events } = await look("GET", `/v1/runs/${run}/events?limit=1000`)
      return events.flatMap((e: { type: string; tool?: string; details?: { url: string } }) =>
        e.type === "tool.returned" && e.tool === "r2.share" ? [e.details?.url] : [],
      )
    }
    expect((await sharedBy(id)).length).toBe(1)
    // The clock that fires a schedule asks no address, so the schedule keeps the one under which it was written.
    const { run: fired } = await look("POST", `/v1/schedules/${schedule.id}/fire`, {})
    for (let n = 0; n < 500 && (await sharedBy(fired)).length === 0; n++) await new Promise((r) => setTimeout(r, 10))
    const [byClock = ""] = await sharedBy(fired)
    expect(new URL(byClock, root).href.startsWith(root), `${byClock} of the schedule's run is not below ${root}`).toBe(true)
    const openapi = await look("GET", "/openapi.json")
    for (const { url } of openapi.servers)
      found.push(["openapi", "servers", new URL(`${url.replace(/\/$/, "")}/healthz`, `${root}/openapi.json`).href])
    const architect = await call("GET", "/v1/architect")
    expect(architect.status).toBe(200)

    expect(found.map(([from]) => from)).toEqual(
      expect.arrayContaining(["POST /v1/hooks", "POST /v1/schedules", "POST /v1/flows/share/runs"]),
    )
    for (const [from, at, url] of found) {
      if (/\/(examples?|paths|components|servers)\//.test(at)) continue
      expect(url.startsWith(root), `${from} ${at}: ${url} is not below ${root}`).toBe(true)
      const r = await send(url, { headers: { authorization: `Bearer ${LOCAL}`, accept: "*/*" } })
      await r.body?.cancel()
      // What takes only a POST says so; everything else answers.
      expect([from, at, url, r.status < 400 || r.status === 405]).toEqual([from, at, url, true])
    }
    // The answer page works as a page, and its form leads back to it.
    const page = await send(String(link.url), { headers: { accept: "text/html" } })
    const html = await page.text()
    expect([page.status, page.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/html")])
    for (const [, action = ""] of html.matchAll(/(?:action|href|src)="([^"#]*)"/g)) {
      const to = new URL(action.replaceAll("&amp;", "&"), link.url).href
      expect(to.startsWith(root), `${action} leaves ${root}`).toBe(true)
    }
    const answered = await send(String(link.url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"answer":true}',
    })
    expect(answered.status).toBe(200)
    // A delivery to the hook's own address starts a run.
    const delivered = await send(String(hook.url), {
      method: "POST",
      headers: { authorization: "Bearer token-of-the-address-hook", "content-type": "application/json" },
      body: "{}",
    })
    expect(delivered.status).toBe(202)
    const { run } = (await delivered.json()) as { run: string }
    let started: { type: string; tool?: string; details?: { url: string } }[] = []
    for (let n = 0; n < 500 && !started.some(({ type, tool }) => type === "tool.returned" && tool === "r2.share"); n++) {
      started = (await ask<{ data: typeof started }>("GET", `/v1/runs/${run}/events?limit=1000`)).data
      await new Promise((r) => setTimeout(r, 10))
    }
    const inRun = started.find(({ type, tool }) => type === "tool.returned" && tool === "r2.share")?.details?.url ?? ""
    const file = await send(new URL(inRun, `${root}/`).href)
    expect([new URL(inRun, `${root}/`).href.startsWith(root), file.status, new TextDecoder().decode(await file.arrayBuffer())]).toEqual([
      true,
      200,
      "shared",
    ])
    // A token for a page opens the run below the same root.
    const { token } = await look("POST", `/v1/runs/${id}/token`, { view: "public" })
    expect((await send(`${root}/v1/runs/${id}?token=${token}`)).status).toBe(200)
    await send(`${root}/v1/schedules/${schedule.id}`, { method: "DELETE", headers: key })
    await send(`${root}/v1/hooks/${hook.id}`, { method: "DELETE", headers: key })
  })
})
