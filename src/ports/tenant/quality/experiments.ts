// Defines a tenant's experiments [V32–V38]: variants of a flow that are tried on the same rows.

import type { RowCase } from "../../../core/dataset/row.ts"
import type { Results } from "../../../core/experiment/results.ts"
import type { ScoreVerdict } from "../../../core/experiment/verdict.ts"
import type { ScoredRule } from "../../../core/score/gate-score.ts"
import type { Json } from "../../../core/json.ts"
import type { Amount } from "../../../core/money/amount.ts"
import type { Rules } from "../../../core/tool/policy/policy.ts"
import type { BacktestChange, Proposal } from "../authoring/backtests.ts"
import type { HeldModels } from "../authoring/held-models.ts"
import type { CatalogChange, PinResult } from "../catalog.ts"

export interface VariantWish {
  readonly name?: string
  readonly revision?: number
  readonly draft?: string
  readonly definitions?: Readonly<Record<string, string | null>>
  /** The rows' own runs. */
  readonly recorded?: true
  readonly models?: Readonly<Record<string, string>>
  readonly agents?: Readonly<Record<string, string>>
  /** [V42] A write that the gate holds. */
  readonly write?: readonly CatalogChange[]
  /** [V42] The tenant's models as that write leaves them. */
  readonly settings?: HeldModels
}

export interface ExperimentRowGiven {
  readonly id: string
  readonly row: RowCase
  /** Its recording. */
  readonly run?: string
  readonly untrusted?: true
}

export interface ExperimentWish {
  readonly flow: string
  readonly name?: string
  /** As it was asked for: a name, or which runs. */
  readonly dataset: Json
  readonly variants: readonly VariantWish[]
  readonly scorers: readonly string[]
  readonly repeats: number
  readonly budget?: Amount
  readonly by: string
  /** [V37] Its rows were chosen by how their runs ended. */
  readonly isChosen?: true
}

/** How a row's run began: definitions are pinned for that. */
export interface Mode {
  readonly rehearse: boolean
  readonly autonomous: boolean
}
export const modeKey = ({ rehearse, autonomous }: Mode): string => `${rehearse ? "rehearsed" : "real"}${autonomous ? " autonomous" : ""}`

export interface FixedPins extends Pick<Extract<PinResult, { ok: true }>, "flow" | "pins" | "rehearsed"> {
  /** The budget that the flow sets itself. */
  readonly own?: Amount
}

/** A variant as it was when the experiment was asked for. */
export interface FixedVariant {
  readonly name: string
  /** Absent: the rows' own runs. By `modeKey`. */
  readonly pinned?: Readonly<Record<string, FixedPins>>
  /** SHA-256 of what it runs, in each mode. */
  readonly form?: string
}

export interface ExperimentFixed extends Omit<ExperimentWish, "variants"> {
  readonly variants: readonly FixedVariant[]
  /** [V33] What the variants would run is equal, so every row is the same. */
  readonly isEqual: boolean
}

export type ExperimentStatus = "running" | "done" | "stopped"

export interface ExperimentSeen {
  readonly id: string
  readonly name?: string
  readonly flow: string
  readonly by: string
  /** Milliseconds. */
  readonly created: number
  readonly status: ExperimentStatus
  readonly dataset: Json
  readonly scorers: readonly string[]
  readonly repeats: number
  readonly rows: number
  readonly same: number
  readonly left_out: Results["left_out"]
  readonly variants: Results["variants"] | readonly { readonly name: string }[]
  readonly compared?: Results["compared"]
  readonly usage: { readonly tokens: number; readonly usd: number | null }
  readonly budget?: Amount
  readonly flags: Results["flags"]
  readonly seed: string
}

export interface ExperimentRowSeen {
  readonly row: string
  readonly run?: string
  /** The named thread of its run. */
  readonly thread?: string
  /** Where its trials begin: a step and its pass, `end`, or `start`. */
  readonly cut?: { readonly step: string; readonly pass: number } | "end" | "start"
  readonly same: boolean
  readonly left_out?: string
  readonly trials: readonly {
    readonly variant: string
    readonly repeat: number
    readonly run: string | null
    readonly state: "waiting" | "running" | "scoring" | "succeeded" | "failed" | "stopped"
    readonly why?: string
    readonly scores?: Readonly<Record<string, number | null>>
  }[]
}

