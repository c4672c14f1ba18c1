// Mutant player: a process that plays seeds with mutants of the service, one after the other, each in seeds in which it makes a difference. Each line of
// its output says what it knows by then.

import { appendFileSync, existsSync, readFileSync, writeSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { isMainThread, Worker, workerData } from "node:worker_threads"
import { Dice } from "../platform/dice.ts"
import { takeGlobals } from "../platform/globals.ts"
import { codeOf } from "../platform/machines.ts"
import { THEMES, themeOf } from "../themes.ts"
import { mutants, plantedAll } from "./mutate.ts"
import { kindOf, seen, spent, type Seen } from "./player.ts"

export interface MutantWish {
  readonly count: number
  readonly seed: number
  /** Names of those to play, in order. */
  readonly names: readonly string[]
  /** Seeds of each: from this one of those that reach it, up to that one. */
  readonly from: number
  readonly seeds: number
  /** Seconds of CPU for each. */
  readonly cpu: number
  /** File of what seeds give without a mutant, and which they reach. */
  readonly cache: string
}

/** `playing`: it has begun. */
export interface MutantSaid {
  readonly name: string
  readonly state: "playing" | "found" | "missed"
  readonly cpu: number
  /** In how many seeds it makes a difference. */
  readonly reached: number
  /** In how many of them it was played. */
  readonly played: number
  readonly seed?: number
  readonly finding?: string
}

interface Sound extends Seen {
  /** How often it comes to each mutant, by name. */
  readonly reached: Readonly<Record<string, number>>
  readonly cpu: number
}

/** So many seeds are played without any mutant first; each that finds one is played without it too. */
const BASE = 36
/** Of the seeds that come to it most often, the themes of so many. */
const FEW = 4
/** Seconds of CPU after which one seed counts as endless: an ordinary one takes two. */
const ENDLESS_S = 60

const root = fileURLToPath(new URL("../../..", import.meta.url))

async function main({ count, seed: chosen, names, from, seeds, cpu: most, cache }: MutantWish): Promise<void> {
  const say = (said: MutantSaid): void => void writeSync(1, `${JSON.stringify(said)}\n`)
  const all = mutants(root, count, chosen)
  const code = await codeOf(plantedAll(root, all))
  // A turn that never ends can be seen from another thread only.
  const beats = new Int32Array(new SharedArrayBuffer(4))
  new Worker(new URL(import.meta.url), { workerData: beats }).unref()
  takeGlobals()
  process.on("unhandledRejection", () => {})
  console.error = () => {}
  console.warn = () => {}
  let planted = -1
  const reached = new Uint32Array(all.length)
  Reflect.set(globalThis, "planted", (n: number): boolean => {
    reached[n] = (reached[n] ?? 0) + 1
    return n === planted
  })
  const play = (seed: number, isEnough?: (finding: string) => boolean): Promise<Seen> => {
    Atomics.add(beats, 0, 1)
    return seen(code, seed, isEnough)
  }
  const known = existsSync(cache)
    ? readFileSync(cache, "utf8")
        .split("\n")
        .filter((it) => it !== "")
        .map((it) => JSON.parse(it) as Sound)
    : []
  /** Without any mutant. */
  const sound = async (seed: number): Promise<Sound> => {
    const before = known.find((it) => it.seed === seed)
    if (before) return before
    const chosenOne = planted
    planted = -1
    reached.fill(0)
    const began = spent()
    const it = await play(seed)
    const times = [...reached.entries()].flatMap(([n, count_]) => (count_ > 0 ? [[all[n]?.name ?? "", count_] as const] : []))
    const now = { ...it, reached: Object.fromEntries(times), cpu: spent() - began }
    known.push(now)
    appendFileSync(cache, `${JSON.stringify(now)}\n`)
    planted = chosenOne
    return now
  }
  for (let seed = 1; seed <= BASE; seed++) await sound(seed)
  const isNew = (finding: string): boolean => !known.some(({ findings }) => findings.some((it) => kindOf(it) === kindOf(finding)))
  for (const name of names) {
    planted = all.findIndex((it) => it.name === name)
    const in_ = known.filter((it) => it.seed <= BASE && (it.reached[name] ?? 0) > 0)
    const began = spent()
    const so = (state: MutantSaid["state"], played: number, more: Partial<MutantSaid> = {}): void =>
      say({ name, state, cpu: spent() - began, reached: in_.length, played, ...more })
    let [played, finding]: [number, string | undefined] = [0, undefined]
    for (const seed of seedsOf(in_, name, all[planted]?.file ?? "")) {
      if (played >= seeds || spent() - began >= most) break
      if (++played <= from) continue
      so("playing", played, { seed })
      const first = (await play(seed, isNew)).findings.find(isNew)
      if (first === undefined) continue
      // What the seed gives without it is none of it.
      const its = await sound(seed)
      if (its.findings.some((it) => kindOf(it) === kindOf(first))) continue
      finding = first
      so("found", played, { seed, finding })
      break
    }
    if (finding === undefined) so("missed", played)
  }
  process.exit(0)
}

/** First those that come to it, most often for their time, those about its folder before others; then seeds with such a theme that nobody has played. */
function* seedsOf(in_: readonly Sound[], name: string, file: string): Generator<number> {
  const isNear = (seed: number): boolean => themeOf(new Dice(seed))?.rooms.test(file) === true
  const often = ({ reached, cpu }: Sound): number => (reached[name] ?? 0) / cpu
  const sorted = in_.toSorted((a, b) => Number(isNear(b.seed)) - Number(isNear(a.seed)) || often(b) - often(a))
  for (const { seed } of sorted) yield seed
  const themes = new Set(sorted.slice(0, FEW).map(({ seed }) => themeOf(new Dice(seed))))
  const hasTheme = THEMES.some(({ rooms }) => rooms.test(file))
  for (let seed = BASE + 1; ; seed++) {
    const theme = themeOf(new Dice(seed))
    if (themes.size === 0 ? !hasTheme || isNear(seed) : themes.has(theme)) yield seed
  }
}

function watch(beats: Int32Array): void {
  let [last, since] = [0, spent()]
  setInterval(() => {
    const now = Atomics.load(beats, 0)
    if (now !== last) [last, since] = [now, spent()]
    else if (now > 0 && spent() - since > ENDLESS_S) process.kill(process.pid, "SIGKILL")
  }, 1_000)
}

if (!isMainThread) watch(workerData as Int32Array)
else if (process.argv[1] === import.meta.filename) await main(JSON.parse(process.argv[2] ?? "{}") as MutantWish)
