// Separate instances behind one dispatcher [N2]: two Workers in two processes, with the same ids in both and nothing shared.

import { mkdtemp, readdir, rm } from "node:fs/promises"
import { request } from "node:http"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { buildWorker } from "../../local/build.ts"
import { buildDispatcher, instancesAsked, startInstances, type Instances } from "../../local/instances.ts"
import { readSettings } from "../../local/settings.ts"
import { routeOf } from "../../src/dispatch/route.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const NAMES = ["acme", "globex"] as const

let home: string
let instances: Instances

beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), "sluice-instances-test-"))
  const [worker, dispatcher] = await Promise.all([
    buildWorker("src/index.ts", path.relative(root, path.join(home, "worker.js"))),
    buildDispatcher(path.relative(root, path.join(home, "dispatcher.js"))),
  ])
  instances = await startInstances(readSettings({ PORT: "0", SLUICE_DATA: home }), NAMES, { worker, dispatcher })
})
afterAll(async () => {
  await instances?.close()
  await rm(home, { recursive: true, force: true })
})

interface Answer {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly text: string
  readonly body: Record<string, unknown>
}

/** node:http, because fetch cannot set the Host header. */
function ask(
  method: string,
  to: string,
  body?: unknown,
  { key = "sl_local_dev", host, ...headers }: Record<string, string> = {},
): Promise<Answer> {
  const url = new URL(to, instances.url)
  return new Promise((resolve, reject) => {
    const call = request(url, {
      method,
      agent: false,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...(host === undefined ? {} : { host }), ...headers },
    })
    call.once("error", reject)
    call.once("response", (answer) => {
      const parts: Buffer[] = []
      answer.on("data", (part: Buffer) => parts.push(part))
      answer.once("end", () => {
        const text = Buffer.concat(parts).toString()
        const isJson = /json/.test(answer.headers["content-type"] ?? "")
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text, body: isJson ? JSON.parse(text) : {} })
      })
    })
    call.end(body === undefined ? "" : JSON.stringify(body))
  })
}

const agent = "---\nname: a\ndescription: d\nmodel: rehearsal/default\ntools: write\n---\nDo it. ${{task}}\n"
const flow = (says: string) => `name: same\ndescription: ${says}\nsteps:\n  - { id: a, type: agent, agent: a }\n`

