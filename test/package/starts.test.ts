// `sluice starts`, what `sluice run` says of its start [R23], and `sluice pace` [R31].

import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { sluice, type Done } from "./sluice.ts"

const asked: { readonly path: string; readonly body?: unknown }[] = []
const HOLDS = { flow: "review", priority: "normal", merged: 1, concurrency: { pool: "review", key: "shop#7", limit: 1 } }
const WAITING = { reason: "concurrency", pool: "review", key: "shop#7", ahead: 2, run: "run_1" }
const ROWS = [
  { ...HOLDS, run: "run_1", state: "running", arrived: "2026-12-01T09:00:00.000Z" },
  { ...HOLDS, run: "run_2", state: "waiting", arrived: "2026-12-01T09:00:01.000Z", priority: "low", merged: 3, waiting: WAITING },
]
const PACED = {
  model: "p/m",
  set: { rpm: 50, tpm: 9_000 },
  learned: { rpm: 60, tpm: 8_000 },
  used: { requests: 41, input: 1_000, output: 500 },
  waiting: 3,
  longest_ms: 14_250,
  stopped_until: "2026-12-01T09:00:10.000Z",
}
const FREE = { model: "p/free", set: {}, learned: {}, used: { requests: 2, input: 10, output: 5 }, waiting: 0, longest_ms: 0 }
let paced: readonly object[] = []
const server = createServer((request, answer) => {
  let text = ""
  request.on("data", (part: Buffer) => (text += String(part)))
  request.on("end", () => {
    const path = request.url ?? ""
    const isStart = request.method === "POST"
    if (path === "/v1/settings/pacing/now")
      return void answer.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ data: paced }))
    asked.push({ path, ...(text === "" ? {} : { body: JSON.parse(text) }) })
    const queued = { id: "run_2", flow: "review", status: "queued", waiting: WAITING, urls: {} }
    answer
      .writeHead(isStart ? 202 : 200, { "content-type": "application/json" })
      .end(JSON.stringify(isStart ? queued : { data: path.includes("nobody") ? [] : ROWS, next_cursor: null }))
  })
})
let url = ""
beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => void asked.splice(0))

/** Of the form of a key: here any other text after `--key` is the key of a start. */
const API_KEY = `sl_test_${"k".repeat(32)}`

const say = (...words: readonly string[]): Promise<Done> => sluice([...words, "--url", url, "--key", API_KEY])

test("[R23] `sluice starts` lists who holds a key, and what each one that waits waits for", async () => {
  const { code, out } = await say("starts")
  expect([code, out.trimEnd().split("\n")]).toEqual([
    0,
    [
      expect.stringMatching(/^run_1 .* running .*review  shop#7  holds the key$/),
      expect.stringMatching(/^run_2 .* waiting .*review  shop#7  low  3 starts  2 before it, run_1 holds the key$/),
    ],
  ])
  expect(asked.map(({ path }) => path)).toEqual(["/v1/starts?limit=20"])
})

test("[R23] its filters are the list's; without a start it says so, and --json is the API's rows", async () => {
  expect(
    (await say("starts", "--flow", "nobody", "--pool", "p", "--start-key", "k#1", "--state", "waiting", "--limit", "5")).out,
  ).toContain("no start waits, and no run holds a key")
  const query = new URL(asked[0]?.path ?? "", url).searchParams
  expect(Object.fromEntries(query)).toEqual({ flow: "nobody", pool: "p", key: "k#1", state: "waiting", limit: "5" })
  expect(JSON.parse((await say("starts", "--json")).out)).toEqual({ data: ROWS })
})

test("[R23] `sluice run --priority --delay --expires` puts them into the start's block", async () => {
  await say("run", "review", "--detach", "--priority", "low", "--delay", "10m", "--expires", "1d")
  const start = asked.find(({ path }) => path.startsWith("/v1/flows/review/runs"))
  expect(start?.body).toMatchObject({ start: { priority: "low", delay: "10m", expires: "1d" } })
  expect((await say("run", "review", "--priority", "urgent")).code).not.toBe(0)
})

test("[R31] `sluice pace` says what bounds each model, the stricter of set and learned, and what waits", async () => {
  paced = [PACED, FREE]
  expect((await say("pace")).out.trimEnd().split("\n")).toEqual([
    "p/m",
    "  41 of 50 requests a minute (set)",
    "  1,500 of 8,000 tokens a minute (learned)",
    "  3 waiting, the longest 14.3 s",
    "  stopped by its provider until 2026-12-01T09:00:10.000Z",
    "p/free",
    "  2 requests in the last minute, no limit",
  ])
  expect(JSON.parse((await say("pace", "--json")).out)).toEqual({ data: paced })
  paced = []
  expect((await say("pace")).out).toContain("no model was asked in the last minute")
})
