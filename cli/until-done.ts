// Asks again every second until something is done: a backtest, an experiment, scores of a run.

import { Trouble } from "../local/trouble.ts"
import { EXIT } from "./exit.ts"

const EVERY_MS = 1_000

/** `ask` says undefined while it is not done. `late`: what is said if that is so after `mostSeconds`. */
export async function untilDone<Found>(ask: () => Promise<Found | undefined>, mostSeconds: number, late: string): Promise<Found> {
  for (let waited = 0; ; waited += EVERY_MS) {
    const found = await ask()
    if (found !== undefined) return found
    if (waited > mostSeconds * 1_000) throw new Trouble(`${late} after ${mostSeconds} s`, EXIT.failed)
    await new Promise((wake) => setTimeout(wake, EVERY_MS))
  }
}
