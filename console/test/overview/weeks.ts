// Ten weeks of runs of a flow, as their reports would have left them in the tenant's sums: written by the store itself into the file of the tenant's
// object, while no server has it open.

import { readdirSync } from "node:fs"
import path from "node:path"
import { SumStore } from "../../../src/cloudflare/tenant/insight/sum-store.ts"
import { TenantSql } from "../../../src/cloudflare/tenant/tenant-sql.ts"
import { noDurations, observe, type Histogram } from "../../../src/core/run/usage/histogram.ts"
import type { StepPart, Sum } from "../../../src/core/run/usage/sum.ts"
import { sqliteStorage } from "../../../test/support/cloudflare/sqlite-storage.ts"
import { diceOf } from "../../../test/support/kernel/world.ts"

const HOUR = 3_600_000
const HOURS = 10 * 7 * 24
const [MORNING, EVENING] = [7, 19]

export interface Weeks {
  readonly flow: string
  /** Of the flow, in the order of its file; the second one fails. */
  readonly steps: readonly string[]
  /** Revisions of the catalog, the last one of which is worse and has run since so many hours. */
  readonly revisions: readonly [before: number, worse: number]
  readonly worseHours: number
  /** Where the day is busy from the morning to the evening, in hours from UTC. */
  readonly zone: number
}

/** `data`: the server's folder. `now`: the moment at which the weeks end. */
export function writeWeeks(data: string, now: number, { flow, steps, revisions, worseHours, zone }: Weeks): void {
  const folder = path.join(data, "do/sluice-TenantObject")
  const [file] = readdirSync(folder).filter((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite")
  if (file === undefined) throw new Error(`no tenant has a file in ${folder}`)
  const store = new SumStore(new TenantSql(sqliteStorage(path.join(folder, file))), () => undefined)
  const roll = diceOf("weeks")
  store.together(() => {
    for (let hour = HOURS; hour >= 0; hour--) {
      const at = now - hour * HOUR
      const local = new Date(at + zone * HOUR).getUTCHours()
      const isWorse = hour < worseHours
      const runs = local >= MORNING && local < EVENING ? 8 + Math.floor(roll() * 4) : Math.floor(roll() * 3)
      for (let n = 0; n < runs; n++) {
        const ended = Math.floor(at / HOUR) * HOUR + Math.floor((n / runs) * Math.min(HOUR, hour === 0 ? (at % HOUR) + 1 : HOUR))
        const isFailed = roll() < (isWorse ? 0.5 : 0.01)
        store.began({ flow, created: ended, rehearsed: false })
        store.ended({ flow, rehearsed: false, began: ended - 60_000, ended, sum: sumOf(isFailed, isWorse) })
      }
    }
  })

  function sumOf(isFailed: boolean, isWorse: boolean): Sum {
    const ms = took(40_000 + roll() * 60_000)
    const usd = Math.round((0.04 + roll() * 0.03) * 1e4) / 1e4
    const end = { [isFailed ? "failed" : "succeeded"]: 1 }
    const asks = { n: 1, approved: 1, ms: took(60_000 + roll() * 1e6) }
    const isAsked = roll() < 0.2
    return {
      runs: end,
      ms,
      usd,
      input: 12_000,
      cached: 8_000,
      output: 900,
      model_calls: 4,
      tool_calls: 2,
      ...(isAsked ? { approvals: asks, waited: asks.ms, asked: 1, closed: 1 } : {}),
      by: {
        revision: { [revisions[isWorse ? 1 : 0]]: { ...end, usd, ms } },
        model: { "scenes/m": { calls: 4, input: 12_000, cached: 8_000, output: 900, usd, ms: took(3_000 + roll() * 4_000) } },
        tool: {
          refund: {
            calls: 1,
            ms: took(400 + roll() * 400),
            ...(roll() < 0.05 ? { refused: { policy: 1 } } : {}),
            ...(isAsked ? { asks } : {}),
          },
        },
        step: stepsOf(isFailed, usd),
        ...(isAsked ? { person: { [roll() < 0.7 ? "Priya" : "Ana"]: { answered: 1, ms: asks.ms } } } : {}),
      },
    }
  }

  function stepsOf(isFailed: boolean, usd: number): Record<string, StepPart> {
    const reached = isFailed ? steps.slice(0, 2) : steps
    return Object.fromEntries(
      reached.map((step, i) => [
        step,
        {
          reached: 1,
          ...(isFailed && i === 1 ? { failed: 1 } : {}),
          usd: usd / reached.length,
          ms: took(8_000 + roll() * 30_000 * (i + 1)),
        },
      ]),
    )
  }
}

function took(ms: number): Histogram {
  const one = noDurations()
  observe(one, Math.round(ms))
  return one
}
