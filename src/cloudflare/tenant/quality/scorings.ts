// Carries out scorings when the tenant's alarm rings [V16]: ten at a time, in the background, so that the alarm does not wait for them. What
// is done with a row has an effect that a repeat does not double: a run is scored once by a version, and a judge's run has an id that
// follows from run, scorer and version.

import { backoff } from "../../../core/backoff.ts"
import { defined } from "../../../core/defined.ts"
import { isCounted, type Verdict } from "../../../core/run/said/score.ts"
import { messageOf } from "../../../core/text/fault-text.ts"
import { atOnce } from "../../../engine/at-once.ts"
import type { KnownScorer } from "../../../ports/tenant/quality/scorers.ts"
import type { ScoreAnswer, ScoreAsk } from "../../../ports/tenant/quality/scoring.ts"
import { logError } from "../../platform/log.ts"
import type { DueWork } from "../tenant-alarm.ts"
import type { PinnedJudge } from "../../../engine/catalog/score/pin-judge.ts"
import type { HeldMoney, JudgeUse, ProbeOrder, Scoring, ScoringOrder, ScoringStore } from "./scoring-store.ts"

const AT_ONCE = 10 // limit: scorings of a tenant under way at once → the next are taken when these are through
/** What was not answered is tried again after this time. */
const RETRY_MS = 2_000
const SLOWEST_TRY_MS = 300_000
/** A judge has 2 minutes [V15]; afterwards somebody looks whether its report was lost. */
const JUDGE_MS = 150_000
export const MOST_TRIES = 100 // limit: tries of a scoring → it is given up

/** The judge's run, its model, and what it used. */
export interface JudgedBy {
  readonly judge: string
  readonly agent: string
  readonly model: string
  readonly use: JudgeUse
  /** Of the scorer, as numbers. */
  readonly levels: readonly number[]
}

/** What probes of judges [V10] need in their scorings. */
export interface ProbedScorings {
  /** Whether the probe is still the scorer's newest, and of this version. */
  readonly isOf: (probe: string, known: KnownScorer) => boolean
  /** What the row of a dataset adds to the account. */
  readonly rowOf: (probe: ProbeOrder) => Pick<ScoreAsk, "expected" | "criteria">
  /** Everything that follows, in one commit. */
  readonly judged: (scoring: Scoring, probe: ProbeOrder, verdict: Verdict, by: JudgedBy) => void
}

/** How a judge's run ended. */
export interface JudgeEnded {
  readonly verdict: Verdict
  readonly use: JudgeUse
}

export interface OrderedScorer extends KnownScorer {
  /** [V32] Of an experiment: what its judge's runs follow. */
  readonly pinned?: PinnedJudge
  readonly about?: Pick<ScoreAsk, "expected" | "criteria" | "experiment">
}

export interface ScoringsDeps {
  readonly store: ScoringStore
  readonly score: (run: string, asked: ScoreAsk) => Promise<ScoreAnswer>
  /** With what it is to be told of a row. */
  readonly known: (scorer: string, order: ScoringOrder) => Promise<OrderedScorer | undefined>
  /** The id of the judge's run. */
  readonly judgeId: (run: string, scorer: string, version: string, ask: string) => Promise<string>
  /** [V16] A judge's run goes with the run that it judged. */
  readonly remove: (run: string) => Promise<unknown>
  /** What the judge may use; undefined: the day, or the budget of the probe or experiment, does not cover it. */
  readonly reserve: (known: KnownScorer, task: string, order: ScoringOrder) => HeldMoney | undefined
  /** Idempotent by the id. */
  readonly begin: (
    known: OrderedScorer,
    judge: string,
    wish: { run: string; task: string; tainted: boolean; held: HeldMoney; probe?: ProbeOrder },
  ) => Promise<void>
  /** undefined: there is no such run. "running": it has not ended. */
  readonly ended: (known: KnownScorer, judge: string) => Promise<JudgeEnded | "running" | undefined>
  /** Everything that follows from a score, in one commit. */
  readonly scored: (scoring: Scoring, answer: Extract<ScoreAnswer, { state: "scored" }>, by?: JudgedBy) => void
  /** [V10] */
  readonly probes: ProbedScorings
  /** [V13] A judge's question waits for people, if the sample asks for that. */
  readonly graded: (scoring: Scoring) => void
  readonly want: (at: number) => void
  readonly later: (work: Promise<unknown>) => void
  readonly now: () => number
}

export class Scorings implements DueWork {
  readonly name = "scorings"
  readonly #deps: ScoringsDeps
  /** Under way in this life of the object. */
  readonly #taken = new Set<string>()

  constructor(deps: ScoringsDeps) {
    this.#deps = deps
  }

