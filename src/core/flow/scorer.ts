// Defines a scorer as data, after parsing `scorers/NAME.yaml` [V1].

import type { JsonObject } from "../json.ts"

export type ScorerKind = "expect" | "code" | "judge" | "built-in"

/** One of a judge's levels: its text is what the judge chooses, its number the score [V6]. */
export interface Level {
  readonly score: number
  readonly text: string
}

export interface JudgeSpec {
  readonly rubric: string
  /** The worst first. */
  readonly levels: readonly Level[]
  /** The agent that judges. */
  readonly agent: string
  /** In place of the agent's own. */
  readonly model?: string
  /** Steps whose results the judge reads. */
  readonly steps?: readonly string[]
  /** Whether it reads the calls, with arguments and beginnings of results. */
  readonly calls: boolean
}

export interface Scorer {
  readonly name: string
  readonly description: string
  readonly kind: ScorerKind
  /** What a test expects [K20]. */
  readonly expect?: JsonObject
  readonly judge?: JudgeSpec
  /** Files of the run's workspace that the scorer gets to see. */
  readonly files: readonly string[]
}

export const DEFAULT_JUDGE = "score-judge"

export const DEFAULT_LEVELS: readonly Level[] = [
  { score: 0, text: "no" },
  { score: 1, text: "yes" },
]

/** Whether the scorer asks a model. The built-in `criteria` does too. */
export const asksModel = (scorer: Scorer): boolean => scorer.judge !== undefined

/** [V21] What a person chooses from where no judge has levels. */
export const PLAIN_LEVELS: readonly Level[] = [
  { score: 0, text: "bad" },
  { score: 0.5, text: "in between" },
  { score: 1, text: "good" },
]
