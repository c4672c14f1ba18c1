// `npm run bench`: prints all figures as Markdown. `-- --quick` takes a tenth of the time, with less exact figures; `-- peers` measures
// Sluice beside other systems and nothing else (bench/peers/peers.ts has its options). `-- throughput` (growth, parallel, map, fairness,
// attacks, wake, fork) runs one part. bench/README.md explains the measurements, bench/FIGURES.md has the results.

import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs"
import os from "node:os"
import path from "node:path"
import { gzipSync } from "node:zlib"
import { buildWorker } from "../local/build.ts"
import { Api } from "./api.ts"
import { attacks } from "./attacks.ts"
import { median, short, spread, table } from "./figures.ts"
import { chain, codeChain, fan, long, MAP, ONE, segments } from "./flows.ts"
import { fairness } from "./fairness.ts"
import { fork } from "./fork.ts"
import { growth, lengths } from "./growth.ts"
import { map } from "./map.ts"
import { peers } from "./peers/peers.ts"
import { Server } from "./server.ts"
import { storage } from "./storage.ts"
import { throughput, type Place } from "./throughput.ts"
import { wake } from "./wake.ts"

const FLOWS = [
  chain(10),
  segments(10),
  chain(100),
  chain(200),
  segments(200),
  chain(250),
  chain(400),
  codeChain(200),
  fan(50),
  long(),
  MAP,
  ONE,
]
const TMPFS = 0x01021994
const PARTS = ["throughput", "growth", "parallel", "map", "fairness", "attacks", "wake", "fork"] as const

const args = process.argv.slice(2)
/** `--only=zip,shell`: the attacks whose name contains one of the words. */
const only = args
  .find((arg) => arg.startsWith("--only="))
  ?.slice("--only=".length)
  .split(",") ?? [""]
const isQuick = args.includes("--quick")
const parts = PARTS.filter((p) => args.includes(p))
const wants = (part: (typeof PARTS)[number]): boolean => parts.length === 0 || parts.includes(part)

if (args[0] === "peers") {
  await peers(args.slice(1))
  process.exit()
}

const places: Place[] = []
const folders: string[] = []
process.once("exit", () => folders.forEach((f) => rmSync(f, { recursive: true, force: true })))
try {
  const worker = readFileSync(await buildWorker())
  const { length: gzip } = gzipSync(worker)
  console.log(`${os.cpus().length} × ${os.cpus()[0]?.model ?? "?"}, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}`)
  console.log(`bundle: ${short(worker.length / 1024)} KiB, ${short(gzip / 1024)} KiB gzip, in one file\n`)

  const disk = await place("disk", os.tmpdir())
  const memory = existsSync("/dev/shm") ? await place("tmpfs", "/dev/shm") : undefined
  if (wants("throughput")) {
    const load = isQuick ? { runs: 60, concurrency: 16, rounds: 2 } : { runs: 200, concurrency: 16, rounds: 4 }
    section(`Throughput: ${load.runs} runs at concurrency ${load.concurrency}, ${load.rounds} rounds`, await throughput(places, load))
  }
  if (wants("growth")) {
    section("A step's time by its position", await growth(disk.api, isQuick ? 3 : 21))
    if (memory) section("A step's time by its position, tmpfs", await growth(memory.api, isQuick ? 3 : 21))
    section("A run's time by its length", await lengths(disk.api, isQuick ? 3 : 9))
    if (memory) section("A run's time by its length, tmpfs", await lengths(memory.api, isQuick ? 3 : 9))
  }
  if (wants("parallel")) section("50 steps in parallel, then one that waits for all", await parallel(places, isQuick ? 5 : 21))
  if (wants("map")) section("A map over 1,000 items, 20 at once", await map(disk.server, disk.api))
  if (wants("fairness"))
    for (const { name, server } of places)
      section(`A tenant's flood and another's runs, ${name}`, await fairness(server.url, isQuick ? 2 : 6))
  if (wants("fairness") || parts.includes("attacks"))
    section("A tenant's attack and another's list of runs", await attacks(os.tmpdir(), (name) => only.some((word) => name.includes(word))))
  if (wants("fork")) section("A fork of a history of 5 MB", await fork(places, isQuick ? 5 : 21))
  if (wants("wake")) {
    const { api, server } = disk
    const small = (await api.run("bench-chain-10")).id
    const segmented = (await api.run("bench-segments-10")).id
    const long = (await api.run("bench-chain-250")).id
    const second = (await api.run("bench-chain-250")).id
    await server.kill()
    const kept = storage(server.data, [
      { run: small, label: "10-step chain", steps: 10 },
      { run: segmented, label: "10 segments", steps: 10 },
      { run: long, label: "250-step chain", steps: 250 },
    ])
    section("Rows and bytes of a run", kept)
    section("Waking up", await wake(server.data, { small, first: long, second }, isQuick ? 2 : 5))
  }
} finally {
  for (const { server } of places) await server.stop()
}

async function place(name: string, folder: string): Promise<Place> {
  const data = mkdtempSync(path.join(folder, "sluice-bench-"))
  folders.push(data)
  const server = await Server.start(data)
  const it = { name: statfsSync(folder).type === TMPFS ? "tmpfs" : name, server, api: new Api(server.url) }
  places.push(it)
  await it.api.setUp(FLOWS)
  return it
}

async function parallel(all: readonly Place[], runs: number): Promise<string> {
  const seen = all.map((): number[] => [])
  for (let n = -3; n < runs; n++)
    for (const [i, { api }] of all.entries()) {
      const from = performance.now()
      await api.run("bench-fan-50")
      if (n >= 0) seen[i]?.push(performance.now() - from)
    }
  const rows = all.map(({ name }, i) => [name, spread(seen[i] ?? []), short(median(seen[i] ?? []) / 51)])
  return table(["storage", "whole run, ms", "ms/step"], rows)
}

function section(title: string, body: string): void {
  console.log(`### ${title}\n\n${body}\n`)
}
