// `npm run crash:effects`: staged runs are committed against a counting service while the server is killed with SIGKILL, at named points
// and at random, and started again on the same data. What reached the service is compared with what the ledgers say.
//
// `-- --runs N`: that many runs (96 by default), in waves of 48, or of 200 from 1,000 runs on; SEED=N repeats the choices and delays.
// `--minutes M` begins no wave after that time. The last line counts the checks. `--planted early` plants that fault, which must be found
// (planted.ts).

import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { checkTotal, type Told } from "../books.ts"
import { Client } from "../client.ts"
import type { Check } from "../evidence.ts"
import { buildWith, EARLY, plantedBy, sayEnd } from "../planted.ts"
import { Victim } from "../victim.ts"
import { CATALOG, toolsAt } from "./flows.ts"
import { checkReads, judge, type Counted } from "./judge.ts"
import { Wave, POINTS, type Point } from "./wave.ts"
import { World, type Arrival } from "./world.ts"

const FEW = 96
const KILLS_OF_A_WAVE = 4
/** A server's data folder holds the runs of so many waves; then a new one begins. */
const WAVES_OF_A_SERVER = 10

const root = fileURLToPath(new URL("../../..", import.meta.url))
const { values } = parseArgs({
  options: { runs: { type: "string", default: String(FEW) }, minutes: { type: "string", default: "1000" }, planted: { type: "string" } },
})
const planted = plantedBy(values.planted, EARLY)
const minutes = Number(values.minutes)
const wanted = Number(values.runs)
if (!Number.isSafeInteger(wanted) || wanted < 1) throw new Error(`--runs ${values.runs}: say how many, as in --runs 10000`)
if (!(minutes > 0)) throw new Error(`--minutes ${values.minutes}: say how many, as in --minutes 30`)
const size = wanted < 1_000 ? 48 : 200

process.once("SIGINT", () => process.exit(130))
process.once("SIGTERM", () => process.exit(143))

const began = Date.now()
let seed = Number(process.env["SEED"] ?? began % 1_000_000)
console.log(`effects: ${wanted} runs, SEED=${seed}`)
const checks: Check[] = []
const check = (name: string, fault: string | undefined): void => void checks.push({ name, fault })
const counted: Counted = { committed: 0, confirmed: 0, uncertain: 0, sentAgain: 0 }
const kills = new Map<Point, number>(POINTS.map((it) => [it, 0]))
let played = 0
/** Of the server's tenant. */
let told: Told[] = []
let readBefore = new Map<string, number>()

const folder = await mkdtemp(path.join(tmpdir(), "sluice-effects-worker-"))
const world = new World()
let victim: Victim | undefined
try {
  const worker = path.join(folder, "worker.js")
  await buildWith(planted, path.relative(root, worker))
  await world.open()
  for (let wave = 0; played < wanted && Date.now() - began < minutes * 60_000; wave++) {
    if (wave % WAVES_OF_A_SERVER === 0) {
      await victim?.close()
      victim = await ready(worker)
      told = []
    }
    if (!victim) throw new Error("there is no server")
    const count = Math.min(size, wanted - played)
    const before = world.arrivals.length
    const points = Array.from({ length: KILLS_OF_A_WAVE }, (_, k) => POINTS[(wave * KILLS_OF_A_WAVE + k) % POINTS.length] ?? "anywhere")
    const it = new Wave(victim, world, chance, `wave-${wave}`)
    const runs = await it.play(count, points)
    const left = byKey(world.arrivals.slice(before))
    for (const run of runs) checks.push(...judge(run, world, left, counted))
    check("[K31] the service gets nothing that no ledger has", [...left.keys()].join(" ") || undefined)
    const reads = [...world.reads].map(([path, all]) => [path, all.slice(readBefore.get(path) ?? 0)] as const)
    readBefore = new Map([...world.reads].map(([path, all]) => [path, all.length]))
    checks.push(...checkReads(runs, new Map(reads)))
    told.push(...runs.flatMap((run) => run.told))
    checks.push(await checkTotal(new Client(victim.url), told, true))
    for (const point of it.kills) kills.set(point, (kills.get(point) ?? 0) + 1)
    played += count
    if (wave % 5 === 4) console.log(`${played} runs after ${Math.round((Date.now() - began) / 1000)} s`)
  }
  // A read that two kills interrupt is given up, so not every dry run's arrives.
  check("dry runs really read", (world.reads.get("/look/dry")?.length ?? 0) >= Math.floor(played / 8) ? undefined : "too few reads")
  for (const [point, times] of kills) if (wanted >= FEW) check("every named point is hit", times > 0 ? undefined : point)
} catch (error) {
  check("the test reached its end", error instanceof Error ? (error.stack ?? error.message) : String(error))
} finally {
  await victim?.close()
  await world.close()
  await rm(folder, { recursive: true, force: true })
}
for (const [point, times] of kills) console.log(`${String(times).padStart(6)} kills  ${point}`)
console.log(
  `\n${played} runs, ${[...kills.values()].reduce((a, b) => a + b, 0)} kills: ${counted.committed} effects chosen, ${counted.confirmed} confirmed, ` +
    `${counted.uncertain} uncertain, ${counted.sentAgain} sent again; ${Math.round((Date.now() - began) / 1000)} s\n`,
)
process.exitCode = sayEnd("crash:effects", checks, planted) ? 0 : 1

async function ready(worker: string): Promise<Victim> {
  const it = await Victim.create(worker, { ALLOWED_PRIVATE_HOSTS: "127.0.0.1" })
  await it.start()
  const client = new Client(it.url)
  for (const [name, tool] of Object.entries(toolsAt(world))) await client.put(`/v1/tools/${name}`, tool)
  await client.put("/v1/catalog", CATALOG)
  return it
}

/** From 0 to most, always the same for a given seed. */
function chance(most: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((seed / 2 ** 32) * (most + 1))
}

function byKey(arrivals: readonly Arrival[]): Map<string, Arrival[]> {
  const keys = new Map<string, Arrival[]>()
  for (const it of arrivals) keys.set(it.key, [...(keys.get(it.key) ?? []), it])
  return keys
}
