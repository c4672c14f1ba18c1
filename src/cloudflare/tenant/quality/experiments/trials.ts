// Carries a trial from its start to its scores [V34–V36]. Each step is repeated after a crash, and has an effect that a repeat does not double.

import { defined } from "../../../../core/defined.ts"
import { figuresOf, ownEvents } from "../../../../core/experiment/trial-figures.ts"
import { trialState, type Canceled } from "../../../../core/experiment/trial-state.ts"
import { bareModel, isFree, type PriceBook } from "../../../../core/money/prices.ts"
import { MAX_NESTING } from "../../../../core/flow/flow-face.ts"
import type { FailureSource } from "../../../../core/run/event-parts.ts"
import type { JsonObject } from "../../../../core/json.ts"
import type { RunEvent } from "../../../../core/run/event.ts"
import type { RunView } from "../../../../core/run/views/view.ts"
import { modelsOf } from "../../../../engine/catalog/pin/start-money.ts"
import { eventsOf } from "../../../../engine/trial/run-case.ts"
import { modeKey, type FixedPins } from "../../../../ports/tenant/quality/experiments.ts"
import type { RunPort } from "../../../../ports/run.ts"
import type { Scoring, ScoringStore } from "../scoring-store.ts"
import type { Experiment, ExperimentRow, ExperimentStore } from "./experiment-store.ts"
import type { TrialQuestions } from "./trial-questions.ts"
import type { TrialStarts } from "./trial-starts.ts"
import type { Money, Trial, TrialBody, TrialStore } from "./trial-store.ts"

const AT_ONCE = 10
export const LONGEST_MS = 30 * 60_000 // limit: milliseconds of a trial → it is canceled and has failed
/** A start that is not heard of is made again. */
const START_MS = 30_000
/** One whose scores are waited for is looked at again. */
const SCORES_MS = 10_000
const CANCEL_MS = 5_000
const POLL_MS = 2_000
/** Runs below a trial whose reads are counted. */
const CHILDREN = 500
/** What sums of dollars are off by. */
const NOTHING = 1e-9

export interface TrialsDeps {
  readonly store: TrialStore
  readonly experiments: Pick<ExperimentStore, "find">
  readonly scorings: ScoringStore
  readonly starts: TrialStarts
  readonly questions: TrialQuestions
  readonly prices: () => PriceBook
  readonly run: (id: string) => RunPort
  /** Whether a call leaves its run and changes nothing. */
  readonly isRead: (tool: string, args: JsonObject) => boolean
  /** The tokens of a trial's run count like a tried turn's. */
  readonly tried: (view: RunView) => void
  readonly now: () => number
}

export class Trials {
  readonly #deps: TrialsDeps

  constructor(deps: TrialsDeps) {
    this.#deps = deps
  }

