// `npm run bench:machine -- --runs=1000`: what one server holds [O56]: starts and whole runs a second, runs that wait for a person, memory and disk of them,
// how soon a server with all of them answers again, and for how long a backup of them halts it. One server, one disk, no other tenant.

import { mkdtemp, readdir, rm, stat } from "node:fs/promises"
import { readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { parseArgs } from "node:util"
import { backUp } from "../local/backup/backup.ts"
import { LOCAL_KEY } from "../local/settings.ts"
import { atOnce } from "./api.ts"
import { table } from "./figures.ts"
import { Server } from "./server.ts"

const { values } = parseArgs({ options: { runs: { type: "string", default: "1000" }, at: { type: "string", default: "16" } } })
const runs = Number(values.runs)
const home = await mkdtemp(path.join(tmpdir(), "sluice-machine-"))
const data = path.join(home, "data")
const rows: string[][] = []

/** A rehearsed run of three agents that then waits for a person; of a flow that ends, one that ends. */
async function start(url: string, flow: string, seconds: number): Promise<string> {
  const answer = await fetch(`${url}/v1/flows/${flow}/runs`, {
    method: "POST",
    headers: { authorization: `Bearer ${LOCAL_KEY}`, "content-type": "application/json", prefer: `wait=${seconds}` },
    body: JSON.stringify({ task: "What one machine holds.", rehearse: true }),
  })
  if (!answer.ok) throw new Error(`the start was answered ${answer.status}: ${await answer.text()}`)
  return ((await answer.json()) as { status: string }).status
}

async function timed(what: string, count: number, act: () => Promise<unknown>): Promise<void> {
  const began = performance.now()
  await atOnce(count, Number(values.at), act)
  const ms = performance.now() - began
  rows.push([what, `${((count * 1000) / ms).toFixed(1)} a second`])
}

/** As the disk counts it, without the 8 MiB that are kept free. */
async function usedBytes(): Promise<number> {
  const all = (await readdir(data, { recursive: true, withFileTypes: true })).filter(
    (entry) => entry.isFile() && !entry.parentPath.endsWith("reserve"),
  )
  const sizes = await Promise.all(
    all.map(async (entry) => (await stat(path.join(entry.parentPath, entry.name)).catch(() => undefined))?.blocks ?? 0),
  )
  return sizes.reduce((sum, blocks) => sum + blocks * 512, 0)
}

const memory = (pid: number): string =>
  `${Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024)} MiB`
const ofEach = (bytes: number): string => `${(bytes / 1024 / runs).toFixed(1)} KiB each`

let server = await Server.start(data)
try {
  await start(server.url, "research", 30)
  rows.push(["memory of the runtime, at rest", memory(server.pid)])
  const before = await usedBytes()
  await timed("starts, each a new run that begins at once", runs, () => start(server.url, "research", 0))
  await atOnce(4, 4, () => start(server.url, "research", 60))
  rows.push([`memory, ${runs} waiting runs just begun`, memory(server.pid)])
  rows.push([`disk, ${runs} waiting runs, logs of their databases included`, ofEach((await usedBytes()) - before)])
  const made = await backUp(data, path.join(home, "backups"))
  rows.push([`a backup of them: halted`, `${made.halted} ms`], ["files in it", String(made.files)])
  await server.stop()
  const began = performance.now()
  server = await Server.start(data)
  rows.push(["a start with all of them, to its first answer", `${Math.round(performance.now() - began)} ms`])
  await start(server.url, "research", 60)
  rows.push(["memory then", memory(server.pid)])
  rows.push([`disk then`, ofEach((await usedBytes()) - before)])
  await timed("whole runs beside them, three rehearsed agents until a person is asked", Math.min(runs, 200), () =>
    start(server.url, "research", 60),
  )
} finally {
  await server.stop()
  await rm(home, { recursive: true, force: true, maxRetries: 5 })
}
console.log(table(["what", "measured"], rows))
