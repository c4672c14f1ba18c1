// Finds what the gate needs to know of a write [V42]: the first experiment that compared the flow as it is with the flow as it would be, whoever
// asked for it. If there is none, one begins, within the rule's budget, and has the next free place.

import { verdictOf, undecided, type ScoreVerdict } from "../../../../core/experiment/verdict.ts"
import { gateNamesDataset, scoredRulesFor, type ScoredRule } from "../../../../core/score/gate-score.ts"
import type { GateSetting } from "../../../../core/tool/policy/gate-setting.ts"
import type { Amount } from "../../../../core/money/amount.ts"
import { Breath } from "../../../../ports/breath.ts"
import type { EvidenceAsk, EvidenceFound, ExperimentFixed, ExperimentRowGiven } from "../../../../ports/tenant/quality/experiments.ts"
import type { KnownScorer } from "../../../../ports/tenant/quality/scorers.ts"
import type { DatasetStore } from "../dataset-store.ts"
import type { TrustFlag } from "../../../../core/score/trust.ts"
import { COUNTS_MS, type WantedEvidence } from "./evidence-store.ts"
import { rowsDone } from "./experiment-drive.ts"
import type { Experiment, ExperimentStore } from "./experiment-store.ts"
import { readyExperiment, type ReadyDeps } from "./ready-experiment.ts"
import type { TrialStore } from "./trial-store.ts"

const MOST_ROWS = 1_000 // limit: rows of an experiment of the gate → the first by id are taken
const MOST_TRIALS = 5_000 // limit: trials of an experiment of the gate → fewer rows are taken
const INCOMPLETE_MS = 3_600_000 // limit: milliseconds that an incomplete experiment is evidence → the next write begins another
const DAY_MS = 86_400_000

export interface GateEvidenceDeps extends ReadyDeps {
  readonly experiments: ExperimentStore
  readonly store: TrialStore
  readonly datasets: Pick<DatasetStore, "find" | "rows" | "ids">
  readonly gate: () => GateSetting
  /** Whether the run is there. */
  readonly isThere: (run: string) => boolean
  /** [V22] What is to be said against a judge. */
  readonly distrust: (known: KnownScorer) => Promise<TrustFlag | undefined>
  readonly hash: (text: string) => string
  readonly id: () => string
  readonly want: (at: number) => void
  readonly now: () => number
}

interface Looked extends WantedEvidence {
  readonly dataset: string
}

export class GateEvidence {
  readonly #deps: GateEvidenceDeps
  readonly #breath = new Breath()

  constructor(deps: GateEvidenceDeps) {
    this.#deps = deps
  }

  async find({ flow, rule, before, after, begin }: EvidenceAsk): Promise<EvidenceFound> {
    const { datasets, known, distrust } = this.#deps
    const { dataset, repeats = 1 } = rule
    const found = datasets.find(dataset)
    if (!found || found.rows === 0 || found.flow !== flow) return undecided(dataset, `the dataset "${dataset}" has no rows of this flow`)
    const versions: Record<string, string> = {}
    for (const name of Object.keys(rule.scorers)) {
      const one = await known(name)
      if (!one) return undecided(dataset, `there is no scorer "${name}", or it does not load`)
      const flag = await distrust(one)
      if (flag !== undefined) return undecided(dataset, `the judge "${name}" is flagged: ${flag}`)
      versions[name] = one.version
    }
    const wanted = { form: before, after, rows: this.#rowsOf(found, repeats), repeats, versions, dataset }
    return (await this.#known(rule, wanted)) ?? (begin ? this.#begin(rule, wanted, begin) : { pending: true })
  }

  /** As many as the trials allow, the first by id: their ids are a random sample. */
  #most = (repeats: number): number => Math.min(MOST_ROWS, Math.floor(MOST_TRIALS / (2 * repeats)))

  #rowsOf({ name, rows, hash }: { readonly name: string; readonly rows: number; readonly hash: string }, repeats: number): string {
    const most = this.#most(repeats)
    return rows <= most ? hash : this.#deps.hash(this.#deps.datasets.ids(name, most).join("\n"))
  }

  async #known(rule: ScoredRule, wanted: Looked): Promise<EvidenceFound | undefined> {
    const { experiments, now } = this.#deps
    const at = now()
    const all = experiments.evidence.matching(wanted).flatMap(({ experiment }) => experiments.find(experiment) ?? [])
    const done = all
      .filter(({ status, result }) => status === "done" && (result?.ended ?? 0) > at - COUNTS_MS)
      .toSorted((a, b) => (a.result?.ended ?? 0) - (b.result?.ended ?? 0))
    const complete = done.find(isComplete)
    if (complete) return this.#verdict(rule, wanted, complete)
    const running = all.find(({ status }) => status === "running")
    if (running) return { pending: true, experiment: running.id }
    const newest = done.at(-1)
    return newest && (newest.result?.ended ?? 0) > at - INCOMPLETE_MS ? this.#verdict(rule, wanted, newest) : undefined
  }