  /**
   * What it may use is held before it begins, so that nothing is passed: a share of what is left. undefined: it does not begin now. Writes in this turn.
   */
  held(trial: Trial, now: number): Trial | undefined {
    const { store, experiments } = this.#deps
    const experiment = experiments.find(trial.experiment)
    if (experiment?.status !== "running") return undefined
    const held = this.#share(experiment, trial)
    if (held === "later") {
      store.putOff(trial, now + POLL_MS)
      return undefined
    }
    if (held === undefined) {
      store.move(trial, "ended", null, { ...trial.body, end: "stopped", why: this.#noMoney(experiment) })
      return undefined
    }
    const body: TrialBody = { ...trial.body, began: now, ...(held === "free" ? {} : { held }) }
    return store.move(trial, "running", now + START_MS, body) ? { ...trial, state: "running", body } : undefined
  }

  readonly #noMoney = ({ body: { budget } }: Experiment): string =>
    budget ? "the experiment's budget is used up" : "no budget is set, and its models have a price"

  #share(experiment: Experiment, trial: Trial): Money | "free" | "later" | undefined {
    const { budget } = experiment.body
    const pinned = experiment.body.variants[trial.variant]?.pinned ?? {}
    const models = new Set(Object.values(pinned).flatMap(({ pins }) => modelsOf(pins)))
    const paid = [...models].filter((model) => !isFree(model))
    if (budget === undefined) return paid.some((model) => this.#deps.prices()(bareModel(model)) !== undefined) ? undefined : "free"
    if (paid.length === 0) return "free"
    const left = this.left(experiment)
    const room = Math.max(1, AT_ONCE - this.#deps.store.count("running"))
    const held = {
      usd: budget.usd === undefined ? 0 : left.usd / room,
      tokens: budget.tokens === undefined ? 0 : Math.floor(left.tokens / room),
    }
    const has = (budget.usd === undefined || held.usd > 0) && (budget.tokens === undefined || held.tokens > 0)
    if (has) return held
    return this.othersHold(experiment) ? "later" : undefined
  }

  /** Of the budget, what neither was used nor is held by trials and judges. */
  left({ id, body: { budget }, used, held }: Experiment): Money {
    const judges = this.#deps.scorings.held(id)
    return {
      usd: Math.max(0, (budget?.usd ?? 0) - used.usd - held.usd - judges.usd),
      tokens: Math.max(0, (budget?.tokens ?? 0) - used.tokens - held.tokens - judges.tokens),
    }
  }

  /** Besides this trial: what they do not use comes back. */
  othersHold({ id, held }: Experiment, trial?: Trial): boolean {
    const judges = this.#deps.scorings.held(id)
    const own = trial?.body.held ?? { usd: 0, tokens: 0 }
    return held.usd - own.usd > NOTHING || held.tokens > own.tokens || judges.usd + judges.tokens > 0
  }

  async advance(trial: Trial, experiment: Experiment, row: ExperimentRow): Promise<void> {
    if (trial.state === "scoring") return this.#scoring(trial, experiment, row)
    const { store, run, now, starts, questions } = this.#deps
    const pinned = pinsFor(experiment, trial, row)
    if (!pinned)
      return void this.#ended(trial, experiment, row, { end: "failed", why: "the variant cannot be started as the row's run was" })
    const view = await run(trial.run).view()
    if (!view) {
      const begun = await starts.begin(trial, experiment, row, pinned)
      if (begun.ok) return void store.wait(trial, now() + LONGEST_MS, now())
      if (begun.code === "later") return store.putOff(trial, now() + POLL_MS)
      return void this.#ended(trial, experiment, row, { end: begun.code, why: begun.why })
    }
    if (view.ended !== undefined) return this.#over(trial, experiment, row, view)
    if (trial.body.cancel !== undefined || now() > (trial.body.began ?? 0) + LONGEST_MS)
      return this.#cancel(trial, trial.body.cancel ?? "time", trial.body.why ?? "it took longer than 30 minutes")
    const asked = await questions.answer({ trial, experiment, row, pinned }, view)
    switch (asked.state) {
      case "stop":
        return this.#cancel(trial, asked.cancel, asked.why)
      case "later":
        return store.putOff(trial, now() + POLL_MS)
      case "answered":
        // What was held meanwhile is held already.
        return void store.wait({ ...trial, body: asked.body }, (trial.body.began ?? now()) + LONGEST_MS, now())
    }
  }

  /** Cancels the run of a trial that was stopped from outside, and counts what it used [V38]. */
  async stopping(trial: Trial): Promise<void> {
    const { store, run, now } = this.#deps
    const view = await run(trial.run).view()
    if (view?.ended !== undefined) return this.#counted(trial, view)
    // Its start may still be on its way.
    if (!view && now() > (trial.body.began ?? 0) + START_MS) return void store.move(trial, "ended", null, trial.body)
    store.move(trial, "stopping", now() + (view ? CANCEL_MS : POLL_MS), trial.body)
    if (view) await run(trial.run).cancel("experiment")
  }

  /** What a trial has used that is about to be deleted with its run. */
  async settle(trial: Trial): Promise<void> {
    const run = this.#deps.run(trial.run)
    await run.cancel("experiment")
    const view = await run.view()
    if (view) await this.#counted(trial, view)
  }

  async #counted(trial: Trial, view: RunView): Promise<void> {
    const figures = figuresOf(view, await journalsOf(this.#deps.run, trial.run), this.#deps.isRead)
    if (this.#deps.store.move(trial, "ended", null, { ...trial.body, ...figures })) this.#deps.tried(view)
  }

  async #cancel(trial: Trial, cancel: Canceled, why: string): Promise<void> {
    const { store, run, now } = this.#deps
    store.move(trial, "running", now() + CANCEL_MS, { ...trial.body, cancel, why })
    await run(trial.run).cancel("experiment")
  }

  async #over(trial: Trial, experiment: Experiment, row: ExperimentRow, view: RunView): Promise<void> {
    const below = await this.#failedBelow(view)
    const end = trialState(view, { canceled: trial.body.cancel, below })
    const figures = figuresOf(view, await journalsOf(this.#deps.run, trial.run), this.#deps.isRead)
    const why = end === "succeeded" ? undefined : (trial.body.why ?? view.error?.message)
    if (this.#ended(trial, experiment, row, { end, ...figures, ...defined({ why }), isCanceled: view.status === "canceled" }))
      this.#deps.tried(view)
  }

  /** Why the run failed that a step had started last, at any depth. */
  async #failedBelow({ error, children }: RunView, depth = 0): Promise<FailureSource | undefined> {
    if (error?.source !== "child_failed" || depth > MAX_NESTING) return undefined
    for (const id of children.toReversed()) {
      const below = await this.#deps.run(id).view()
      if (below?.status !== "failed" || below.parent?.step !== error.step) continue
      return below.error?.source === "child_failed" ? this.#failedBelow(below, depth + 1) : below.error?.source
    }
    return undefined
  }

  /** A run that was canceled for its variant's doing has no scores of its own: it gets the worst [V3]. */
  #ended(trial: Trial, { id, body }: Experiment, row: ExperimentRow, { isCanceled = false, ...end }: Ended): boolean {
    const { store, now } = this.#deps
    const { held: _held, ...before } = trial.body
    const made = { ...before, ...end }
    const isScored = made.end !== "stopped"
    if (isScored && (isCanceled || made.began === undefined || made.tokens === undefined)) {
      const scores = Object.fromEntries(body.scorers.map((name) => [name, 0]))
      return store.move(trial, "ended", null, { ...made, scores })
    }
    if (!isScored) return store.move(trial, "ended", null, made)
    const moved = store.move(trial, "scoring", now() + SCORES_MS, { ...made, scores: {} })
    if (moved) this.#ask(trial, { id, scorers: body.scorers, flow: body.flow }, row)
    return moved
  }

  #ask({ run }: Trial, { id, scorers, flow }: { id: string; scorers: readonly string[]; flow: string }, { row }: ExperimentRow): void {
    const { scorings, now } = this.#deps
    for (const scorer of scorers)
      scorings.add({ run, scorer, flow, order: { by: "experiment", ask: `${id} ${row}`, experiment: id, row } }, now())
  }

  async #scoring(trial: Trial, experiment: Experiment, row: ExperimentRow): Promise<void> {
    const { store, scorings, now, run } = this.#deps
    const { id, body } = experiment
    // A row's own run is scored as it is.
    if (trial.body.end === undefined) {
      const view = await run(trial.run).view()
      if (view?.status !== "succeeded" && view?.status !== "failed")
        return void store.move(trial, "ended", null, { ...trial.body, end: "stopped", why: "the row's run is gone, or was canceled" })
      if (store.move(trial, "scoring", now() + SCORES_MS, { ...trial.body, end: view.status })) this.#ask(trial, { id, ...body }, row)
      return
    }
    const waits = (one: Scoring): boolean => one.order.experiment === id || body.scorers.includes(one.scorer)
    if (scorings.of(trial.run).some(waits)) return store.putOff(trial, now() + SCORES_MS)
    const fresh = store.find(trial)
    if (!fresh) return
    const known = scorings.scoresOf(trial.run)
    const scores: Record<string, number | null> = { ...fresh.body.scores }
    // What another request had scored by this version before.
    for (const { known: fixed } of body.fixed) {
      const { name } = fixed.scorer
      const one = known.get(name)
      if (!Object.hasOwn(scores, name) && one?.version === fixed.version) scores[name] = one.score
    }
    store.move(fresh, "ended", null, { ...fresh.body, scores })
  }
}

/** Of the trial, and of the runs that its steps started. */
async function journalsOf(run: (id: string) => RunPort, id: string, budget = { left: CHILDREN }): Promise<(readonly RunEvent[])[]> {
  const events = ownEvents(await eventsOf(run(id)))
  const journals = [events]
  for (const e of events) if (e.type === "child.started" && budget.left-- > 0) journals.push(...(await journalsOf(run, e.run, budget)))
  return journals
}

type Ended = Partial<TrialBody> & { readonly isCanceled?: boolean }

/** By how the row's run began, or as the row says. */
export function pinsFor(experiment: Experiment, trial: Trial, row: ExperimentRow): FixedPins | undefined {
  const pinned = experiment.body.variants[trial.variant]?.pinned
  if (!pinned) return undefined
  if (row.plan) return pinned[modeKey(row.plan.mode)]
  const real = pinned[modeKey({ rehearse: false, autonomous: false })]
  const autonomous = row.given.row.autonomous ?? real?.flow.autonomous ?? false
  const find = (rehearse: boolean): FixedPins | undefined => pinned[modeKey({ rehearse, autonomous })]
  return find(false) ?? find(true) ?? Object.values(pinned)[0]
}
