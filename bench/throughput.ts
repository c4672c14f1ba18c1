// Measures runs and steps per second of short flows, many at once. Variants alternate in rounds, so a slow minute affects all of them.

import { atOnce, type Api } from "./api.ts"
import { median, short, spread, sum, table } from "./figures.ts"
import type { Server } from "./server.ts"

/** One server on one type of storage. */
export interface Place {
  readonly name: string
  readonly server: Server
  readonly api: Api
}

interface Case {
  readonly place: Place
  readonly label: string
  readonly flow: string
  readonly steps: number
}

interface Round {
  readonly runs: number
  readonly cpu: number
  readonly client: number
  readonly written: number
}

export interface Load {
  readonly runs: number
  readonly concurrency: number
  readonly rounds: number
}

export async function throughput(places: readonly Place[], { runs, concurrency, rounds }: Load): Promise<string> {
  const cases: Case[] = places.flatMap((place) => [
    { place, label: "segments", flow: "bench-segments-10", steps: 10 },
    { place, label: "blockedBy chain", flow: "bench-chain-10", steps: 10 },
  ])
  for (const c of cases) await atOnce(3 * concurrency, concurrency, () => c.place.api.run(c.flow))
  const seen = cases.map((): Round[] => [])
  for (let n = 0; n < rounds; n++) for (const [i, c] of cases.entries()) seen[i]?.push(await round(c, runs, concurrency))
  const rows = cases.map((c, i) => {
    const list = seen[i] ?? []
    const of = (pick: (r: Round) => number): number[] => list.map(pick)
    return [
      c.label,
      c.place.name,
      spread(of((r) => r.runs)),
      short(median(of((r) => r.runs)) * c.steps),
      spread(of((r) => r.cpu)),
      short(median(of((r) => r.client))),
      short(median(of((r) => r.written)) / c.steps / 1024),
    ]
  })
  return table(["10 steps, each in", "storage", "runs/s", "steps/s", "workerd CPU, ms/run", "client CPU, ms/run", "KiB written/step"], rows)
}

async function round({ place, flow }: Case, runs: number, concurrency: number): Promise<Round> {
  const client = process.cpuUsage()
  const before = place.server.usage()
  const from = performance.now()
  await atOnce(runs, concurrency, () => place.api.run(flow))
  const seconds = (performance.now() - from) / 1000
  const after = place.server.usage()
  const { user, system } = process.cpuUsage(client)
  return {
    runs: runs / seconds,
    cpu: (after.cpu - before.cpu) / runs,
    client: sum([user, system]) / 1000 / runs,
    written: (after.written - before.written) / runs,
  }
}
