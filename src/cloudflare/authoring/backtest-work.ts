// Performs a backtest [K23], run by run, and a gate's backtest [K24]. Loaded when a backtest begins.

import { defined } from "../../core/defined.ts"
import type { Pins } from "../../core/run/event-parts.ts"
import { storedHandler } from "../../engine/catalog/definitions.ts"
import { messageOf } from "../../core/text/fault-text.ts"
import type { RecordedRun } from "../../core/case/recorded-case.ts"
import { backtestRun, type BacktestDeps, type BacktestVerdict } from "../../engine/backtest/backtest-run.ts"
import { goLive, type Spending } from "../../engine/backtest/live.ts"
import { runCode } from "../../engine/run/call/run-code.ts"
import { readRecorded } from "../../engine/trial/record-case.ts"
import type { Pinned } from "../../ports/tenant/authoring/trials.ts"
import type { GateDeps } from "../../engine/trial/gated-write.ts"
import type { Backtest, BacktestRow, BacktestWish } from "../../ports/tenant/authoring/backtests.ts"
import { Breath } from "../../ports/breath.ts"
import { signalAfter } from "../../ports/timers.ts"
import { r2Blobs } from "../blobs/blobs-r2.ts"
import { clock } from "../platform/clock.ts"
import type { Env } from "../platform/env.ts"
import { sha256 } from "../platform/sha256.ts"
import { stopBy } from "../../models/rehearsed/turns.ts"
import { loadPlan } from "../definitions/plan.ts"
import { loaderSandbox } from "../sandbox/sandbox-loader.ts"
import { liveDeps } from "./backtest-live.ts"
import { portOf } from "../platform/port-of.ts"
import { openVault } from "../clients/secrets.ts"
import { trialDeps } from "./trial-deps.ts"

/** Children of a recorded run that are read. */
const CHILDREN = 500

/**
 * [K24] Runs the gate's backtest at once, by position, and never live. If the flow cannot be started, every run counts as having taken
 * another route.
 */
export async function gateBacktest(
  env: Env,
  tenant: string,
  by: string,
  { flow, last, changes }: Parameters<GateDeps["backtest"]>[0],
): Promise<readonly BacktestRow[]> {
  const found = await portOf(env, tenant, "runs").list({ limit: last, flow: [flow], status: ["succeeded", "failed"] })
  const runs = "badCursor" in found ? [] : found.data.flatMap(({ id }) => (typeof id === "string" ? [id] : []))
  const proposal = await portOf(env, tenant, "starts").propose({ flow, change: { write: changes }, rehearse: true, autonomous: true })
  if (!proposal.ok) return runs.map((run) => ({ run, result: "diverged", why: "route", message: "the flow cannot be started" }))
  const work = new BacktestWork(env, tenant, by)
  const spending: Spending = { budget: {}, tokens: 0, usd: null, tool_calls: 0 }
  const rows: BacktestRow[] = []
  for (const run of runs)
    rows.push(await work.one(run, { flow, runs, change: { write: changes }, match: "position", beyond: "stop" }, spending))
  return rows
}

export class BacktestWork {
  readonly #env: Env
  readonly #tenant: string
  readonly #by: string
  readonly #breath = new Breath()

  constructor(env: Env, tenant: string, by: string) {
    this.#env = env
    this.#tenant = tenant
    this.#by = by
  }

  async through(begun: Backtest): Promise<void> {
    const room = portOf(this.#env, this.#tenant, "backtests")
    let backtest = begun
    const spending: Spending = { budget: begun.wish.budget ?? {}, tokens: begun.usage.tokens, usd: begun.usage.usd, tool_calls: 0 }
    for (const run of begun.wish.runs.slice(begun.runs.length)) {
      const row = await this.one(run, begun.wish, spending)
      const runs = [...backtest.runs, row]
      const isDone = runs.length === begun.wish.runs.length
      const usage = { tokens: spending.tokens, usd: spending.usd }
      backtest = { ...backtest, runs, usage, status: isDone ? "done" : "running", at: clock.now() }
      await room.keep(backtest)
    }
  }

  async one(run: string, wish: BacktestWish, spending: Spending): Promise<BacktestRow> {
    const failed = (message: string): BacktestRow => ({ run, result: "failed", message })
    try {
      const recorded = await readRecorded(trialDeps(this.#env, this.#tenant, this.#by), run, wish.flow, { left: CHILDREN })
      const first = recorded.events[0]
      if (first?.type !== "run.started") return failed("the run was deleted")
      const { flow, change, match } = wish
      const starts = portOf(this.#env, this.#tenant, "starts")
      const proposal = await starts.propose({ flow, change, rehearse: first.rehearsed, autonomous: first.autonomous })
      if (!proposal.ok) return failed(proposal.code === "not_pinned" && "message" in proposal.why ? proposal.why.message : proposal.code)
      return { run, ...(await this.against(recorded, proposal.pinned, { change, match, beyond: wish.beyond }, spending)) }
    } catch (e) {
      return failed(messageOf(e))
    }
  }

  /** By definitions that are pinned already. */
  against(
    recorded: RecordedRun,
    { pins, rules }: Pick<Pinned, "pins" | "rules">,
    how: Pick<BacktestWish, "change" | "match" | "beyond">,
    spending: Spending,
  ): Promise<BacktestVerdict> {
    return backtestRun({ ...this.#deps(how, spending), ...defined({ rules }) }, recorded, pins, how.match)
  }

  #deps({ beyond, change }: Pick<BacktestWish, "change" | "beyond">, spending: Spending): BacktestDeps {
    const [env, tenant] = [this.#env, this.#tenant]
    const isLive = beyond === "live"
    // [F77] The files of an architect's session are a draft until a person accepts them.
    const draft = change.session === undefined ? {} : ({ unaccepted: true } as const)
    const blobs = r2Blobs(env, tenant, () => undefined)
    return {
      hash: sha256,
      plan: (pins: Pins) => loadPlan({ env, later: () => undefined }, { tenant, pins }),
      code: (run, effect, pins) =>
        runCode(
          {
            handler: storedHandler(pins, blobs),
            sandbox: loaderSandbox(env.LOADER, tenant),
            redactor: async () => (await openVault(env, tenant, clock.now)()).redactor,
          },
          run,
          effect,
          stopBy(signalAfter(30_000)),
        ),
      breathe: (work) => this.#breath.take(work),
      ...(isLive ? { live: (course, rest) => goLive(liveDeps({ env, tenant, spending, ...draft }), course, rest) } : {}),
    }
  }
}
