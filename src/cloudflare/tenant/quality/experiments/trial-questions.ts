// Answers what a trial asks [V35, V36]: questions as the recording or its row did, and one about money from what is left of the budget.

import { RecordedAnswers } from "../../../../core/experiment/recorded-answers.ts"
import { trialAnswer } from "../../../../core/experiment/trial-answer.ts"
import type { Canceled } from "../../../../core/experiment/trial-state.ts"
import { isObject, type JsonObject } from "../../../../core/json.ts"
import type { Answer } from "../../../../core/run/signal.ts"
import type { InteractionView, RunView } from "../../../../core/run/views/view.ts"
import { eventsOf, questionsOf, type OpenQuestion } from "../../../../engine/trial/run-case.ts"
import type { FixedPins } from "../../../../ports/tenant/quality/experiments.ts"
import type { RunPort } from "../../../../ports/run.ts"
import type { Experiment, ExperimentRow, ExperimentStore } from "./experiment-store.ts"
import type { Money, Trial, TrialBody, TrialStore } from "./trial-store.ts"

const BY = "experiment"
/** What was held and is not heard of is looked at again. */
const MONEY_MS = 5_000

export interface TrialQuestionsDeps {
  readonly store: Pick<TrialStore, "wait">
  readonly experiments: Pick<ExperimentStore, "find">
  readonly run: (id: string) => RunPort
  /** Whether a dry run would only keep the call. */
  readonly isKept: (tool: string, args: JsonObject) => boolean
  readonly left: (experiment: Experiment) => Money
  readonly othersHold: (experiment: Experiment, trial: Trial) => boolean
  readonly now: () => number
}

export interface AskingTrial {
  readonly trial: Trial
  readonly experiment: Experiment
  readonly row: ExperimentRow
  readonly pinned: FixedPins
}

export type TrialAnswered =
  | { readonly state: "answered"; readonly body: TrialBody }
  /** Money may come back. */
  | { readonly state: "later" }
  | { readonly state: "stop"; readonly cancel: Canceled; readonly why: string }

export class TrialQuestions {
  readonly #deps: TrialQuestionsDeps

  constructor(deps: TrialQuestionsDeps) {
    this.#deps = deps
  }

  async answer(asking: AskingTrial, view: RunView): Promise<TrialAnswered> {
    let { body } = asking.trial
    if (view.pending === 0 && (view.asks ?? []).length === 0) return { state: "answered", body }
    const { run } = this.#deps
    for (const asked of await questionsOf({ run }, view)) {
      const { question, place } = asked
      if (question.kind === "budget") {
        const money = await this.#money({ ...asking, trial: { ...asking.trial, body } }, asked)
        if (money.state !== "answered") return money
        body = money.body
        continue
      }
      const answered = body.answered ?? []
      const reply = trialAnswer(
        { question, place, before: await this.#before(question), answered },
        {
          recorded: await this.#recorded(question.run),
          answers: asking.row.given.row.answers ?? [],
          isKept: this.#deps.isKept,
        },
      )
      if ("stop" in reply) return { state: "stop", cancel: "person", why: reply.stop }
      const done = await run(question.run).answer(question.id, reply.answer, BY)
      if (!done.ok && done.code !== "already_answered")
        return {
          state: "stop",
          cancel: "person",
          why: `${place} asked a person, and the answer that was recorded does not fit: ${done.code}`,
        }
      if (reply.isOfRow) body = { ...body, answered: [...answered, place] }
    }
    return { state: "answered", body }
  }

  async #before({ run, id }: InteractionView): Promise<readonly InteractionView[]> {
    const all = (await this.#deps.run(run).interactions()) ?? []
    const at = all.findIndex((one) => one.id === id)
    return at < 0 ? all : all.slice(0, at)
  }

  /** Of the trial, or of a run below it. */
  async #recorded(asking: string): Promise<RecordedAnswers | undefined> {
    const { run } = this.#deps
    const recording = (await run(asking).view())?.trial?.recording
    return recording === undefined ? undefined : new RecordedAnswers(await eventsOf(run(recording)))
  }

  /** The trial's own limit is raised from what the experiment has left. A limit of the flow itself is its variant's doing. */
  async #money({ trial, experiment: asked, pinned }: AskingTrial, { question }: OpenQuestion): Promise<TrialAnswered> {
    const { run, store, experiments, left: leftOf, othersHold } = this.#deps
    const stop = async (): Promise<TrialAnswered> => {
      await run(question.run).answer(question.id, { answer: "stop" } as Answer, BY)
      return { state: "answered", body: trial.body }
    }
    const { scope, limit, spent, needed } = question.payload
    if (scope === "tenant") return { state: "stop", cancel: "budget", why: "the tenant's budget of the day is used up" }
    const experiment = experiments.find(asked.id)
    const { held } = trial.body
    if (scope !== "run" || question.run !== trial.run || !held || !experiment || !isObject(limit)) return stop()
    const wanted = (unit: "usd" | "tokens"): number => {
      const all = amountIn(spent, unit) + amountIn(question.payload["reserved"], unit) + amountIn(needed, unit)
      return limit[unit] === undefined ? 0 : Math.max(0, all - amountIn(limit, unit))
    }
    const more = { usd: wanted("usd"), tokens: Math.ceil(wanted("tokens")) }
    const isOver = (["usd", "tokens"] as const).some((unit) => {
      const own = pinned.own?.[unit]
      return own !== undefined && amountIn(limit, unit) + more[unit] > own
    })
    if (isOver) return stop()
    const left = leftOf(experiment)
    if (more.usd > left.usd || more.tokens > left.tokens) {
      if (othersHold(experiment, trial)) return { state: "later" }
      return { state: "stop", cancel: "budget", why: "the experiment's budget is used up" }
    }
    // Held before it is given.
    const body = { ...trial.body, held: { usd: held.usd + more.usd, tokens: held.tokens + more.tokens } }
    if (!store.wait(trial, this.#deps.now() + MONEY_MS, this.#deps.now(), body)) return { state: "later" }
    const raise: JsonObject = {}
    for (const unit of ["usd", "tokens"] as const) if (more[unit] > 0) raise[unit] = amountIn(limit, unit) + more[unit]
    await run(question.run).answer(question.id, { answer: { raise } } as Answer, BY)
    return { state: "answered", body }
  }
}

const amountIn = (of: unknown, unit: "usd" | "tokens"): number => {
  const value = isObject(of as JsonObject) ? (of as JsonObject)[unit] : undefined
  return typeof value === "number" ? value : 0
}
