// Defines what a run keeps of its scores, and of people's feedback and grades [V11, V19].

interface SaidScore {
  readonly version: string
  readonly score: number | null
  readonly level?: string
  readonly reason?: string
  readonly error?: string
  readonly judge?: string
  readonly by: string
  readonly at: number
  /** Every version that has scored the run. */
  readonly versions: readonly string[]
  /** The request that it answers. */
  readonly ask?: string
}

interface SaidFeedback {
  readonly score: number
  readonly at: number
  /** Of a grade: the scorer whose question it answers. */
  readonly scorer?: string
}

export interface SaidOfRun {
  /** By scorer: the newest. */
  readonly scores: Record<string, SaidScore>
  /** By giver and scorer: the newest that says how good the run is. */
  readonly feedback: Record<string, SaidFeedback>
  /** The givers, grades apart, who say what the answer should have been. */
  corrected?: readonly string[]
  /** How often feedback came from keys and from pages, and how many grades came. */
  readonly given: { keys: number; pages: number; grades: number }
  /** Of all feedback and grades, which are bounded; absent: none, or of a build that did not keep them. */
  ids?: readonly string[]
}
