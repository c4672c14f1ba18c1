// Serves a tenant's experiments [V32, V38].

import { defined } from "../../../../core/defined.ts"
import type {
  EvidenceAsk,
  EvidenceFound,
  ExperimentBegun,
  ExperimentFixed,
  ExperimentRowGiven,
  ExperimentRowSeen,
  ExperimentSeen,
  ExperimentsRoom,
} from "../../../../ports/tenant/quality/experiments.ts"
import type { OrderedScorer } from "../scorings.ts"
import { readyExperiment, rowsHash, type ReadyDeps } from "./ready-experiment.ts"
import type { ExperimentDrive } from "./experiment-drive.ts"
import { MOST_AT_ONCE } from "./places.ts"
import type { GateEvidence } from "./gate-evidence.ts"
import type { Experiment, ExperimentRow, ExperimentStore } from "./experiment-store.ts"
import type { Trial, TrialStore } from "./trial-store.ts"

export interface ExperimentRoomDeps extends ReadyDeps {
  readonly experiments: ExperimentStore
  readonly store: TrialStore
  readonly drive: ExperimentDrive
  readonly evidence: GateEvidence
  readonly hash: (text: string) => string
  readonly id: () => string
  readonly want: (at: number) => void
  readonly now: () => number
}

export class ExperimentRoom implements ExperimentsRoom {
  readonly #deps: ExperimentRoomDeps

  constructor(deps: ExperimentRoomDeps) {
    this.#deps = deps
  }

  async begin(fixed: ExperimentFixed, rows: readonly ExperimentRowGiven[], act = this.#deps.id()): Promise<ExperimentBegun> {
    const { experiments, hash, now, want } = this.#deps
    const id = `exp_${act}`
    const before = experiments.find(id)
    if (before) return { ok: true, id, status: before.status, rows: before.rows }
    const ready = await readyExperiment(this.#deps, fixed)
    if (!ready.ok) return ready
    if (experiments.underWay() >= MOST_AT_ONCE) return { ok: false, code: "quota" }
    experiments.add(id, ready.body, rows, { now: now(), tried: { rows: rowsHash(hash, rows), waits: false } })
    want(now())
    return { ok: true, id, status: "running", rows: rows.length }
  }

  evidence = (ask: EvidenceAsk): Promise<EvidenceFound> => this.#deps.evidence.find(ask)

  /** As it was fixed, with what it is told of the row. undefined: the experiment is over. */
  async scorer(id: string, row: string, name: string): Promise<OrderedScorer | undefined> {
    const { experiments } = this.#deps
    const experiment = experiments.find(id)
    const fixed = experiment?.status === "running" ? experiment.body.fixed.find(({ known }) => known.scorer.name === name) : undefined
    if (!fixed) return undefined
    const { expect, criteria } = experiments.row(id, row)?.given.row ?? {}
    return { ...fixed.known, about: { experiment: id, ...defined({ expected: expect, criteria }) }, ...defined({ pinned: fixed.judge }) }
  }

  list = async (): Promise<readonly ExperimentSeen[]> => this.#deps.experiments.list().map((one) => this.#seen(one))

  async find(id: string): Promise<ExperimentSeen | undefined> {
    const found = this.#deps.experiments.find(id)
    return found && this.#seen(found)
  }

  #seen({ id, created, status, rows, used, isUnpriced, body, result }: Experiment): ExperimentSeen {
    const { name, flow, by, dataset, scorers, repeats, budget, variants } = body
    return {
      id,
      ...defined({ name }),
      flow,
      by,
      created,
      status,
      dataset,
      scorers,
      repeats,
      rows,
      same: this.#deps.experiments.countSame(id),
      left_out: result?.left_out ?? [],
      variants: result?.variants ?? variants.map(({ name: variant }) => ({ name: variant })),
      ...(result && status === "done" ? { compared: result.compared } : {}),
      usage: { tokens: used.tokens, usd: isUnpriced && used.usd === 0 ? null : used.usd },
      ...defined({ budget }),
      flags: result?.flags ?? [],
      seed: this.#deps.hash(id),
    }
  }

  async rows(
    id: string,
    { after = "", limit, scorer, worse }: Parameters<ExperimentsRoom["rows"]>[1],
  ): Promise<readonly ExperimentRowSeen[] | undefined> {
    const { experiments, store } = this.#deps
    const experiment = experiments.find(id)
    if (!experiment) return undefined
    if (worse === undefined) {
      const rows = experiments.rows(id, after, limit)
      const trials = store.of(
        id,
        rows.map(({ row }) => row),
      )
      return rows.map((row) => this.#row(experiment, row, trials))
    }
    const all = experiments.rows(id, after)
    const trials = store.of(id)
    return all
      .map((row) => this.#row(experiment, row, trials))
      .filter((row) =>
        isWorse(row, experiment.body.variants[0]?.name ?? "", worse, scorer === undefined ? experiment.body.scorers : [scorer]),
      )
      .slice(0, limit)
  }

  #row(
    { status, result, body: { variants } }: Experiment,
    { row, run, state, plan }: ExperimentRow,
    trials: readonly Trial[],
  ): ExperimentRowSeen {
    const isOver = status !== "running"
    const why = result?.left_out.find((one) => one.row === row)?.why
    const planned = plan?.planned
    const cut = planned?.do === "fork" ? planned.cut : planned?.do === "start" ? "start" : undefined
    return {
      row,
      ...(run === null ? {} : { run }),
      ...defined({ thread: plan?.thread, cut }),
      same: state === "same",
      ...defined({ left_out: why }),
      trials: trials
        .filter((trial) => trial.row === row)
        .map(({ variant, repeat, run: own, state: at, body }) => ({
          variant: variants[variant]?.name ?? "",
          repeat,
          run: own === "" || at === "waiting" ? null : own,
          state: at === "ended" || at === "stopping" ? (body.end ?? "stopped") : at,
          ...defined({ why: body.why }),
          ...(isOver && at === "ended" && body.scores ? { scores: body.scores } : {}),
        })),
    }
  }

  async stop(id: string): Promise<ExperimentSeen | undefined> {
    const { experiments, drive } = this.#deps
    if (experiments.find(id)?.status === "running") await drive.stop(id)
    return this.find(id)
  }

  async remove(id: string, isAdmin: boolean): Promise<"removed" | "kept" | "not_found"> {
    const { experiments, drive, evidence } = this.#deps
    const found = experiments.find(id)
    if (!found) return "not_found"
    if (!isAdmin && evidence.mayRestOn(found)) return "kept"
    if (found.status === "running") await drive.stop(id)
    // What it used counts though it is deleted [V34].
    await drive.settle(id)
    drive.remove(id)
    return "removed"
  }
}

/** The mean of a scorer over a row's repeats is below the first variant's. */
function isWorse({ trials }: ExperimentRowSeen, first: string, other: string, scorers: readonly string[]): boolean {
  const mean = (variant: string, scorer: string): number | undefined => {
    const values = trials.flatMap((one) => (one.variant === variant ? [one.scores?.[scorer]] : [])).filter((one) => typeof one === "number")
    return values.length === 0 ? undefined : values.reduce((sum, one) => sum + one, 0) / values.length
  }
  return scorers.some((scorer) => {
    const [a, b] = [mean(first, scorer), mean(other, scorer)]
    return a !== undefined && b !== undefined && b < a
  })
}