export type ExperimentBegun =
  | { readonly ok: true; readonly id: string; readonly status: ExperimentStatus; readonly rows: number }
  | { readonly ok: false; readonly code: "quota" }
  | { readonly ok: false; readonly code: "no_scorer"; readonly at: number }
  | { readonly ok: false; readonly code: "no_price"; readonly models: readonly string[] }

/** What an experiment would do, from its first rows. */
export interface ExperimentForecast {
  readonly rows: number
  readonly looked: number
  readonly same: number
  readonly trials: number
  readonly typical: { readonly tokens: number; readonly usd: number | null }
}

/** [V42] `before`, `after`: the forms of the flow as it is, and as it would be. */
export interface EvidenceAsk {
  readonly flow: string
  readonly rule: ScoredRule
  readonly before: string
  readonly after: string
  /** What is begun if nothing is known; absent: nothing is. */
  readonly begin?: ExperimentFixed
}

export type EvidenceFound = ScoreVerdict | { readonly pending: true; readonly experiment?: string }

/** In the tenant's object. */
export interface ExperimentsRoom {
  /** [V42] What is known of a write by a rule of the gate. */
  evidence(ask: EvidenceAsk): Promise<EvidenceFound>
  /** `act`: a repeat with the same one finds what the first has begun. */
  begin(fixed: ExperimentFixed, rows: readonly ExperimentRowGiven[], act?: string): Promise<ExperimentBegun>
  list(): Promise<readonly ExperimentSeen[]>
  find(id: string): Promise<ExperimentSeen | undefined>
  /** In the order of their ids. `worse`: only those where this variant's score is worse than the first variant's, by `scorer` or any. */
  rows(
    id: string,
    page: { readonly after?: string; readonly limit: number; readonly scorer?: string; readonly worse?: string },
  ): Promise<readonly ExperimentRowSeen[] | undefined>
  stop(id: string): Promise<ExperimentSeen | undefined>
  /** `kept`: only an admin deletes what the gate may rest on [V38]. */
  remove(id: string, isAdmin: boolean): Promise<"removed" | "kept" | "not_found">
}

export type ExperimentFixing =
  | { readonly ok: true; readonly fixed: ExperimentFixed; readonly rules?: Rules }
  | { readonly ok: false; readonly at: number; readonly change: BacktestChange; readonly why: VariantFault }

export type VariantFault =
  | Extract<Proposal, { ok: false }>
  /** `agents` names one that the flow has not, or another that does not exist. */
  | { readonly ok: false; readonly code: "no_other"; readonly agent: string; readonly message: string }

/** For HTTP routes. */
export interface ExperimentsPort extends Omit<ExperimentsRoom, "begin" | "evidence"> {
  /** Fixes what the variants run. */
  fix(wish: ExperimentWish): Promise<ExperimentFixing>
  begin: ExperimentsRoom["begin"]
  /** From the first rows; begins nothing. */
  check(
    fixed: Pick<Extract<ExperimentFixing, { ok: true }>, "fixed" | "rules">,
    rows: readonly ExperimentRowGiven[],
  ): Promise<ExperimentForecast>
}

/** Asks the object of a row's run how the variants go on its recording [V33]. */
export interface RowAsk {
  /** Of the variants that run something: their definitions by `modeKey`. */
  readonly variants: readonly Readonly<Record<string, FixedPins>>[]
  /** The tenant's rules of now. */
  readonly rules: Rules
  readonly by: string
  /** No run has this id: forks of it are tried, and leave nothing. */
  readonly probe: string
}

/** How its own course would be forked. */
export type RowPlanned =
  | { readonly do: "same" }
  | {
      readonly do: "fork"
      readonly cut: NonNullable<ExperimentRowSeen["cut"]>
      readonly from: { readonly seq: number }
      /** What the recorded run used from there on. */
      readonly after: { readonly tokens: number; readonly usd: number | null; readonly ms: number }
    }
  | { readonly do: "start"; readonly why: string }

export interface RowAnswer {
  readonly planned: RowPlanned
  readonly mode: Mode
  /** Of one named thread; its rows are not independent. */
  readonly thread?: string
}
