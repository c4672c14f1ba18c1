// Measures how long a tenant waits for its list of runs while another tenant attacks [N4, S17]. Each attack in attack-list.ts gets its own
// server with fresh data, so that no attack affects the next.

import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import path from "node:path"
import { Worker } from "node:worker_threads"
import { LOCAL_ADMIN_KEY } from "../local/settings.ts"
import { Api } from "./api.ts"
import { ATTACKS, PAGES } from "./attack-list.ts"
import { Attacker, type Attack } from "./attacker.ts"
import { quantile, short, table } from "./figures.ts"
import { chain } from "./flows.ts"
import { pause, Server } from "./server.ts"

/** The limit of the other tenant's p95. */
export const LIMIT_MS = 250
/** An attack that has not ended by then is cut off. */
const LONGEST_MS = 60_000
const TYPES: Readonly<Record<string, string>> = { json: "application/json", txt: "text/plain" }
/** Short attacks are watched this long. */
const LEAST_MS = 2_000
const UNLIMITED = { concurrent_runs: 100_000, starts_per_minute: 1_000_000 }

export async function attacks(folder: string, wanted: (name: string) => boolean): Promise<string> {
  const pages = createServer((asked, answer) => {
    const body = PAGES[asked.url ?? ""]
    const type = /\.(json|txt)$/.exec(asked.url ?? "")?.[1]
    answer.writeHead(body === undefined ? 404 : 200, { "content-type": type === undefined ? "text/html" : (TYPES[type] ?? "text/plain") })
    answer.end(body?.())
  })
  await new Promise<void>((listening) => pages.listen(0, "127.0.0.1", listening))
  const site = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
  const before = process.env["ALLOWED_PRIVATE_HOSTS"]
  process.env["ALLOWED_PRIVATE_HOSTS"] = "127.0.0.1"
  const rows: string[][] = []
  try {
    for (const [name, attack] of [["nothing", async () => "quiet"] as const, ...Object.entries(ATTACKS)])
      if (wanted(name)) {
        const row = await measured(folder, name, attack, site)
        rows.push(row)
        console.error(row.join(" | "))
      }
  } finally {
    if (before === undefined) delete process.env["ALLOWED_PRIVATE_HOSTS"]
    else process.env["ALLOWED_PRIVATE_HOSTS"] = before
    pages.close()
    pages.closeAllConnections()
  }
  return table(
    [
      "A's attack",
      "the answer to A",
      "attack, s",
      "workerd CPU, s",
      "B's GET /v1/runs, ms: p50",
      "p95",
      "max",
      "B's starts, ms: p95",
      `p95 ≤ ${LIMIT_MS} ms`,
      "workerd computed meanwhile, ms: p95",
      "max",
    ],
    rows,
  )
}

async function measured(folder: string, name: string, attack: Attack, site: string): Promise<string[]> {
  const data = mkdtempSync(path.join(folder, "sluice-attack-"))
  const server = await Server.start(data)
  let watcher: Worker | undefined
  try {
    const admin = new Api(server.url, LOCAL_ADMIN_KEY)
    const quiet = await admin.tenant("quiet", UNLIMITED)
    await quiet.setUp([chain(10)])
    for (let n = 0; n < 20; n++) await quiet.run("bench-chain-10")
    const attacker = new Attacker(server.url, (await admin.tenant("attacker", UNLIMITED)).address.key, site)
    await attacker.send("GET", "/v1/runs")
    watcher = new Worker(new URL("./watcher.ts", import.meta.url), { workerData: { ...quiet.address, pid: server.pid } })
    await pause(LEAST_MS)
    await figures(watcher)
    const [from, before] = [performance.now(), server.usage().cpu]
    const seen = await Promise.race([
      attack(attacker).catch((error: unknown) => (error instanceof Error ? error.message : String(error)).slice(0, 80)),
      pause(LONGEST_MS).then(() => "not done"),
    ])
    const took = performance.now() - from
    const cpu = server.usage().cpu - before
    await pause(Math.max(500, LEAST_MS - took))
    const { waits: seenByB, starts, wrong } = await figures(watcher)
    const waits = seenByB.map((wait) => wait.took)
    const busy = seenByB.map((wait) => wait.busy)
    const p95 = quantile(waits, 0.95)
    const startsP95 = quantile(starts.length === 0 ? [0] : starts, 0.95)
    const held =
      p95 <= LIMIT_MS && startsP95 <= LIMIT_MS && wrong === 0 ? "yes" : wrong === 0 ? "**no**" : `**no**, ${wrong} without an answer`
    return [
      name,
      seen,
      short(took / 1000),
      short(cpu / 1000),
      short(quantile(waits, 0.5)),
      short(p95),
      short(Math.max(...waits)),
      short(startsP95),
      held,
      short(quantile(busy, 0.95)),
      short(Math.max(...busy)),
    ]
  } finally {
    await watcher?.terminate()
    await server.kill()
    rmSync(data, { recursive: true, force: true })
  }
}

interface Figures {
  readonly waits: readonly { readonly took: number; readonly busy: number }[]
  readonly starts: readonly number[]
  readonly wrong: number
}

const figures = (watcher: Worker): Promise<Figures> =>
  new Promise((resolve) => {
    watcher.once("message", resolve)
    watcher.postMessage("figures")
  })
