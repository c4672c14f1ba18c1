// Measures in rounds: in each, every contender runs every workload once, so that a slow minute of the machine affects all of them.

import { mkdtempSync, rmSync, statfsSync } from "node:fs"
import path from "node:path"
import { atOnce } from "../api.ts"
import { median, quantile } from "../figures.ts"
import type { Contender, Running, Work } from "./contender.ts"
import type { Sample } from "./recorded.ts"
import { usedBy } from "./process-tree.ts"

export interface Load {
  /** Runs of w1 in a round, and how many at once. */
  readonly runs: number
  readonly concurrency: number
  readonly rounds: number
  /** Starts of w5 in a round, all at once. */
  readonly keyed: number
  /** Runs of w2, w3 and w4 in a round, one at a time; the round's figure is their median. */
  readonly singles: number
}

const TMPFS = 0x01021994

/** Starts them all with their data in `where`, measures, and stops them. A contender that does not start is left out, with its reason. */
export async function rounds(
  contenders: readonly Contender[],
  { where, model, load, tell }: { where: string; model: string; load: Load; tell: (line: string) => void },
): Promise<readonly Sample[]> {
  const place = statfsSync(where).type === TMPFS ? "tmpfs" : "disk"
  const samples: Sample[] = []
  const failed = new Set<Contender>()
  const started: { readonly contender: Contender; readonly running: Running; readonly data: string }[] = []
  try {
    for (const contender of contenders) {
      const data = mkdtempSync(path.join(where, "sluice-peers-"))
      try {
        const running = await contender.start(data, model)
        started.push({ contender, running, data })
        await warm(contender, running, load).catch((error: unknown) => {
          failed.add(contender)
          throw error
        })
        tell(`${place}: ${contender.name} is ready`)
      } catch (error) {
        tell(`${place}: ${contender.name} is left out: ${String(error).slice(0, 1_000)}`)
      }
    }
    for (let round = 0; round < load.rounds; round++) {
      for (const { contender, running } of round % 2 === 0 ? started : started.toReversed()) {
        if (failed.has(contender)) continue
        try {
          for (const work of contender.works) {
            const figures =
              work === "w5"
                ? await keyed(running, load)
                : work === "w1"
                  ? await many(running, load)
                  : await single(running, work, load.singles)
            samples.push({ contender: contender.name, place, work, round, ...figures })
          }
        } catch (error) {
          failed.add(contender)
          tell(`${place}: ${contender.name} is left out: round ${round + 1}: ${String(error).slice(0, 1_000)}`)
        }
      }
      tell(`${place}: round ${round + 1} of ${load.rounds}`)
    }
  } finally {
    for (const { running } of started) await running.stop()
    for (const { data } of started) rmSync(data, { recursive: true, force: true, maxRetries: 5 })
  }
  return samples
}

type Figures = Pick<Sample, "ms" | "cpu" | "rate" | "p95" | "written" | "lateEarly">

/** Long enough for the late compilation of JavaScript. */
async function warm({ works }: Contender, running: Running, { runs, concurrency }: Load): Promise<void> {
  for (const work of works) {
    if (work === "w5") await keyed(running, { keyed: 2 * KEYS })
    else if (work === "w1") await atOnce(runs, concurrency, () => running.run("w1"))
    else for (let n = 0; n < 3; n++) await running.run(work)
  }
}

const many = (running: Running, { runs, concurrency }: Load): Promise<Figures> =>
  together(running, runs, concurrency, () => timed(running, "w1"))

/** Keys of w5. */
const KEYS = 50

/** All starts at once, each with one of 50 keys. Two runs of a key at a time would be a fault, not a figure. */
async function keyed(running: Running, { keyed: starts }: Pick<Load, "keyed">): Promise<Figures> {
  let count = 0
  const held = new Map<string, (readonly [from: number, to: number])[]>()
  const figures = await together(running, starts, starts, async () => {
    const key = `key-${count++ % KEYS}`
    const from = performance.now()
    const [began, over] = await running.run("w5", key)
    if (began === undefined || over === undefined) throw new Error("a run of w5 does not say when it was at work")
    held.set(key, [...(held.get(key) ?? []), [began, over]])
    return { ms: performance.now() - from }
  })
  for (const [key, times] of held) {
    const inOrder = times.toSorted(([a], [b]) => a - b)
    const met = inOrder.find(([from], n) => n > 0 && from < (inOrder[n - 1]?.[1] ?? 0))
    if (met) throw new Error(`two runs of ${key} were at work at once`)
  }
  return figures
}

async function together(running: Running, runs: number, atATime: number, act: () => Promise<{ readonly ms: number }>): Promise<Figures> {
  const before = usedBy(running.pid)
  const from = performance.now()
  const each = await atOnce(runs, atATime, act)
  const ms = performance.now() - from
  const after = usedBy(running.pid)
  const times = each.map((one) => one.ms)
  return {
    ms: median(times),
    p95: quantile(times, 0.95),
    rate: (runs * 1000) / ms,
    cpu: (after.cpu - before.cpu) / runs,
    written: (after.written - before.written) / runs,
  }
}

async function single(running: Running, work: Work, count: number): Promise<Figures> {
  const before = usedBy(running.pid)
  const seen = []
  for (let n = 0; n < count; n++) seen.push(await timed(running, work))
  const after = usedBy(running.pid)
  const ratios = work === "w2" ? seen.map(({ at }) => growth(at)).filter(Number.isFinite) : []
  return {
    ms: median(seen.map((one) => one.ms)),
    cpu: (after.cpu - before.cpu) / count,
    written: (after.written - before.written) / count,
    ...(ratios.length === 0 ? {} : { lateEarly: median(ratios) }),
  }
}

async function timed(running: Running, work: Work): Promise<{ readonly ms: number; readonly at: readonly number[] }> {
  const from = performance.now()
  const at = await running.run(work)
  return { ms: performance.now() - from, at }
}

/** The time of the last 50 steps to that of the steps 10 to 60. Not finite where a run's clock stands still, as within one commit. */
function growth(at: readonly number[]): number {
  const time = (from: number, to: number): number => (at[to] ?? Number.NaN) - (at[from] ?? Number.NaN)
  const [early, late] = [time(10, 60), time(at.length - 51, at.length - 1)]
  return early > 0 ? late / early : Number.NaN
}
