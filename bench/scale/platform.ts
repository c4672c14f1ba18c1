// Models a deployed Worker for one tenant: its object is one thread, each list of its runs is one thread, and each run has its own object.
// Starts arrive at random. Resources that the platform scales by itself (isolates of the Worker, new objects, models) are unlimited here;
// their real limits were not measured.

import { batchOf, type Costs, type Design, messageOf, STEPS } from "./costs.ts"
import { dice, exponential, type Seen, Simulation, type Station } from "./simulation.ts"

export interface Load {
  /** Starts a second. */
  readonly rate: number
  readonly starts: number
}

export interface Said {
  readonly stations: readonly Seen[]
  /** The station with the most work, when it gets more than it can do. */
  readonly bottleneck: string | undefined
  /** The mean and the greatest time that a start waited for its tenant, ms. */
  readonly waited: number
  readonly longest: number
}

const TENANT: Station = { name: "tenant's object", servers: 1 }
/** What a run's own object does is the same at every rate: one station stands for all of them. */
const RUNS: Station = { name: "run objects, each its own", servers: Number.POSITIVE_INFINITY }

export function platform(costs: Costs, design: Design, { rate, starts }: Load, seed = 1): Said {
  const simulation = new Simulation((starts / rate) * 1_000)
  const roll = dice(seed)
  const lists = Array.from({ length: design.shards }, (_, n): Station => ({ name: `list ${n + 1}`, servers: 1 }))
  const [waits, reports]: [number[], number] = [[], Math.max(0, costs.calls - 1)]
  const batch = batchOf(design, rate)
  const begin = (): void => {
    const from = simulation.now
    const run = (): void => {
      waits.push(simulation.now - from)
      simulation.visit(RUNS, costs.run + STEPS * costs.step, report)
    }
    if (roll() < design.asked) simulation.visit(TENANT, costs.start, run)
    else run()
  }
  // The model's turns lie between a start and its reports and move them all by the same time, which changes no station's work.
  const report = (): void => {
    if (roll() >= reports / batch) return
    simulation.visit(lists[Math.floor(roll() * lists.length)] ?? TENANT, messageOf(costs, batch), () => undefined)
  }
  let left = starts
  const arrive = (): void => {
    if (left-- <= 0) return
    begin()
    simulation.after(exponential(1_000 / rate, roll), arrive)
  }
  arrive()
  simulation.run()
  const stations = simulation.seen().toSorted((a, b) => b.offered - a.offered)
  const most = stations[0]
  return {
    stations,
    bottleneck: most && most.offered > 1 ? most.name : undefined,
    waited: waits.reduce((a, b) => a + b, 0) / waits.length - design.asked * costs.start,
    longest: waits.reduce((a, b) => Math.max(a, b), 0),
  }
}

/** The starts a second that a design's busiest thread can handle without a queue. More starts make messages fuller. */
export function ceiling(costs: Costs, design: Design): number {
  const { asked, shards } = design
  const most = (rate: number): number => {
    const batch = batchOf(design, rate)
    const reports = ((costs.calls - 1) / batch) * messageOf(costs, batch)
    const tenant = asked * costs.start + (shards === 0 ? reports : 0)
    return 1_000 / Math.max(tenant, shards === 0 ? 0 : reports / shards)
  }
  let rate = most(0)
  for (let n = 0; n < 50; n++) rate = most(rate)
  return rate
}
