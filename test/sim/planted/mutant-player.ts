// Mutant player: a process that plays seeds with mutants of the service, one after the other, each in seeds in which it makes a difference. Each line of
// its output says what it knows by then.

import { appendFileSync, existsSync, readFileSync, writeSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { isMainThread, Worker, workerData } from "node:worker_threads"
import { Dice } from "../platform/dice.ts"
import { takeGlobals } from "../platform/globals.ts"
import { codeOf } from "../platform/machines.ts"
import { themeOf } from "../themes.ts"
import { mutants, plantedAll } from "./mutate.ts"
import { kindOf, seen, spent, SURE, type Seen } from "./player.ts"

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
  /** Names of mutants that it reaches. */
  readonly reached: readonly string[]
  readonly cpu: number
}

/** A seed has 8,000 events, and at most some 20,000. */
const MOST_EVENTS = 50_000
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
  const reached = new Set<number>()
  Reflect.set(globalThis, "planted", (n: number): boolean => {
    reached.add(n)
    return n === planted
  })
  const play = (seed: number): Promise<Seen> => {
    Atomics.add(beats, 0, 1)
    return seen(code, seed, MOST_EVENTS)
  }
  const known = existsSync(cache)
    ? readFileSync(cache, "utf8")
        .split("\n")
        .filter((it) => it !== "")
        .map((it) => JSON.parse(it) as Sound)
    : []
  for (let seed = 1; seed <= SURE; seed++) {
    if (known.some((it) => it.seed === seed)) continue
    reached.clear()
    const began = spent()
    const it = await play(seed)
    const sound = { ...it, reached: [...reached].map((n) => all[n]?.name ?? ""), cpu: spent() - began }
    known.push(sound)
    appendFileSync(cache, `${JSON.stringify(sound)}\n`)
  }
  const usual = new Set(known.flatMap(({ findings }) => findings.map(kindOf)))
  for (const name of names) {
    planted = all.findIndex((it) => it.name === name)
    // First those that are about its folder.
    const isFar = ({ seed }: Sound): number => (themeOf(new Dice(seed))?.rooms.test(all[planted]?.file ?? "") === true ? 0 : 1)
    const in_ = known.filter((it) => it.reached.includes(name)).toSorted((a, b) => isFar(a) - isFar(b) || a.cpu - b.cpu)
    const began = spent()
    const so = (state: MutantSaid["state"], played: number, more: Partial<MutantSaid> = {}): void =>
      say({ name, state, cpu: spent() - began, reached: in_.length, played, ...more })
    let [played, finding]: [number, string | undefined] = [Math.min(from, in_.length), undefined]
    for (const { seed } of in_.slice(from, seeds)) {
      if (spent() - began >= most) break
      so("playing", ++played, { seed })
      finding = (await play(seed)).findings.find((it) => !usual.has(kindOf(it)))
      if (finding === undefined) continue
      so("found", played, { seed, finding })
      break
    }
    if (finding === undefined) so("missed", played)
  }
  process.exit(0)
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
