// Models the local server: all objects share one thread, on which a commit also waits for its fsync. A fixed number of clients each wait
// for their run's end and then start the next one, as in the measurements.

import { dice, exponential, Simulation, type Station } from "./simulation.ts"

/** The costs of a run on the local server, in ms. */
export interface LocalCosts {
  /** Before and after the thread: the client, the kernel's sockets. */
  readonly outside: number
  /** The thread's time for a run without steps, and for each step. */
  readonly run: number
  readonly step: number
}

export interface LocalLoad {
  readonly atOnce: number
  readonly steps: number
  readonly runs: number
}

export interface LocalFigures {
  readonly rate: number
  /** The mean time from the request to the answer, ms. */
  readonly ms: number
}

/** Before the first step: half of what a run costs without any. */
const START = 0.5

export function local({ outside, run, step }: LocalCosts, { atOnce, steps, runs }: LocalLoad, seed = 1): LocalFigures {
  const simulation = new Simulation(Number.POSITIVE_INFINITY)
  const thread: Station = { name: "thread", servers: 1 }
  const roll = dice(seed)
  let [left, ended, total] = [runs, 0, 0]
  const begin = (): void => {
    if (left-- <= 0) return
    const from = simulation.now
    simulation.after(exponential(outside, roll), () => {
      // The thread turns to other runs between two steps: each piece waits for its turn.
      const piece = (n: number): void => {
        const ms = n === 0 ? run * START : n > steps ? run * (1 - START) : step
        simulation.visit(thread, ms, () => {
          if (n <= steps) return piece(n + 1)
          ended += 1
          total += simulation.now - from
          begin()
        })
      }
      piece(0)
    })
  }
  for (let n = 0; n < atOnce; n++) begin()
  simulation.run()
  return { rate: (ended * 1_000) / simulation.now, ms: total / ended }
}
