// Drives experiments when the tenant's alarm rings [V38]: plans rows, begins and watches trials, and sums up what is through. Whatever is taken is due
// again after a minute, and a trial's run has an id that follows from its place, so a crash repeats no trial and loses none.

import { backoff } from "../../../../core/backoff.ts"
import type { RowDone, TrialDone } from "../../../../core/experiment/counted-row.ts"
import { resultsOf } from "../../../../core/experiment/results.ts"
import { messageOf } from "../../../../core/text/fault-text.ts"
import { atOnce } from "../../../../engine/at-once.ts"
import { Breath } from "../../../../ports/breath.ts"
import type { ExperimentStatus, RowAnswer } from "../../../../ports/tenant/quality/experiments.ts"
import type { KnownScorer } from "../../../../ports/tenant/quality/scorers.ts"
import type { RunPort } from "../../../../ports/run.ts"
import { logError } from "../../../platform/log.ts"
import type { Experiment, ExperimentRow, ExperimentStore } from "./experiment-store.ts"
import type { Trials } from "./trials.ts"
import type { NewTrial, Trial, TrialStore } from "./trial-store.ts"

const AT_ONCE = 10
/** What was taken and is not through after this time is taken again. */
const TAKEN_MS = 60_000
const RETRY_MS = 2_000
const SLOWEST_TRY_MS = 60_000
export const MOST_TRIES = 30 // limit: tries of a trial that cannot be begun or looked at → it is stopped

export interface DriveDeps {
  readonly tenant: string
  readonly experiments: ExperimentStore
  readonly store: TrialStore
  readonly trials: Trials
  readonly run: (id: string) => RunPort
  readonly runId: (about: string) => Promise<string>
  readonly rules: () => { readonly rules: NonNullable<Parameters<RunPort["planRow"]>[0]["rules"]> }
  readonly hash: (text: string) => string
  /** [V22] Whether anything is to be said against the judge. */
  readonly isFlagged: (judge: KnownScorer) => Promise<boolean>
  /** Its trials' runs go, and so does what waits for their scores. */
  readonly forget: (trials: readonly Trial[]) => void
  readonly want: (at: number) => void
  readonly later: (work: Promise<unknown>) => void
  readonly now: () => number
}

export class ExperimentDrive {
  readonly #deps: DriveDeps
  readonly #breath = new Breath()
  readonly #summing = new Set<string>()

  constructor(deps: DriveDeps) {
    this.#deps = deps
  }