describe("two instances", () => {
  test("[N2] have the same ids, and each its own flows, runs and files", async () => {
    for (const name of NAMES) {
      const put = await ask("PUT", `/t/${name}/v1/catalog`, { agents: { "a.md": agent }, flows: { "same.yaml": flow(`flow of ${name}`) } })
      expect(put.status, put.text).toBe(200)
    }
    const start = (name: string) =>
      ask("POST", `/t/${name}/v1/flows/same/runs`, { task: `task of ${name}` }, { "idempotency-key": "k1", prefer: "wait=50" })
    const first = await start("acme")
    expect([first.status, first.body["status"]]).toEqual([200, "succeeded"])
    const id = String(first.body["id"])
    expect(first.headers["location"]).toBe(`/t/acme/v1/runs/${id}`)
    // The other instance does not know it.
    expect((await ask("GET", `/t/globex/v1/runs/${id}`)).status).toBe(404)
    const second = await start("globex")
    expect([second.status, second.body["id"]]).toEqual([200, id])
    expect(second.headers["idempotent-replayed"]).toBeUndefined()

    for (const name of NAMES) {
      expect((await ask("GET", `/t/${name}/v1/runs/${id}`)).body["task"]).toBe(`task of ${name}`)
      expect((await ask("GET", `/t/${name}/v1/flows/same`)).text).toContain(`flow of ${name}`)
      const events = await ask("GET", `/t/${name}/v1/runs/${id}/events`, undefined, { accept: "text/event-stream" })
      expect(events.text).toContain("event: run.ended")
    }
    expect((await ask("DELETE", `/t/acme/v1/runs/${id}`)).status).toBe(204)
    expect((await ask("GET", `/t/acme/v1/runs/${id}`)).status).toBe(404)
    expect((await ask("GET", `/t/globex/v1/runs/${id}`)).status).toBe(200)
  })

  test("[N2] a tenant's key of one instance is 401 on the other, by path and by host, even if both have a tenant of that name", async () => {
    const keys: string[] = []
    for (const name of NAMES) {
      const made = await ask("POST", `/t/${name}/v1/tenants`, { id: "twin" }, { key: "sl_admin_local" })
      expect(made.status, made.text).toBe(201)
      const key = await ask("POST", `/t/${name}/v1/tenants/twin/keys`, { name: "k", scopes: ["runs:read"] }, { key: "sl_admin_local" })
      keys.push(String(key.body["key"]))
    }
    const [acme = "", globex = ""] = keys
    const port = new URL(instances.url).port
    const look = async (name: string, key: string) => [
      (await ask("GET", `/t/${name}/v1/runs`, undefined, { key })).status,
      (await ask("GET", "/v1/runs", undefined, { key, host: `${name}.localhost:${port}` })).status,
    ]
    expect(await look("acme", acme)).toEqual([200, 200])
    expect(await look("globex", acme)).toEqual([401, 401])
    expect(await look("globex", globex)).toEqual([200, 200])
    expect(await look("acme", globex)).toEqual([401, 401])
  })

  test("[N2] every address that an instance hands out works where it was asked, by path and by host, whatever the request says", async () => {
    const { host } = new URL(instances.url)
    const port = host.split(":")[1] ?? ""
    const forged = { "x-sluice-address": "https://evil.example", "x-forwarded-host": "evil.example" }
    const asks =
      "name: asks\ndescription: d\nautonomous: false\nsteps:\n  - { id: how, type: fork, question: How?, options: [x, y], branches: { x: a, y: a } }\n  - { id: a, type: agent, agent: a }\n"
    for (const [base, to] of [
      ["/t/acme", {}],
      ["", { host: `acme.localhost:${port}` }],
    ] as const) {
      const via = (method: string, at: string, body?: unknown, more: Record<string, string> = {}) =>
        ask(method, at, body, { ...to, ...forged, ...more })
      const here = base === "" ? `http://acme.localhost:${port}` : instances.url.replace(/\/$/, "")
      const put = await via("PUT", `${base}/v1/catalog`, { agents: { "a.md": agent }, flows: { "asks.yaml": asks } })
      expect(put.status, put.text).toBe(200)
      const run = await via("POST", `${base}/v1/flows/asks/runs`, { task: "t" }, { prefer: "wait=20" })
      expect(run.headers["location"]).toBe(`${base}/v1/runs/${String(run.body["id"])}`)
      const started = await via("POST", `${base}/v1/flows/asks/runs`, { task: "t" })
      for (const path of Object.values(started.body["urls"] as Record<string, string>).filter((url) => !url.endsWith("/cancel"))) {
        expect(path.startsWith(`${base}/v1/`), path).toBe(true)
        expect((await via("GET", path)).status, path).toBe(200)
      }
      const document = await via("GET", `${base}/openapi.json`)
      const [server] = document.body["servers"] as { url: string }[]
      expect(server?.url).toBe(base === "" ? "/" : base)
      expect((await via("GET", (await via("GET", `${base}/`)).body["links"] === undefined ? "/no" : `${base}/docs`)).status).toBe(200)
      const link = await via("POST", `${String(run.headers["location"])}/interactions/i1/link`, {})
      const { url } = link.body as { url: string }
      expect(url.startsWith(`${here}${base}/i/`), url).toBe(true)
      const page = await via("GET", new URL(url).pathname, undefined, { accept: "text/html", key: "none" })
      expect([page.status, page.text]).toEqual([200, expect.stringContaining("How?")])
      await via("PUT", `${base}/v1/secrets/hook`, { value: "a-long-secret-value" })
      const hook = await via("POST", `${base}/v1/hooks`, { flow: "asks", kind: "token", secret: "hook" })
      expect(hook.body["url"]).toBe(`${here}${base}/v1/hooks/${String(hook.body["id"])}`)
      expect((await via("POST", new URL(String(hook.body["url"])).pathname, {}, { key: "none" })).status).toBe(401)
    }
  })

  test("[N2] an unknown instance and an invalid name are the same 404, and nothing is shared on disk", async () => {
    const seen = new Set<string>()
    for (const at of ["/t/nobody/v1/runs", "/t/NOBODY/v1/runs", "/t/a..b/v1/runs", "/t/toString/v1/runs", "/v1/runs", "/t/", "/"]) {
      const r = await ask("GET", at)
      expect([r.status, r.body["instance"]], at).toEqual([404, new URL(at, instances.url).pathname])
      seen.add(JSON.stringify({ ...r.body, instance: "" }))
    }
    // An instance's host cannot reach another instance.
    const sideways = await ask("GET", "/t/globex/v1/runs", undefined, { host: "acme.localhost" })
    expect([sideways.status, sideways.body["code"]]).toEqual([404, "not_found"])
    expect((await ask("GET", "/v1/runs", undefined, { host: "nobody.localhost" })).status).toBe(404)
    expect(seen.size).toBe(1)
    expect((await readdir(path.join(home, "instances"))).toSorted()).toEqual([...NAMES])
    const folders = [...instances.servers.values()].map(({ data }) => data)
    expect(new Set(folders).size).toBe(2)
    for (const folder of folders) expect(await readdir(folder)).toContain("do")
  })

  test("[H11] each instance has its start page, whose links stay below its own path", async () => {
    const bare = await ask("GET", "/t/acme?x=1", undefined, { accept: "text/html" })
    expect([bare.status, bare.headers["location"]]).toEqual([308, "/t/acme/?x=1"])
    const page = await ask("GET", "/t/acme/", undefined, { accept: "text/html", key: "wrong" })
    expect([page.status, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"])
    const links = [...page.text.matchAll(/href="([^"]*)"/g)].map(([, to]) => new URL(to ?? "", new URL("/t/acme/", instances.url)).pathname)
    expect(links).toContain("/t/acme/docs")
    for (const link of links) expect((await ask("GET", link)).status, link).toBe(200)
    expect((await ask("GET", "/", undefined, { host: "acme.localhost" })).body["name"]).toBe("Sluice")
  })

  test("[N2] an instance that is down is a 502, and the other instance answers", async () => {
    await instances.servers.get("globex")?.close()
    expect((await ask("GET", "/t/globex/healthz")).status).toBe(502)
    expect((await ask("GET", "/t/acme/readyz")).status).toBe(200)
  })
})

describe("the dispatcher's routes", () => {
  test.each([
    ["acme.example.com", "/v1/runs", { instance: "acme", path: "/v1/runs", prefix: "", address: "https://acme.example.com" }],
    ["ACME.example.com.", "/", { instance: "acme", path: "/", prefix: "", address: "https://acme.example.com" }],
    ["acme.example.com", "/t/globex/v1", { instance: "acme", path: "/t/globex/v1", prefix: "", address: "https://acme.example.com" }],
    ["a.b.example.com", "/t/acme/", undefined],
    ["-.example.com", "/t/acme/", undefined],
    ["example.com", "/t/acme", { instance: "acme", path: "/", prefix: "/t/acme", address: "https://example.com/t/acme" }],
    [
      "example.com",
      "/t/acme/v1/objects/a%2Fb",
      { instance: "acme", path: "/v1/objects/a%2Fb", prefix: "/t/acme", address: "https://example.com/t/acme" },
    ],
    ["notexample.com", "/t/acme//x", { instance: "acme", path: "//x", prefix: "/t/acme", address: "/t/acme" }],
    ["example.com", "/t/a_b/", undefined],
    ["example.com", "/t/a--b/", undefined],
    ["example.com", "/T/acme/", undefined],
    ["example.com", `/t/${"a".repeat(32)}/`, undefined],
    ["example.com", "/acme/", undefined],
  ])("[N2] %s%s", (host, at, wanted) => {
    expect(routeOf({ protocol: "https:", hostname: host, port: "", pathname: at }, "example.com")).toEqual(wanted)
  })

  test("[N2] requested names are checked", () => {
    expect(instancesAsked(["--built"])).toBeUndefined()
    expect(instancesAsked(["--instances", "acme,globex"])).toEqual(["acme", "globex"])
    expect(instancesAsked(["--instances=acme"])).toEqual(["acme"])
    for (const wrong of ["", "acme,acme", "Acme", "a", "www", "../x", "a-"])
      expect(() => instancesAsked(["--instances", wrong]), wrong).toThrow()
  })
})
