// Plants faults, one at a time, and lets the simulator look for each of them: `npm run sim -- --planted`. Five minutes of one core each.

import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { misfits, type PlantedFault } from "./fault.ts"
import { FAULTS } from "./faults.ts"
import type { Said, Wish } from "./player.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
/** Seconds of CPU for a mutant, in seeds that reach it. */
const MUTANT_S = 40
const ROOMS = ["src", "test/sim/laws", "test/sim/people", "test/sim/platform", "test/sim/world"]
const player = fileURLToPath(new URL("player.ts", import.meta.url))

export interface PlantedOptions {
  /** Parts of names; none: all. */
  readonly faults?: readonly string[]
  /** So many that are made by `seed` instead. */
  readonly mutants?: number
  readonly seed?: number
  /** Seconds of CPU for each. */
  readonly cpu?: number
  /** Processes at the same time. */
  readonly width?: number
  readonly write?: (line: string) => void
}

interface Verdict extends Said {
  readonly fault: PlantedFault
}

/** false: a fault was not found. */
export async function planted({
  faults = [],
  mutants: made,
  seed = 1,
  cpu = 300,
  width = 2,
  write = console.log,
}: PlantedOptions): Promise<boolean> {
  if (made !== undefined) {
    const { mutantTable } = await import("./mutant-table.ts")
    return mutantTable({ count: made, seed, names: faults, cpu: MUTANT_S, cache: cacheOf(`mutants ${made} ${seed}`), write })
  }
  const chosen = faults.length === 0 ? FAULTS : faults.flatMap((it) => FAULTS.filter(({ name }) => name.includes(it)))
  const wrong = chosen.flatMap(misfits)
  if (wrong.length > 0) throw new Error(`faults that do not fit the code of today:\n${wrong.join("\n")}`)
  const cache = cacheOf("faults")
  write("| fault | found | seed | reached in | CPU s | finding |\n|---|---|---|---|---|---|")
  const queue = [...chosen]
  const missed: string[] = []
  let found = 0
  const work = async (): Promise<void> => {
    for (let fault = queue.shift(); fault !== undefined; fault = queue.shift()) {
      const verdict = await look(fault, { cpu, untilReached: cpu, from: 1, cache })
      write(rowOf(verdict))
      if (verdict.state === "found") found++
      else missed.push(fault.name)
    }
  }
  await Promise.all(Array.from({ length: width }, work))
  write(`\n${found} of ${chosen.length} faults found`)
  return missed.length === 0
}

/** What seeds give without a fault is kept as long as neither the service nor the simulator changes. */
function cacheOf(what: string): string {
  const folder = path.join(root, ".tsbuild", "planted")
  mkdirSync(folder, { recursive: true })
  const files = ROOMS.flatMap((room) => filesBelow(room)).toSorted()
  const digest = createHash("sha256").update(what)
  for (const file of [...files, "test/sim/play.ts", "test/sim/themes.ts"]) digest.update(readFileSync(path.join(root, file)))
  return path.join(folder, `${digest.digest("hex").slice(0, 12)}.jsonl`)
}

const filesBelow = (room: string): string[] =>
  readdirSync(path.join(root, room), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => path.join(room, file))

function look(fault: PlantedFault, how: Omit<Wish, "patches" | "costs">): Promise<Verdict> {
  const wish: Wish = { ...how, patches: fault.patches, ...(fault.costs ? { costs: fault.costs } : {}) }
  return new Promise((resolve) => {
    // A turn that never ends says nothing: the system ends it.
    const limit = Math.ceil(how.cpu * 2.5) + 120
    const child = spawn("bash", ["-c", `ulimit -t ${limit}; exec "$0" "$@"`, process.execPath, player, JSON.stringify(wish)], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
    })
    let last: Said = { seed: 0, cpu: 0, reached: 0, state: "playing" }
    let rest = ""
    let errors = ""
    child.stderr.on("data", (data: Buffer) => (errors += data.toString()))
    child.stdout.on("data", (data: Buffer) => {
      const lines = (rest + data.toString()).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) if (line.startsWith("{")) last = JSON.parse(line) as Said
    })
    child.on("close", (code, signal) => {
      if (last.state !== "playing") return resolve({ fault, ...last })
      const why = errors.trim().split("\n").at(-1) ?? ""
      resolve({ fault, ...last, state: "found", finding: `the process ended (${signal ?? code}) in this seed: ${why.slice(0, 200)}` })
    })
  })
}

function rowOf({ fault, state, seed, reached, cpu, finding = "" }: Verdict): string {
  const said = finding.split("\n", 1)[0]?.slice(0, 200).replaceAll("|", "\\|") ?? ""
  const isFound = state === "found" ? "yes" : state === "unbuilt" ? "not built" : "no"
  return `| ${fault.name} | ${isFound} | ${state === "spent" ? `1–${seed}` : seed} | ${reached} | ${cpu.toFixed(0)} | ${said} |`
}
