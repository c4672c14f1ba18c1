// Player: a process that plays seeds with a fault until a finding that the code without it does not have, or until its CPU is spent. Each line of its
// output says what it knows by then.

import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { takeGlobals } from "../platform/globals.ts"
import { codeOf, type Code, type Planted } from "../platform/machines.ts"
import { Dice } from "../platform/dice.ts"
import { play } from "../play.ts"
import { themeOf, THEMES } from "../themes.ts"
import type { PlantedFault } from "./fault.ts"

export interface Wish {
  readonly patches: readonly Planted[]
  readonly costs?: PlantedFault["costs"]
  /** Seconds of CPU. */
  readonly cpu: number
  /** Seconds after which a fault that has made no difference is given up. */
  readonly untilReached: number
  readonly from: number
  /** File of what seeds give without a fault. */
  readonly cache: string
}

/** `playing`: this seed has begun. */
export interface Said {
  readonly seed: number
  readonly cpu: number
  readonly state: "playing" | "found" | "spent" | "unbuilt"
  /** Seeds in which a fault that says so made a difference. */
  readonly reached: number
  readonly finding?: string
}

export interface Seen {
  readonly seed: number
  readonly findings: readonly string[]
  /** Calls of objects by method. */
  readonly calls: Readonly<Record<string, number>>
}

/** So many seeds are played without a fault before anything is said to be found. */
const SURE = 60
/** Seeds of the fault's own themes, for each other one. */
const NEAR = 3
/** The end of the label of a call. */
const COUNTED = /\.(\w+)$/

class Enough extends Error {}

/** What it says, of whatever run, at whatever time. */
export const kindOf = (finding: string): string =>
  finding
    .replaceAll(/\brun_[a-z0-9]+|\bcase-[\w-]+|\bsl_\w+|\b[0-9a-f]{8,}\b/g, "#")
    .replaceAll(/\b(?:acme|bolt)\b/g, "#")
    .replaceAll(/\d+(?:\.\d+)?/g, "#")

/** Plays it, and says what it gives: all of it, or the finding that is enough. */
export async function seen(code: Code, seed: number, isEnough?: (finding: string) => boolean): Promise<Seen> {
  const calls: Record<string, number> = {}
  const found: string[] = []
  const watch = ({ label }: { readonly label: string }): void => {
    if (found.length > 0) throw new Enough()
    const method = COUNTED.exec(label)?.[1]
    if (method !== undefined) calls[method] = (calls[method] ?? 0) + 1
  }
  try {
    const played = await play({ code, seed, watch, finding: (it) => void (isEnough?.(it) === true && found.push(it)) })
    return { seed, findings: played.findings, calls }
  } catch (e) {
    if (e instanceof Enough) return { seed, findings: found, calls }
    return { seed, findings: [`the seed does not come to its end: ${String(e)}`], calls }
  }
}

/** CPU of this process (s). */
export function spent(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

async function main(wish: Wish): Promise<void> {
  const say = (said: Said): void => void process.stdout.write(`${JSON.stringify(said)}\n`)
  let faulty: Code
  try {
    faulty = await codeOf(wish.patches)
  } catch (e) {
    return say({ seed: 0, cpu: 0, reached: 0, state: "unbuilt", finding: String(e).split("\n", 1)[0] ?? "" })
  }
  const sound = await codeOf()
  takeGlobals()
  process.on("unhandledRejection", () => {})
  console.error = () => {}
  console.warn = () => {}
  const known = (): Seen[] =>
    existsSync(wish.cache)
      ? readFileSync(wish.cache, "utf8")
          .split("\n")
          .filter((it) => it !== "")
          .map((it) => JSON.parse(it) as Seen)
      : []
  let aside = spent()
  const without = async (seed: number): Promise<Seen> => {
    const before = known().find((it) => it.seed === seed)
    if (before) return before
    const began = spent()
    const now = await seen(sound, seed)
    appendFileSync(wish.cache, `${JSON.stringify(now)}\n`)
    aside += spent() - began
    return now
  }
  let reached = 0
  for (const seed of seedsFor(wish)) {
    const cpu = spent() - aside
    if (cpu >= (reached > 0 ? wish.cpu : wish.untilReached)) return say({ seed: seed - 1, cpu, reached, state: "spent" })
    say({ seed, cpu, reached, state: "playing" })
    Reflect.set(globalThis, "plantedReached", false)
    const it = await seen(faulty, seed)
    if (Reflect.get(globalThis, "plantedReached") === true) reached++
    const finding = await newIn(it, wish, without, known)
    if (finding !== undefined) return say({ seed, cpu: spent() - aside, reached, state: "found", finding })
  }
}

/** In turn one of a theme that has to do with the files of the fault, and any other one. */
function* seedsFor({ from, patches }: Pick<Wish, "from" | "patches">): Generator<number> {
  const isNear = (seed: number): boolean => {
    const theme = themeOf(new Dice(seed))
    return theme !== undefined && patches.some(({ file }) => theme.rooms.test(file))
  }
  const hasTheme = THEMES.some(({ rooms }) => patches.some(({ file }) => rooms.test(file)))
  for (let [near, other] = [from, from]; ;) {
    for (let n = 0; n < (hasTheme ? NEAR : 0); n++) {
      while (!isNear(near)) near++
      yield near++
    }
    while (hasTheme && isNear(other)) other++
    yield other++
  }
}

/** undefined: the same seed gives the same without the fault, or any other seed does. */
async function newIn(
  it: Seen,
  { costs }: Wish,
  without: (seed: number) => Promise<Seen>,
  known: () => Seen[],
): Promise<string | undefined> {
  if (costs) {
    const [more, less] = [it.calls[costs.method] ?? 0, (await without(it.seed)).calls[costs.method] ?? 0]
    if (more > 3 + less * costs.times) return `${more} calls of ${costs.method}, ${less} without the fault`
  }
  if (it.findings.length === 0) return undefined
  await without(it.seed)
  // What is rare without the fault must not be taken for it.
  for (let seed = 1; seed <= SURE; seed++) await without(seed)
  const usual = new Set(known().flatMap(({ findings }) => findings.map(kindOf)))
  return it.findings.find((finding) => !usual.has(kindOf(finding)))
}

if (process.argv[1] === import.meta.filename) await main(JSON.parse(process.argv[2] ?? "{}") as Wish)
