// `npm run fuzz`: the server under attack, driven by its own document [S17, H2, H3, H10, H11]. Every operation gets valid and spoiled
// requests, and so do the entrances that are not operations. Whatever is sent: no 5xx, every refusal is a problem, every answer is in
// the document and comes within a second, nothing is half-written, and at the end a run succeeds.
//
// SEED=N repeats a run (the seed is printed), RUNS=N sets the number of cases per operation, ONLY=TEXT tries only operations whose id
// contains the text. Starts its own server (PORT, or any free port) with its own data. Prints `N passed, N failed`.

import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { buildWorker } from "../../local/build.ts"
import { startServer } from "../../local/server.ts"
import { LOCAL_ADMIN_KEY, readSettings } from "../../local/settings.ts"
import { runMain } from "../../local/trouble.ts"
import { found } from "../service/possessions.ts"
import { attackDefinitions } from "./definitions.ts"
import { documentOf } from "./document.ts"
import { attackHooks, attackMcp, attackSockets, attackTokens, attackTools } from "./doors.ts"
import { attackFraming, attackQuotas, attackTenants } from "./instance.ts"
import { objectOf, Tally } from "./judge.ts"
import { attackOperations } from "./operations.ts"
import { RECEIVER, Stand } from "./stand.ts"
import { Wire } from "./wire.ts"

await runMain(async () => {
  const seed = process.env["SEED"] || String(Date.now() % 1_000_000)
  const runs = Number(process.env["RUNS"] || 16)
  const only = process.env["ONLY"] ?? ""
  console.log(`SEED=${seed} RUNS=${runs}${only === "" ? "" : ` ONLY=${only}`}`)
  const data = await mkdtemp(path.join(tmpdir(), "sluice-fuzz-"))
  // A separate file: other suites serve dist/worker.js.
  const worker = await buildWorker("src/index.ts", "dist/fuzz/worker.js")
  const server = await startServer(
    readSettings({ ...process.env, HOST: "", PORT: process.env["PORT"] || "0", SLUICE_DATA: data, ALLOWED_PRIVATE_HOSTS: "127.0.0.1" }),
    worker,
  )
  const wire = new Wire(server.url)
  const tally = new Tally()
  try {
    await attackAll(server.url, wire, tally, { seed, runs, only })
    for (const line of await faultsInLog(path.join(data, "server.log"))) tally.note("the server's log has a fault", line)
  } finally {
    wire.close()
    await server.close()
    await rm(data, { recursive: true, force: true })
  }
  for (const line of tally.lines()) console.log(line)
  console.log(`SEED=${seed}: ${wire.count} requests`)
  console.log(`${tally.passed} passed, ${tally.failed} failed`)
  process.exitCode = tally.failed > 0 || tally.passed === 0 ? 1 : 0
})

async function attackAll(
  url: string,
  wire: Wire,
  tally: Tally,
  options: { readonly seed: string; readonly runs: number; readonly only: string },
): Promise<void> {
  const { seed, runs, only } = options
  const document = documentOf(await wire.send({ method: "GET", path: "/openapi.json", headers: [] }))
  const stand = new Stand(wire, tally, document, LOCAL_ADMIN_KEY)
  const timed = async (name: string, attack: () => Promise<void>): Promise<void> => {
    const [began, count] = [performance.now(), wire.count]
    stand.slowest = { ms: 0, name: "" }
    await attack()
    const { ms, name: of } = stand.slowest
    console.log(
      `${name}: ${wire.count - count} requests in ${((performance.now() - began) / 1000).toFixed(1)} s, the slowest ${ms.toFixed(0)} ms: ${of}`,
    )
  }
  const stamp = Date.now().toString(36)
  const company = await found(url, stand.admin, `fuzz-x-${stamp}`, `x${stamp}`, RECEIVER)
  const quiet = await found(url, stand.admin, `fuzz-y-${stamp}`, `y${stamp}`, RECEIVER)
  const calm = await stand.probe(quiet.key)
  if (only === "") {
    await timed("definitions", () => attackDefinitions(stand, company.key))
    await timed("mcp", () => attackMcp(stand, company, seed, runs * 16))
    await timed("hooks", () => attackHooks(stand, company, seed, runs * 8))
    await timed("tokens", () => attackTokens(stand, company, seed))
    await timed("sockets", () => attackSockets(stand, company, seed, runs * 8))
    await timed("tools", () => attackTools(stand, company, seed, Math.ceil(runs / 6)))
    await timed("tenants", () => attackTenants(stand, company))
    await timed("framing", () => attackFraming(stand, url, company.key))
    await timed("quotas", () => attackQuotas(stand, company))
  }
  await timed(`${document.operations.length} operations`, () => attackOperations(stand, url, options))

  // The server is unchanged and works.
  tally.note("the answers to the fixed questions changed", (await stand.probe(quiet.key)) === calm ? undefined : "after all")
  const after = documentOf(await wire.send({ method: "GET", path: "/openapi.json", headers: [] }))
  tally.note("the document changed", JSON.stringify(after) === JSON.stringify(document) ? undefined : "after all")
  const started = await stand.ask({
    method: "POST",
    path: `/v1/flows/${quiet.ids["flow"] ?? ""}/runs`,
    key: quiet.key,
    body: '{"rehearse":true}',
    type: "application/json",
    headers: [["prefer", "wait=20"]],
  })
  const status = objectOf(started.text)?.["status"]
  tally.note("a simple run does not succeed", status === "succeeded" ? undefined : `${started.status} ${started.text.slice(0, 500)}`)
}

/** Faults that no client saw: an answer may be fine while something behind it broke. */
async function faultsInLog(file: string): Promise<readonly string[]> {
  const lines = (await readFile(file, "utf8")).split("\n")
  // A request that the runtime's own HTTP parser rejects never reached the Worker.
  return lines
    .filter((line) => !/kj\/compat\/(?:url|http)\.c\+\+/.test(line))
    .filter((line) => /"event":"http\.fault"|"level":"error"|[Uu]ncaught|unhandled|internal error;/.test(line))
    .map((line) => line.slice(0, 1_500))
}
