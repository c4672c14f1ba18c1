// Defines a score [V3]: a number from 0 to 1, the best; null if the scorer does not apply to the run; or an error, which is no score.

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
  /** 12 hex digits: what the score was made by (scorer-version.ts). Versions are never mixed. */
  readonly version: string
}

/** Tells whether there is a number that may count. */
export const isCounted = (score: Verdict): score is Verdict & { readonly score: number } =>
  score.score !== null && score.error === undefined

/** Limit: characters of a reason → it is cut. */
export const MAX_REASON = 2_000 // limit: characters of a score's reason → it is cut
