// Compares checkouts of this repository in turn on this machine, each with its dist/worker.js: `node bench/pair.ts BEFORE AFTER [more…]`.
// Shows workerd's CPU per run and the runs per second, as ratios to the first checkout in the same round, since absolute values depend on
// the machine.
//
// `--rounds=9 --runs=120 --at=16 --flow=bench-chain-10 --where=/dev/shm`. Each checkout uses its own client and server.

import { mkdtempSync, rmSync } from "node:fs"
import path from "node:path"
import { parseArgs } from "node:util"
import { pathToFileURL } from "node:url"
import type * as Apis from "./api.ts"
import { median, short, spread, table } from "./figures.ts"
import type * as Flows from "./flows.ts"
import type * as Servers from "./server.ts"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "9" },
    runs: { type: "string", default: "120" },
    at: { type: "string", default: "16" },
    flow: { type: "string", default: "bench-chain-10" },
    where: { type: "string", default: "/dev/shm" },
  },
})
const [rounds, runs, at] = [Number(values.rounds), Number(values.runs), Number(values.at)]

interface Side {
  readonly root: string
  readonly work: (runs: number) => Promise<unknown>
  readonly cpu: () => number
  readonly stop: () => Promise<void>
  readonly seen: { readonly cpu: number; readonly rate: number }[]
}

const sides: Side[] = []
const folders: string[] = []
process.once("exit", () => folders.forEach((f) => rmSync(f, { recursive: true, force: true })))
try {
  for (const root of positionals) sides.push(await sideOf(root))
  // Long enough for late JIT compilation.
  for (const side of sides) await side.work(2 * runs)
  for (let round = 0; round < rounds; round++) {
    const turn = round % 2 === 0 ? sides : sides.toReversed()
    for (const side of turn) side.seen.push(await measured(side))
  }
  const rows = sides.map(({ root, seen }) => {
    const ratio = (of: "cpu" | "rate"): string => short(median(seen.map((s, i) => s[of] / (sides[0]?.seen[i]?.[of] ?? Number.NaN))))
    return [root, spread(seen.map((s) => s.cpu)), ratio("cpu"), spread(seen.map((s) => s.rate)), ratio("rate")]
  })
  console.log(table(["checkout", "CPU, ms/run", "ratio", "runs/s", "ratio"], rows))
} finally {
  for (const { stop } of sides) await stop()
}

async function measured({ work, cpu }: Side): Promise<Side["seen"][number]> {
  const [from, before] = [performance.now(), cpu()]
  await work(runs)
  return { cpu: (cpu() - before) / runs, rate: (runs * 1000) / (performance.now() - from) }
}

async function sideOf(root: string): Promise<Side> {
  const own = (file: string): string => pathToFileURL(path.resolve(root, "bench", file)).href
  const { Server }: typeof Servers = await import(own("server.ts"))
  const { Api, atOnce }: typeof Apis = await import(own("api.ts"))
  const { chain, fan, files, segments }: typeof Flows = await import(own("flows.ts"))
  const folder = mkdtempSync(path.join(values.where, "sluice-pair-"))
  folders.push(folder)
  const server = await Server.start(folder)
  const api = new Api(server.url)
  await api.setUp([chain(10), files(10), segments(10), chain(200), fan(50), fan(100), fan(200)])
  return {
    root,
    work: (count) => atOnce(count, at, () => api.run(values.flow)),
    cpu: () => server.usage().cpu,
    stop: () => server.stop(),
    seen: [],
  }
}
