// `npm run scale -- --check`: checks the model against a real server. The costs of a run are measured with flows of 1 and 40 steps; from
// them the model predicts flows of 10 steps with 1, 4 and 16 at once, which are then measured. All measurements alternate in rounds,
// because the machine does other work too. An error above 20 % in runs per second or in time fails the command.

import { existsSync, mkdtempSync, rmSync } from "node:fs"
import os from "node:os"
import path from "node:path"
import { buildWorker } from "../../local/build.ts"
import { Api, atOnce } from "../api.ts"
import { median, short, sum, table } from "../figures.ts"
import { chain } from "../flows.ts"
import { goFirst } from "../priority.ts"
import { Server } from "../server.ts"
import { local, type LocalCosts, type LocalFigures } from "./local.ts"

const LOADS = [1, 4, 16] as const
const STEPS = 10
const [SHORT, LONG] = [1, 40] as const
const ALLOWED = 0.2
/** Where tmpfs is on Linux. */
const MEMORY = "/dev/shm"

export interface Size {
  readonly rounds: number
  readonly runs: number
}

/** The table, and whether every error is within the limit. */
export async function check({ rounds, runs }: Size, place: "disk" | "tmpfs"): Promise<{ readonly text: string; readonly holds: boolean }> {
  goFirst()
  await buildWorker()
  const data = mkdtempSync(path.join(place === "tmpfs" && existsSync(MEMORY) ? MEMORY : os.tmpdir(), "sluice-scale-"))
  const server = await Server.start(data)
  try {
    const api = new Api(server.url)
    await api.setUp([chain(SHORT), chain(STEPS), chain(LONG)])
    const load = (steps: number, at: number, count: number): Promise<LocalFigures> =>
      measured(() => api.run(`bench-chain-${steps}`), at, count)
    for (const steps of [SHORT, LONG, STEPS]) await load(steps, 16, runs)
    const seen = {
      alone: [] as LocalFigures[],
      short: [] as LocalFigures[],
      long: [] as LocalFigures[],
      loads: LOADS.map((): LocalFigures[] => []),
    }
    for (let round = 0; round < rounds; round++) {
      seen.alone.push(await load(SHORT, 1, runs / 4))
      for (const [i, at] of LOADS.entries()) seen.loads[i]?.push(await load(STEPS, at, runs))
      seen.short.push(await load(SHORT, 8, runs))
      seen.long.push(await load(LONG, 8, runs / 4))
    }
    const costs = costsOf(rate(seen.alone), rate(seen.short), rate(seen.long))
    const rows = LOADS.map((at, i) => {
      const real = { rate: rate(seen.loads[i] ?? []), ms: median((seen.loads[i] ?? []).map(({ ms }) => ms)) }
      const said = local(costs, { atOnce: at, steps: STEPS, runs: 2_000 })
      const errors = [said.rate / real.rate - 1, said.ms / real.ms - 1]
      return { at, real, said, errors }
    })
    const { short: shortCpu, long: longCpu, look } = await cpuOf(server, api, runs)
    const text = [
      `CPU of workerd, all threads: a run of ${SHORT} step ${short(shortCpu)} ms, a step more ${short((longCpu - shortCpu) / (LONG - SHORT))} ms, a look at the tenant's list ${short(look)} ms. Load ${short(os.loadavg()[0] ?? 0)}.`,
      `Costs from flows of ${SHORT} and ${LONG} steps on ${place}: a run ${short(costs.run)} ms, a step ${short(costs.step)} ms, outside the thread ${short(costs.outside)} ms. Medians of ${rounds} rounds.`,
      "",
      table(
        ["runs of 10 steps at once", "runs/s, measured", "model", "error", "ms, measured", "model", "error"],
        rows.map(({ at, real, said, errors: [fast = 0, slow = 0] }) => [
          String(at),
          short(real.rate),
          short(said.rate),
          percent(fast),
          short(real.ms),
          short(said.ms),
          percent(slow),
        ]),
      ),
    ].join("\n")
    return { text, holds: rows.every(({ errors }) => errors.every((error) => Math.abs(error) <= ALLOWED)) }
  } finally {
    await server.stop()
    rmSync(data, { recursive: true, force: true })
  }
}

/** CPU time, ms, which depends less on what else the machine does than rates do. */
async function cpuOf(
  server: Server,
  api: Api,
  runs: number,
): Promise<{ readonly short: number; readonly long: number; readonly look: number }> {
  const used = async (work: () => Promise<unknown>, count: number): Promise<number> => {
    const before = server.usage().cpu
    await atOnce(Math.ceil(count), 8, work)
    return (server.usage().cpu - before) / Math.ceil(count)
  }
  return {
    short: await used(() => api.run(`bench-chain-${SHORT}`), runs * 2),
    long: await used(() => api.run(`bench-chain-${LONG}`), runs / 4),
    look: await used(() => api.list(), runs * 4),
  }
}

/**
 * Derives the costs: the thread's time per run is a second divided by the runs per second of a busy thread; the rest of a lone run's time
 * is spent outside the thread.
 */
export function costsOf(alone: number, shortRuns: number, longRuns: number): LocalCosts {
  const step = Math.max(0, (1_000 / longRuns - 1_000 / shortRuns) / (LONG - SHORT))
  const run = Math.max(0, 1_000 / shortRuns - SHORT * step)
  return { run, step, outside: Math.max(0, 1_000 / alone - 1_000 / shortRuns) }
}

async function measured(work: () => Promise<unknown>, at: number, count: number): Promise<LocalFigures> {
  const from = performance.now()
  const times = await atOnce(Math.ceil(count), at, async () => {
    const began = performance.now()
    await work()
    return performance.now() - began
  })
  return { rate: (times.length * 1_000) / (performance.now() - from), ms: sum(times) / times.length }
}

const rate = (list: readonly LocalFigures[]): number => median(list.map((one) => one.rate))
const percent = (error: number): string => `${error > 0 ? "+" : ""}${(error * 100).toFixed(0)} %`
