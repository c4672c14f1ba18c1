// Mutant table: plays the faults that a seed makes of the service, and says which seed finds each: `npm run sim -- --planted --mutants 100`. All of them
// in one seed first, then those that were not found in more. What is known of a mutant is kept for as long as neither the service nor the simulator
// changes, so a call that was ended goes on when it is repeated.

import { spawn } from "node:child_process"
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { EXPLAINED } from "./explained.ts"
import type { MutantSaid, MutantWish } from "./mutant-player.ts"
import { drawn } from "./mutate.ts"

export interface MutantOptions {
  readonly count: number
  readonly seed: number
  /** Parts of names; none: all. */
  readonly names: readonly string[]
  /** Seconds of CPU for each. */
  readonly cpu: number
  readonly cache: string
  readonly write: (line: string) => void
}

/** Seeds of each pass. */
const PASSES = [1, 3, Number.MAX_SAFE_INTEGER] as const
const root = fileURLToPath(new URL("../../..", import.meta.url))
const player = fileURLToPath(new URL("mutant-player.ts", import.meta.url))

/** false: less than nine of ten were found. */
export async function mutantTable({ count, seed, names, cpu, cache, write }: MutantOptions): Promise<boolean> {
  const { made, equivalent } = drawn(root, count, seed)
  const all = made.map(({ name }) => name)
  const chosen = names.length === 0 ? all : all.filter((it) => names.some((part) => it.includes(part)))
  write("| fault | found | seed | reached by | played in | CPU s | finding |\n|---|---|---|---|---|---|---|")
  let [found, explained] = [0, 0]
  const known = new Map(keptOf(cache).map((said) => [said.name, said]))
  // Those that were asked for by name are played although they are explained.
  const whyNot = (name: string): string | undefined => (names.length === 0 ? EXPLAINED[name] : undefined)
  let left = chosen.filter((name) => whyNot(name) === undefined && !known.has(name))
  for (const name of chosen) {
    const why = whyNot(name)
    const said = known.get(name)
    if (why === undefined && said?.state === "found") found++
    if (why === undefined && said) write(rowOf(said))
    if (why === undefined) continue
    explained++
    write(`| ${cell(name)} | explained | | | | | ${cell(why)} |`)
  }
  for (const [pass, seeds] of PASSES.entries()) {
    const missed: string[] = []
    for await (const said of played({ count, seed, names: left, from: PASSES[pass - 1] ?? 0, seeds, cpu, cache })) {
      // The seeds that are left may find it.
      if (said.state === "missed" && said.played >= seeds && said.cpu < cpu) missed.push(said.name)
      else {
        if (said.state === "found") found++
        appendFileSync(keptIn(cache), `${JSON.stringify(said)}\n`)
        write(rowOf(said))
      }
    }
    left = missed
  }
  write(`\n${found} of ${chosen.length} faults found, ${explained} explained`)
  write(
    `${all.length + equivalent.length} drawn, ${equivalent.length} left out that nobody could tell from the code (test/sim/planted/equivalent.ts)`,
  )
  return found >= chosen.length * 0.9
}

const keptIn = (cache: string): string => cache.replace(/\.jsonl$/, "-said.jsonl")

const keptOf = (cache: string): MutantSaid[] =>
  existsSync(keptIn(cache))
    ? readFileSync(keptIn(cache), "utf8")
        .split("\n")
        .filter((it) => it !== "")
        .map((it) => JSON.parse(it) as MutantSaid)
    : []

/** What became of each, in order. A player that a mutant ends has found it. */
async function* played(wish: MutantWish): AsyncGenerator<MutantSaid> {
  let names = wish.names
  while (names.length > 0) {
    const child = spawn(process.execPath, [player, JSON.stringify({ ...wish, names })], { cwd: root, stdio: ["ignore", "pipe", "inherit"] })
    let last: MutantSaid | undefined
    let rest = ""
    const ended = new Promise<string>((resolve) => child.on("close", (code, signal) => resolve(String(signal ?? code))))
    for await (const data of child.stdout as AsyncIterable<Buffer>) {
      const lines = (rest + data.toString()).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) {
        if (!line.startsWith("{")) continue
        last = JSON.parse(line) as MutantSaid
        if (last.state === "playing") continue
        names = names.slice(1)
        yield last
      }
    }
    const how = await ended
    if (last?.state === "playing") {
      names = names.slice(1)
      yield { ...last, state: "found", finding: `the process ended (${how}) in this seed` }
    } else if (names.length > 0) throw new Error(`the player of mutants ended (${how}) before ${names[0] ?? ""}`)
  }
}

const cell = (text: string): string => text.split("\n", 1)[0]?.slice(0, 200).replaceAll("|", "\\|") ?? ""

function rowOf({ name, state, seed, reached, played: times, cpu, finding = "" }: MutantSaid): string {
  const isFound = state === "found" ? "yes" : "no"
  return `| ${cell(name)} | ${isFound} | ${state === "found" ? (seed ?? "") : ""} | ${reached} | ${times} | ${cpu.toFixed(0)} | ${cell(finding)} |`
}
