// Begins the run of a trial [V33, V34]: as a fork of its row's run from the cut, or from the beginning.

import { defined } from "../../../../core/defined.ts"
import { stricter, type Amount } from "../../../../core/money/amount.ts"
import type { Trial as TrialOf } from "../../../../core/run/event-parts.ts"
import type { Rules } from "../../../../core/tool/policy/policy.ts"
import { startableWith, unstartableText } from "../../../../engine/catalog/pin/startable.ts"
import { startOf } from "../../../../engine/run/begin/start.ts"
import type { GivenFilesPort } from "../../../../ports/given-files.ts"
import type { Pins } from "../../../../core/run/event-parts.ts"
import type { PinnedMoney, PinResult } from "../../../../ports/tenant/catalog.ts"
import type { FixedPins } from "../../../../ports/tenant/quality/experiments.ts"
import type { RunPort } from "../../../../ports/run.ts"
import { refusalText } from "../../../../engine/run/begin/fork-refusal.ts"
import type { Experiment, ExperimentRow } from "./experiment-store.ts"
import type { Trial } from "./trial-store.ts"

export interface TrialStartDeps {
  readonly tenant: string
  readonly run: (id: string) => Pick<RunPort, "start" | "fork">
  /** [H6] */
  readonly place: (run: string) => Promise<{ readonly ok: true } | Extract<PinResult, { ok: false }>>
  readonly giveBack: (run: string) => Promise<void>
  readonly money: (pins: Pins) => PinnedMoney
  readonly rules: () => { readonly rules: Rules; readonly tenancy?: number }
  readonly keepFiles: GivenFilesPort["keep"]
}

export type TrialBegun =
  | { readonly ok: true }
  /** There is no room now. */
  | { readonly ok: false; readonly code: "later" }
  | { readonly ok: false; readonly code: "failed" | "stopped"; readonly why: string }

export class TrialStarts {
  readonly #deps: TrialStartDeps

  constructor(deps: TrialStartDeps) {
    this.#deps = deps
  }

  async begin(trial: Trial, { id, body }: Experiment, row: ExperimentRow, pinned: FixedPins): Promise<TrialBegun> {
    const variant = body.variants[trial.variant]?.name ?? ""
    const of: TrialOf = { experiment: id, row: row.row, variant, repeat: trial.repeat, ...(row.run === null ? {} : { recording: row.run }) }
    const budget = budgetOf(trial, body.budget, pinned)
    const planned = row.plan?.planned
    if (planned?.do === "fork" && row.run !== null)
      return this.#fork({ run: trial.run, source: row.run, seq: planned.from.seq, by: body.by }, { of, pins: pinned.pins }, budget)
    return this.#start(trial.run, { of, by: body.by, budget }, row, pinned)
  }

  async #fork(
    { run, source, seq, by }: { readonly run: string; readonly source: string; readonly seq: number; readonly by: string },
    trial: { readonly of: TrialOf; readonly pins: Pins },
    budget: Amount | undefined,
  ): Promise<TrialBegun> {
    const { tenant } = this.#deps
    const done = await this.#deps.run(run).fork({ tenant, run, source, by, from: { seq }, trial, ...defined({ budget }) })
    if (done.ok) return { ok: true }
    if (done.code === "not_found") return { ok: false, code: "stopped", why: "the row's run was deleted" }
    if (done.code === "refused" && done.why.code === "quota") return { ok: false, code: "later" }
    return { ok: false, code: done.code === "refused" ? "stopped" : "failed", why: refusalText(done) }
  }

  async #start(
    run: string,
    { of, by, budget }: { readonly of: TrialOf; readonly by: string; readonly budget: Amount | undefined },
    { given: { row, untrusted } }: ExperimentRow,
    pinned: FixedPins,
  ): Promise<TrialBegun> {
    const { tenant, money, rules, keepFiles, place, giveBack } = this.#deps
    const { task = "", inputs = {}, files, trigger, conversation, autonomous } = row
    const ground = { flow: pinned.flow, pins: pinned.pins, money: money(pinned.pins) }
    const ready = await startableWith(files, keepFiles, ground, { task, inputs, budget })
    if (!ready.ok) return { ok: false, code: "failed", why: `it cannot start: ${unstartableText(ready.error)}` }
    const placed = await place(run)
    if (!placed.ok) {
      if (placed.code === "quota") return { ok: false, code: "later" }
      return { ok: false, code: "stopped", why: refusalText({ ok: false, code: "refused", why: placed }) }
    }
    try {
      await this.#deps.run(run).start(
        startOf(
          { ...pinned, ...rules() },
          {
            ...ready.value,
            tenant,
            run,
            task,
            trigger: { kind: "experiment", test: true, key: by },
            autonomous,
            payload: trigger,
            conversation: conversation && [...conversation],
            tainted: untrusted === true || trigger !== undefined,
            effects: "dry",
            trial: of,
          },
        ),
      )
    } catch (e) {
      await giveBack(run)
      throw e
    }
    return { ok: true }
  }
}

/** What the trial holds, and what the flow allows itself. */
function budgetOf({ body: { held } }: Trial, budget: Amount | undefined, { own }: FixedPins): Amount | undefined {
  if (!held) return own
  const given = defined({
    usd: budget?.usd === undefined ? undefined : held.usd,
    tokens: budget?.tokens === undefined ? undefined : held.tokens,
  })
  return stricter(given, own ?? {})
}
