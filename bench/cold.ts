// `npm run bench:cold [-- BEFORE/dist/modules AFTER/dist/modules …]`: measures a start of the deployed modules, from the process to its
// first answer (`GET /healthz`), and from there to the end of the first run. Bare workerd, alternating with an empty Worker; `--rounds=15`.
//
// Its configuration is in workerd's binary form, as the local server has it: as text, workerd parses and copies every byte of the modules, 45 ms.
// CPU is that of all threads of workerd, from /proc/PID/task/*/schedstat, in whole nanoseconds; `/proc/PID/stat` counts in steps of 10 ms.

import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { Api } from "./api.ts"
import { median, short, spread, table } from "./figures.ts"
import { chain } from "./flows.ts"
import { pause } from "./server.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const WORKERD = path.join(root, "node_modules/workerd/bin/workerd")

const { values, positionals } = parseArgs({ allowPositionals: true, options: { rounds: { type: "string", default: "15" } } })

/** Stands in for R2: what is written is in KV as well, so nothing is read. */
const SINK = `export default {
  async fetch(request) {
    if (request.method !== "PUT") return new Response(null, { status: 404, headers: { "cf-r2-error": '{"version":1,"v4code":10007,"message":"none"}' } });
    await request.arrayBuffer();
    return Response.json({ name: "a", version: "a", size: "0", etag: "a", uploaded: "0" });
  },
}`
/** Stands in for KV. */
const STORE = `const kept = new Map();
export default {
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (request.method !== "GET") return kept.set(pathname, await request.arrayBuffer()), new Response(null);
    return kept.has(pathname) ? new Response(kept.get(pathname)) : new Response(null, { status: 404 });
  },
}`
const EMPTY_WORKER = "export default { fetch: () => new Response('ok') }"
const OBJECTS = { RUN: "RunObject", TENANT: "TenantObject", MEMORY: "MemoryObject", DIRECTORY: "DirectoryObject" }

interface Start {
  /** ms of CPU to the first answer. */
  readonly first: number
  /** ms on the clock to the first answer. */
  readonly wall: number
  /** ms of CPU from there to the end of the first run; NaN for the empty Worker. */
  readonly run: number
}

const folder = mkdtempSync(path.join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "sluice-cold-"))
const objects = path.join(folder, "objects")
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
const sides = [undefined, ...(positionals.length > 0 ? positionals : [path.join(root, "dist/modules")])].map((modules, i) => {
  const config = path.join(folder, `${i}.config`)
  return { name: modules ?? "an empty Worker", modules, config, seen: [] as Start[] }
})

const port = await freePort()
for (const { modules, config } of sides) {
  writeFileSync(`${config}.txt`, modules === undefined ? emptyConfig() : configOf(path.resolve(modules)))
  writeFileSync(config, execFileSync(WORKERD, ["compile", "--config-only", `${config}.txt`], { maxBuffer: 64 * 1_048_576 }))
}
for (let round = 0; round < Number(values.rounds); round++)
  for (const side of round % 2 === 0 ? sides : sides.toReversed()) side.seen.push(await start(side.config, side.modules !== undefined))

const rows = sides.map(({ name, modules, seen }) => {
  const before = sides[1]?.seen ?? []
  const ratio = median(seen.map((s, i) => s.first / (before[i]?.first ?? Number.NaN)))
  return [
    name,
    spread(seen.map((s) => s.first)),
    short(ratio),
    spread(seen.map((s) => s.wall)),
    modules === undefined ? "" : spread(seen.map((s) => s.run)),
  ]
})
console.log(table(["modules", "first answer, CPU ms", "ratio", "wall ms", "first run, CPU ms"], rows))

async function start(config: string, isSluice: boolean): Promise<Start> {
  rmSync(objects, { recursive: true, force: true })
  mkdirSync(objects)
  const from = performance.now()
  const child = spawn(WORKERD, ["serve", "--binary", config], { stdio: ["ignore", "ignore", "inherit"] })
  const gone = new Promise((resolve) => child.once("exit", resolve))
  try {
    const url = `http://127.0.0.1:${port}`
    await answered(`${url}/healthz`)
    const [first, wall] = [cpuOf(child.pid), performance.now() - from]
    if (!isSluice) return { first, wall, run: Number.NaN }
    const api = new Api(url)
    await api.setUp([chain(1)])
    await api.run("bench-chain-1")
    return { first, wall, run: cpuOf(child.pid) - first }
  } finally {
    child.kill("SIGKILL")
    await gone
  }
}

async function answered(url: string): Promise<void> {
  for (let tries = 0; tries < 2_000; tries++) {
    const answer = await fetch(url).catch(() => undefined)
    await answer?.text()
    if (answer?.ok) return
    await pause(5)
  }
  throw new Error(`${url} does not answer`)
}

function cpuOf(pid: number | undefined): number {
  const tasks = `/proc/${pid}/task`
  return readdirSync(tasks).reduce((ms, id) => ms + Number(readFileSync(`${tasks}/${id}/schedstat`, "utf8").split(" ")[0]) / 1e6, 0)
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === "object" && address ? address.port : 0
}

function configOf(modules: string): string {
  const files = readdirSync(modules).filter((file) => file.endsWith(".mjs"))
  const order = ["index.mjs", ...files.filter((file) => file !== "index.mjs")]
  const embed = order.map((file) => `(name = "${file}", esModule = embed "${path.relative(folder, path.join(modules, file))}")`)
  return capnp(
    embed,
    [
      '(name = "ENVIRONMENT", text = "local")',
      '(name = "REQUEST_LOG", text = "off")',
      '(name = "CACHE", kvNamespace = "store")',
      '(name = "BLOBS", r2Bucket = "sink")',
      ...Object.entries(OBJECTS).map(([name, className]) => `(name = "${name}", durableObjectNamespace = "${className}")`),
    ],
    Object.values(OBJECTS).map((name) => `(className = "${name}", uniqueKey = "${name}", enableSql = true)`),
  )
}

function emptyConfig(): string {
  return capnp([`(name = "index.mjs", esModule = ${JSON.stringify(EMPTY_WORKER)})`], [], [])
}

function capnp(modules: readonly string[], bindings: readonly string[], namespaces: readonly string[]): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main), (name = "store", worker = .store), (name = "sink", worker = .sink), (name = "objects", disk = (path = "${objects}", writable = true))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const main :Workerd.Worker = (
  compatibilityDate = "2026-07-30",
  compatibilityFlags = ["nodejs_compat", "durable_object_io_tasks_prevent_eviction"],
  modules = [${modules.join(", ")}],
  bindings = [${bindings.join(", ")}],
  durableObjectNamespaces = [${namespaces.join(", ")}],
  durableObjectStorage = (localDisk = "objects"),
);
const store :Workerd.Worker = (
  compatibilityDate = "2026-07-30",
  modules = [(name = "index.mjs", esModule = ${JSON.stringify(STORE)})],
);
const sink :Workerd.Worker = (
  compatibilityDate = "2026-07-30",
  modules = [(name = "index.mjs", esModule = ${JSON.stringify(SINK)})],
);
`
}