  /** `room`: trials that may begin. */
  work(now: number, room: number): void {
    const { experiments, store, trials, later, want } = this.#deps
    for (const id of experiments.old(now)) this.remove(id)
    experiments.promote(now)
    const until = now + TAKEN_MS
    const rows = experiments.takeRows(now, AT_ONCE, until)
    const going = store.take(["running", "scoring", "stopping"], now, 4 * AT_ONCE, until)
    const fresh = store.take(["waiting"], now, room, until).flatMap((trial) => trials.held(trial, now) ?? [])
    const works = [
      ...rows.map((row) => (): Promise<void> => this.#row(row)),
      ...[...going, ...fresh].map((trial) => (): Promise<void> => this.#trial(trial)),
      ...experiments.ready().flatMap((id) => (this.#summing.has(id) ? [] : [(): Promise<void> => this.#sum(id, "done")])),
    ]
    if (works.length > 0) later(atOnce(works, (one) => one(), 2 * AT_ONCE).finally(() => want(this.#deps.now())))
  }

  /** Must not reject. */
  async #row(row: ExperimentRow): Promise<void> {
    const { experiments, now } = this.#deps
    try {
      const experiment = experiments.find(row.experiment)
      if (experiment?.status !== "running") return
      const answer = await this.#planOf(experiment, row)
      const made = answer?.planned.do === "same" ? [] : await this.#trialsOf(experiment, row, answer)
      experiments.planned(row, answer, made, now())
    } catch (e) {
      logError("experiment.row", { experiment: row.experiment, row: row.row, message: messageOf(e) })
      experiments.putOffRow(row, now() + RETRY_MS)
    }
  }

  async #planOf({ id, body }: Experiment, { row, run }: ExperimentRow): Promise<RowAnswer | undefined> {
    if (run === null) return undefined
    const variants = body.variants.flatMap(({ pinned }) => (pinned ? [pinned] : []))
    // Alone, recorded runs are only scored.
    if (variants.length === 0) return undefined
    const probe = await this.#deps.runId(`${id} ${row} probe`)
    return this.#deps.run(run).planRow({ variants, ...this.#deps.rules(), by: body.by, probe })
  }

  async #trialsOf({ id, body }: Experiment, { row, run }: ExperimentRow, answer: RowAnswer | undefined): Promise<NewTrial[]> {
    const made: NewTrial[] = []
    const planned = answer?.planned
    for (const [variant, { pinned }] of body.variants.entries())
      for (let repeat = 1; repeat <= body.repeats; repeat++) {
        if (pinned) {
          made.push({ variant, repeat, run: await this.#deps.runId(`${id} ${row} ${variant} ${repeat}`), state: "waiting", body: {} })
          continue
        }
        if (run === null) made.push({ variant, repeat, run: "", state: "ended", body: { end: "stopped", why: "the row has no run" } })
        else made.push({ variant, repeat, run, state: "scoring", body: planned?.do === "fork" ? { ...planned.after } : {} })
      }
    // What the recorded run used is nobody's money now.
    return made.map((one) => (one.state === "scoring" ? { ...one, body: { recorded: one.body, scores: {} } } : one))
  }

  /** Must not reject. */
  async #trial(trial: Trial): Promise<void> {
    const { store, trials, experiments, now } = this.#deps
    try {
      if (trial.state === "stopping") return await trials.stopping(trial)
      const experiment = experiments.find(trial.experiment)
      const row = experiments.row(trial.experiment, trial.row)
      if (experiment?.status !== "running" || !row) return
      await trials.advance(trial, experiment, row)
    } catch (e) {
      logError("experiment.trial", { run: trial.run, tries: trial.tries, message: messageOf(e) })
      if (trial.tries < MOST_TRIES) store.putOff(trial, now() + backoff(RETRY_MS, trial.tries, SLOWEST_TRY_MS))
      else {
        const { held: _held, ...body } = trial.body
        store.move(trial, "ended", null, { ...body, end: "stopped", why: `engine: ${messageOf(e)}` })
      }
    }
  }

  /** [V37] */
  async #sum(id: string, status: ExperimentStatus): Promise<void> {
    const { experiments, store, hash } = this.#deps
    const experiment = experiments.find(id)
    if (experiment?.status !== "running") return
    this.#summing.add(id)
    try {
      const { variants, scorers, repeats, isChosen, fixed } = experiment.body
      const names = variants.map(({ name }) => name)
      const rows = rowsDone(experiments.rows(id), store.of(id), names)
      const isSelected = isChosen === true && names.length > 1 && variants.some(({ pinned }) => pinned === undefined)
      const seed = hash(id)
      const isJudgeFlagged = (await Promise.all(fixed.map(({ known }) => this.#deps.isFlagged(known)))).some(Boolean)
      const done = { variants: names, scorers, repeats, rows, seed, isSelected, isJudgeFlagged }
      experiments.end(id, status, await this.#breath.through(resultsOf(done)), this.#deps.now())
    } finally {
      this.#summing.delete(id)
    }
  }

  /** What is under way is canceled by the alarm, until it has been heard: a start may still be on its way. */
  async stop(id: string): Promise<void> {
    const { experiments, store, now, want } = this.#deps
    const at = now()
    for (const trial of store.of(id)) {
      if (trial.state === "ended" || trial.state === "stopping") continue
      const { held: _held, ...body } = trial.body
      const isGoing = trial.state === "running"
      store.move(trial, isGoing ? "stopping" : "ended", isGoing ? at : null, { ...body, end: "stopped", why: "the experiment was stopped" })
    }
    experiments.closeRows(id)
    await this.#sum(id, "stopped")
    want(at)
  }

  /** Nothing of it is under way any more, and all that it used is counted. */
  async settle(id: string): Promise<void> {
    const { store, trials } = this.#deps
    await atOnce(
      store.of(id).filter(({ state }) => state === "stopping"),
      (trial) => trials.settle(trial),
    )
  }

  remove(id: string): void {
    const { experiments, store, forget } = this.#deps
    const found = experiments.find(id)
    const own = store.of(id).filter(({ variant, run }) => run !== "" && found?.body.variants[variant]?.pinned !== undefined)
    experiments.remove(id)
    forget(own)
  }
}

export function rowsDone(rows: readonly ExperimentRow[], trials: readonly Trial[], names: readonly string[]): RowDone[] {
  const byRow = new Map<string, Trial[]>()
  for (const trial of trials) byRow.set(trial.row, [...(byRow.get(trial.row) ?? []), trial])
  return rows.map(({ row, state, plan }) => ({
    row,
    ...(plan?.thread === undefined ? {} : { thread: plan.thread }),
    same: state === "same",
    trials: (byRow.get(row) ?? []).map((trial) => trialDone(trial, names[trial.variant] ?? "")),
  }))
}

function trialDone({ repeat, body }: Trial, variant: string): TrialDone {
  const { end = "stopped", scores = {}, reads, recorded } = body
  const { tokens = 0, usd = 0, ms = 0 } = recorded ?? body
  return { variant, repeat, state: end, scores, usd, tokens, ms, ...(reads ? { reads } : {}) }
}