  readonly due = (): number | undefined => {
    const due = this.#deps.store.due()
    // What is under way needs no alarm of its own until it may be lost.
    return due !== undefined && this.#taken.size >= AT_ONCE ? Math.max(due, this.#deps.now() + RETRY_MS) : due
  }

  readonly work = async (now: number): Promise<void> => {
    const { store, later, want } = this.#deps
    const room = AT_ONCE - this.#taken.size
    const rows = store.dueAt(now, AT_ONCE + this.#taken.size).filter((row) => !this.#taken.has(keyOf(row)))
    const taken = rows.slice(0, Math.max(0, room))
    if (taken.length === 0) return
    for (const row of taken) this.#taken.add(keyOf(row))
    later(
      atOnce(taken, (row) => this.#one(row)).finally(() => {
        const next = store.due()
        if (next !== undefined) want(Math.max(next, this.#deps.now()))
      }),
    )
  }

  async #one(row: Scoring): Promise<void> {
    const { store, now } = this.#deps
    try {
      await this.#carryOut(row)
    } catch (e) {
      logError("tenant.scoring", { run: row.run, scorer: row.scorer, tries: row.tries, message: messageOf(e) })
      if (row.tries >= MOST_TRIES) store.end(row)
      else store.putOff(row, now() + backoff(RETRY_MS, row.tries, SLOWEST_TRY_MS))
    } finally {
      this.#taken.delete(keyOf(row))
    }
  }

  async #carryOut(row: Scoring): Promise<void> {
    const { store, known: find, score, now, remove, probes } = this.#deps
    if (row.scorer === "") {
      await remove(row.run)
      return void store.end(row)
    }
    const { by, again, ask, probe } = row.order
    const known = await find(probe?.scorer ?? row.scorer, row.order)
    // [V2] It was removed since.
    if (!known || (probe && !probes.isOf(probe.id, known))) return void store.end(row)
    const asked: ScoreAsk = {
      scorer: known.scorer,
      version: known.version,
      by,
      ...known.about,
      ...defined({ code: known.code, again, ask }),
      ...(probe ? { ...probes.rowOf(probe), probe: probe.way } : {}),
    }
    if (row.judge !== null) return this.#judged(row, known, asked)
    const answer = await score(row.run, asked)
    switch (answer.state) {
      case "scored":
        return this.#deps.scored(row, answer)
      case "known":
      case "gone":
      case "canceled":
        return void store.end(row)
      case "not_over":
        return store.putOff(row, now() + backoff(RETRY_MS, row.tries, SLOWEST_TRY_MS))
      case "judge":
        return this.#judge(row, known, answer)
    }
  }

  async #judge(row: Scoring, known: OrderedScorer, { task, tainted }: Extract<ScoreAnswer, { state: "judge" }>): Promise<void> {
    const { store, judgeId, reserve, begin, now } = this.#deps
    const { probe, ask = "", experiment } = row.order
    const judge = await judgeId(row.run, row.scorer, known.version, ask)
    // What is held is written in the same turn: nobody else is given it.
    const held = reserve(known, task, row.order)
    if (!held) {
      if (!probe && experiment === undefined) store.skip("budget", now())
      this.#deps.graded(row)
      return void store.end(row)
    }
    store.judged(row, judge, held, now() + JUDGE_MS)
    await begin(known, judge, { run: row.run, task, tainted, held, ...defined({ probe }) })
  }

  async #judged(row: Scoring, known: OrderedScorer, asked: ScoreAsk): Promise<void> {
    const { store, ended, score, now, probes } = this.#deps
    const { judge, order } = row
    const end = judge === null ? undefined : await ended(known, judge)
    if (judge === null || end === undefined) {
      // Its start was lost, or it was deleted: what it was to judge is asked anew, under the same id.
      const again = await score(row.run, asked)
      if (again.state === "judge") return this.#judge(row, known, again)
      return again.state === "scored" ? this.#deps.scored(row, again) : void store.end(row)
    }
    if (end === "running") return store.putOff(row, now() + JUDGE_MS)
    const { verdict, use } = end
    const { agent = "", levels = [] } = known.scorer.judge ?? {}
    const by = { judge, agent, model: known.model ?? "", use, levels: levels.map((level) => level.score) }
    if (order.probe) return probes.judged(row, order.probe, verdict, by)
    const usage = { input: use.input, output: use.output }
    const answer = await score(row.run, { ...asked, judged: { verdict, run: judge, usage, cost: use.usd } })
    if (answer.state === "scored") this.#deps.scored(row, answer, by)
    else store.end(row)
  }
}

const keyOf = ({ run, scorer }: Pick<Scoring, "run" | "scorer">): string => `${run} ${scorer}`

/** [V18] */
export const isLow = (verdict: Verdict, low: number | undefined, status: string): boolean =>
  low !== undefined && status === "succeeded" && isCounted(verdict) && verdict.score < low
