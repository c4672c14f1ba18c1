// Defines a score [V3]: a number from 0 to 1, the best; null if the scorer does not apply to the run; or an error, which is no score.

import { defined } from "../../defined.ts"
import { cutAt } from "../../text/cut-at.ts"

/** What a scorer says of a run, before its name and version are known. */
export interface Verdict {
  readonly score: number | null
  /** Of a judge: the text of the level that it chose. */
  readonly level?: string
  readonly reason?: string
  /** Why there is no score: the scorer threw, answered something else, or never answered. */
  readonly error?: string
}

export interface Score extends Verdict {
  readonly scorer: string
  /** 12 hex digits of what the score was made by, as engine/catalog/score/known-scorers.ts tells. Versions are never mixed. */
  readonly version: string
}

/** Tells whether there is a number that may count. */
export const isCounted = (score: Verdict): score is Verdict & { readonly score: number } =>
  score.score !== null && score.error === undefined

export const MAX_REASON = 2_000 // limit: characters of a score's reason → it is cut

/** As the journal keeps it. Its secrets are out: one that a cut halves would not be found [T32]. */
export const kept = ({ score, level, reason, error }: Verdict): Verdict => ({
  score,
  ...defined({ level, reason: short(reason), error: short(error) }),
})

const short = (text: string | undefined): string | undefined => (text === undefined ? undefined : cutAt(text, MAX_REASON))
