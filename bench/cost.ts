// Measures the billed cost of a run of ten steps: rows, requests, operations, counted by bench/cost-worker.mjs. Not part of `npm run
// bench`, which measures the unmodified Worker; run it with `npm run bench:cost`.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { z } from "zod"
import { buildWorker } from "../local/build.ts"
import { startServer } from "../local/server.ts"
import { readSettings } from "../local/settings.ts"
import { Api } from "./api.ts"
import { short, table } from "./figures.ts"
import { chain } from "./flows.ts"

const RUNS = 50
/** Time for a run's final notifications and its alarm, which fires 10 s after its end. */
const SETTLE_MS = 15_000

const data = mkdtempSync(path.join(tmpdir(), "sluice-cost-"))
const server = await startServer(
  readSettings({ PORT: "0", SLUICE_DATA: data, REQUEST_LOG: "off", SLUICE_LOG: process.env["SLUICE_LOG"] }),
  await buildWorker("bench/cost-worker.mjs", "dist/cost-worker.js"),
)
try {
  const api = new Api(server.url)
  await api.setUp([chain(10)])
  for (let n = 0; n < 5; n++) await api.run("bench-chain-10")
  await settled()
  await counts()
  for (let n = 0; n < RUNS; n++) await api.run("bench-chain-10")
  await settled()
  const totals = Object.entries(await counts()).toSorted(([a], [b]) => (a < b ? -1 : 1))
  console.log(
    table(
      ["10-step chain", "per run"],
      totals.map(([what, n]) => [what, short(n / RUNS)]),
    ),
  )
} finally {
  await server.close()
  rmSync(data, { recursive: true, force: true })
}

async function counts(): Promise<Record<string, number>> {
  return z.record(z.string(), z.number()).parse(await (await fetch(`${server.url}/__count`)).json())
}

function settled(): Promise<void> {
  return new Promise((wake) => setTimeout(wake, SETTLE_MS))
}
