// `sluice bulk`: counted first and agreed to; a pipe cannot agree.

import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { sluice, type Done } from "./sluice.ts"

const asked: { readonly path: string; readonly body: unknown }[] = []
const server = createServer((request, answer) => {
  let text = ""
  request.on("data", (part: Buffer) => (text += String(part)))
  request.on("end", () => {
    const path = request.url ?? ""
    asked.push({ path, body: JSON.parse(text) })
    const body = path.includes("check=1")
      ? { action: "again", count: 3, complete: true, effects: { live: 2, staged: 1, dry: 0 }, runs: [] }
      : { id: "bulk_1", action: "again", count: 3 }
    answer.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
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

const bulk = (...words: readonly string[]): Promise<Done> => sluice(["bulk", ...words, "--url", url, "--key", "k"])
const FOUND = ["--flow", "support:*", "--status", "failed,canceled", "--since", "7d", "--q", "refund"] as const
const filter = { flow: "support:*", q: "refund", since: "7d", status: "failed,canceled" }

test("[R46] in a pipe it is an error without --yes, which says the count, and nothing is begun", async () => {
  const { code, err } = await bulk("again", ...FOUND)
  expect([code, err]).toEqual([
    2,
    expect.stringContaining(
      "3 runs match: 2 live, 1 staged (calls are held), 0 dry (calls are simulated). Nobody can be asked here: --yes",
    ),
  ])
  expect(asked).toEqual([{ path: "/v1/bulk?check=1", body: { action: "again", filter } }])
})

test("[R46] --check only counts, --yes begins at once", async () => {
  expect(await bulk("again", ...FOUND, "--check")).toMatchObject({
    code: 0,
    out: "3 runs match: 2 live, 1 staged (calls are held), 0 dry (calls are simulated)\n",
  })
  expect(JSON.parse((await bulk("delete", ...FOUND, "--yes", "--most", "5", "--json")).out)).toMatchObject({ id: "bulk_1", count: 3 })
  expect(asked.map(({ path }) => path)).toEqual(["/v1/bulk?check=1", "/v1/bulk"])
  expect(asked[1]?.body).toEqual({ action: "delete", filter, most: 5 })
})

test("[R46] a fork says where and with what; runs are ids or found, not both and not neither", async () => {
  await bulk("fork", "run_1", "run_2", "--from", "failed", "--revision", "12", "--effects", "staged", "--yes")
  await bulk("fork", "run_1", "--from", "pay", "--yes")
  expect(asked.map(({ body }) => body)).toEqual([
    { action: "fork", runs: ["run_1", "run_2"], fork: { from: "failed", patch: { revision: 12 }, effects: "staged" } },
    { action: "fork", runs: ["run_1"], fork: { from: { step: "pay" } } },
  ])
  for (const words of [
    ["cancel", "--yes"],
    ["cancel", "run_1", "--tag", "t", "--yes"],
    ["cancel", "--status", "over", "--yes"],
  ])
    expect((await bulk(...words)).code).toBe(2)
  expect(asked).toHaveLength(2)
})
