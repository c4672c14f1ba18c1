// Serves a tenant's backtests [K23]. The work is done after the response, run by run, and each result is stored; reading a backtest whose
// work was interrupted resumes it.

import type { Backtest, BacktestsPort } from "../../ports/tenant/authoring/backtests.ts"
import { clock } from "../platform/clock.ts"
import type { Env } from "../platform/env.ts"
import { portOf } from "../platform/port-of.ts"

/** A backtest without news for this long has lost its worker. */
const LOST_MS = 15_000

export function backtestsPort(env: Env, tenant: string, by: string, later: (work: Promise<unknown>) => void): BacktestsPort {
  const room = portOf(env, tenant, "backtests")
  const starts = portOf(env, tenant, "starts")
  const through = async (backtest: Backtest): Promise<void> => {
    const { BacktestWork } = await import("./comparisons.ts")
    await new BacktestWork(env, tenant, by).through(backtest)
  }
  const work = (backtest: Backtest): void => later(through(backtest).catch(() => undefined))
  return {
    propose: (wish) => starts.propose(wish),
    async begin(wish) {
      const now = clock.now()
      const backtest: Backtest = {
        id: `bt_${clock.id()}`,
        wish,
        status: wish.runs.length === 0 ? "done" : "running",
        usage: { tokens: 0, usd: null },
        runs: [],
        created: now,
        at: now,
      }
      await room.keep(backtest)
      work(backtest)
      return backtest.id
    },
    async find(id) {
      const found = await room.find(id)
      if (found?.status === "running" && clock.now() > found.at + LOST_MS) {
        const taken = { ...found, at: clock.now() }
        await room.keep(taken)
        work(taken)
      }
      return found
    },
  }
}
