// [N1] To ask an object is to create it, and on a disk each leaves files: a made-up name must ask none. Counted on the disk of a local server.

import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { buildWorker } from "../../local/build.ts"
import { startServer, type Server } from "../../local/server.ts"
import { readSettings } from "../../local/settings.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const LOCAL = "sl_local_dev"
let home: string
let server: Server

beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), "sluice-names-test-"))
  const worker = await buildWorker("src/index.ts", path.relative(root, path.join(home, "worker.js")))
  server = await startServer(readSettings({ PORT: "0", SLUICE_DATA: path.join(home, "data"), REQUEST_LOG: "off" }), worker)
})
afterAll(async () => {
  await server?.close()
  await rm(home, { recursive: true, force: true })
})

/** The objects of the server: one file each, by class. */
async function objects(): Promise<readonly string[]> {
  const files = await readdir(path.join(home, "data"), { recursive: true })
  return files.filter((file) => file.startsWith(`do${path.sep}`) && file.endsWith(".sqlite") && !file.endsWith("metadata.sqlite")).sort()
}

const ask = (method: string, to: string, { key = LOCAL, body }: { key?: string | null; body?: unknown } = {}): Promise<Response> =>
  fetch(new URL(to, server.url), {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

const LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"
const letters = (n: number): string => Array.from({ length: n }, () => LETTERS[Math.floor(Math.random() * LETTERS.length)] ?? "0").join("")
const times = async (n: number, of: (i: number) => Promise<Response>): Promise<number[]> => {
  const statuses = await Promise.all(Array.from({ length: n }, async (_, i) => (await of(i)).status))
  return [...new Set(statuses)]
}

/** Neither the first request nor a start is counted: the tenant's own objects and the stand-in are there afterwards. */
async function aRun(): Promise<string> {
  await ask("GET", "/v1/runs", { key: `sl_nobody_${letters(40)}` })
  const started = await ask("POST", "/v1/flows/triage/runs", { body: { task: "x", rehearse: true } })
  const { id } = (await started.json()) as { id: string }
  expect((await ask("GET", `/v1/runs/${id}`)).status).toBe(200)
  return id
}

describe("names that someone made up", () => {
  test("[N1] what is counted is what is created: a run is one more file", async () => {
    await aRun()
    const before = await objects()
    await aRun()
    expect((await objects()).length).toBe(before.length + 1)
  })

  test("[N1] [H2] unknown run ids create nothing, in whatever form, on whatever route", async () => {
    const run = await aRun()
    const before = await objects()
    const forms = [
      () => `run_${letters(26)}`,
      () => `run_${letters(32)}`,
      () => run.slice(0, -6) + letters(6),
      () => run.slice(0, -6),
      () => `run_${letters(26)}${run.slice(-6)}`,
      () => run.replace(/.$/, (last) => (last === "0" ? "1" : "0")),
      () => run.toUpperCase(),
    ]
    for (const form of forms) {
      expect(await times(15, () => ask("GET", `/v1/runs/${form()}`))).toEqual([404])
      for (const [method, rest] of [
        ["GET", "/events"],
        ["GET", "/files"],
        ["GET", "/files/a.txt"],
        ["GET", "/outputs/h"],
        ["GET", "/interactions"],
        ["GET", "/interactions/i1"],
        ["GET", "/steps/a/messages"],
        ["GET", "/steps/a/tools"],
        ["GET", "/plans"],
        ["POST", "/cancel"],
        ["POST", "/pause"],
        ["POST", "/resume"],
        ["POST", "/token"],
        ["DELETE", ""],
      ] as const)
        expect((await ask(method, `/v1/runs/${form()}${rest}`, method === "POST" ? { body: {} } : {})).status, rest).toBe(404)
      for (const [rest, body] of [
        ["/interactions/i1", { answer: "x" }],
        ["/interactions/i1/link", {}],
        ["/steps/a/steer", { message: "x" }],
        ["/signals/s", {}],
      ] as const)
        expect((await ask("POST", `/v1/runs/${form()}${rest}`, { body })).status, rest).toBe(404)
      expect((await ask("GET", `/v1/architect/${form()}`)).status).toBe(404)
    }
    expect(await objects()).toEqual(before)
    expect((await ask("GET", `/v1/runs/${run}`)).status).toBe(200)
  })

  test("[N1] unknown tenants create nothing: keys, hooks, tokens, the admin's calls", async () => {
    await aRun()
    const admin = "sl_admin_local"
    await ask("POST", "/v1/tenants", { key: admin, body: { id: "there" } })
    const made = await ask("POST", "/v1/tenants/there/keys", { key: admin, body: { scopes: ["runs:read"] } })
    const { key } = (await made.json()) as { key: string }
    expect((await ask("GET", "/v1/runs", { key })).status).toBe(200)
    const before = await objects()
    expect(await times(50, (i) => ask("GET", "/v1/runs", { key: `sl_t${i}${letters(5)}_${letters(40)}` }))).toEqual([401])
    expect(await times(50, (i) => ask("GET", "/v1/runs", { key: `sl_t${i}${letters(5)}_${letters(52)}` }))).toEqual([401])
    expect(await times(20, (i) => ask("GET", "/v1/runs", { key: key.replace("sl_there_", `sl_t${i}here_`) }))).toEqual([401])
    expect(await times(20, () => ask("GET", "/v1/runs", { key: `sl_there_${letters(40)}` }))).toEqual([401])
    expect(await times(20, () => ask("POST", "/mcp", { key: `sl_${letters(9).replace(/^\d/, "a")}_${letters(40)}`, body: {} }))).toEqual([
      401,
    ])
    const hookId = (tenant: string): string => Buffer.concat([Buffer.from(letters(16)), Buffer.from(tenant)]).toString("base64url")
    expect(await times(50, (i) => ask("POST", `/v1/hooks/${hookId(`t${i}x`)}`, { key: null, body: {} }))).toEqual([404])
    expect(await times(20, (i) => ask("POST", `/v1/hooks/${hookId(`t${i}x\0abcdef`)}`, { key: null, body: {} }))).toEqual([404])
    expect(await times(20, () => ask("GET", `/i/${letters(60)}.${letters(43)}`, { key: null }))).toEqual([403])
    expect(await times(20, () => ask("GET", `/d/${letters(60)}.${letters(43)}`, { key: null }))).toEqual([403])
    expect(await times(20, () => ask("GET", `/v1/runs/run_${letters(26)}?token=${letters(60)}.${letters(43)}`, { key: null }))).toEqual([
      401,
    ])
    for (const [method, rest] of [
      ["GET", ""],
      ["DELETE", ""],
      ["GET", "/keys"],
      ["PUT", "/quotas"],
    ] as const)
      expect(
        await times(10, () => ask(method, `/v1/tenants/t${letters(8)}${rest}`, { key: admin, ...(method === "PUT" ? { body: {} } : {}) })),
      ).toEqual([404])
    expect(await objects()).toEqual(before)
  })

  test("[N1] a deleted run and a deleted tenant leave no more than they had", async () => {
    const run = await aRun()
    const before = await objects()
    expect((await ask("DELETE", `/v1/runs/${run}`)).status).toBe(204)
    expect(await times(10, () => ask("GET", `/v1/runs/${run}`))).toEqual([404])
    expect(await objects()).toEqual(before)
  })
})