  async #verdict({ dataset, scorers }: ScoredRule, wanted: Looked, { id, body, result }: Experiment): Promise<ScoreVerdict> {
    const { experiments, store, hash, now } = this.#deps
    const names = body.variants.map(({ name }) => name)
    const other = body.variants.findIndex(({ form }, i) => i > 0 && form === wanted.after)
    const verdict = verdictOf({
      dataset,
      experiment: id,
      rows: rowsDone(experiments.rows(id), store.of(id), names),
      pair: [names[0] ?? "", names[other] ?? ""],
      margins: scorers,
      repeats: body.repeats,
      flags: result?.flags ?? [],
      tries: Math.max(1, experiments.evidence.count(wanted, now() - COUNTS_MS)),
      seed: hash(id),
    })
    return this.#breath.through(verdict)
  }

  async #begin(rule: ScoredRule, wanted: Looked, asked: ExperimentFixed): Promise<EvidenceFound> {
    const { experiments, id, now, want } = this.#deps
    const { evidence } = experiments
    const gate = JSON.stringify([rule.match, rule.dataset])
    const budget = leftOf(rule.budget, evidence.taken(gate, Math.floor(now() / DAY_MS) * DAY_MS))
    if (budget && Object.values(budget).some((left) => left <= 0))
      return undecided(
        rule.dataset,
        "the experiments of this rule have used its budget of the day; write again tomorrow (UTC), or raise it",
      )
    const ready = await readyExperiment(this.#deps, { ...asked, ...(budget ? { budget } : {}) })
    if (!ready.ok)
      return undecided(
        rule.dataset,
        ready.code === "no_price" ? `no price: ${ready.models.join(", ")}` : `an experiment cannot begin: ${ready.code}`,
      )
    // Another write may have begun it meanwhile.
    const same = evidence.matching(wanted).find(({ experiment }) => experiments.find(experiment)?.status === "running")
    if (same) return { pending: true, experiment: same.experiment }
    const waits = !experiments.hasPlace
    if (waits && evidence.isFull) return { pending: true }
    const own = `exp_${id()}`
    experiments.add(own, ready.body, this.#given(rule), { now: now(), tried: { rows: wanted.rows, gate, waits } })
    want(now())
    return { pending: true, experiment: own }
  }

  #given({ dataset, repeats = 1 }: ScoredRule): readonly ExperimentRowGiven[] {
    const { datasets, isThere } = this.#deps
    return (datasets.rows(dataset, { limit: this.#most(repeats) }) ?? []).map(({ id, row, runs, untrusted }) => {
      const run = runs.find(isThere)
      return { id, row, ...(run === undefined ? {} : { run }), ...(untrusted ? { untrusted } : {}) }
    })
  }

  /** [V38] Whether the gate may rest on it, or soon may. */
  mayRestOn({ id, status, body, result }: Experiment): boolean {
    const { experiments, gate, now, datasets } = this.#deps
    if (status === "stopped" || (status === "done" && (result?.ended ?? 0) <= now() - COUNTS_MS)) return false
    const rules = scoredRulesFor(gate(), body.flow, (name) => datasets.find(name)?.flow)
    if (typeof body.dataset === "string" && gateNamesDataset(gate(), body.dataset)) return true
    const rows = experiments.evidence.of(id)?.rows
    return rules.some(({ dataset, repeats = 1 }) => {
      const found = datasets.find(dataset)
      return found !== undefined && this.#rowsOf(found, repeats) === rows
    })
  }
}

const isComplete = ({ result }: Experiment): boolean => !(result?.flags ?? []).some((flag) => flag === "incomplete" || flag === "uneven")

function leftOf(budget: Amount | undefined, { usd, tokens }: { readonly usd: number; readonly tokens: number }): Amount | undefined {
  if (!budget) return undefined
  return {
    ...(budget.usd === undefined ? {} : { usd: budget.usd - usd }),
    ...(budget.tokens === undefined ? {} : { tokens: Math.floor(budget.tokens - tokens) }),
  }
}
