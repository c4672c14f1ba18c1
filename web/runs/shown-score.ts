// The score that a row of runs shows, where there is room for one: of the scorer that the list is filtered by, else the lowest.

interface Said {
  readonly scores?: Readonly<Record<string, number | null>> | undefined
  readonly feedback?: { readonly up: number; readonly down: number } | undefined
}

export interface ShownScore {
  readonly scorer: string
  readonly score: number
  /** All of them, for who points at it. */
  readonly all: string
}

/** undefined: nobody has said anything that counts. */
export function shownScore({ scores = {}, feedback }: Said, scorer: string | undefined): ShownScore | undefined {
  const counted = Object.entries(scores).flatMap(([name, score]) => (score === null ? [] : [[name, score] as const]))
  const people = feedback && feedback.up + feedback.down > 0 ? [["feedback", feedback.up / (feedback.up + feedback.down)] as const] : []
  const all = [...counted, ...people]
  const lowest = all.toSorted((a, b) => a[1] - b[1])[0]
  const one = scorer === undefined ? lowest : (all.find(([name]) => name === scorer) ?? lowest)
  return one && { scorer: one[0], score: one[1], all: all.map(([name, score]) => `${name} ${score.toFixed(2)}`).join(", ") }
}

export const hasScores = (rows: readonly Said[]): boolean => rows.some((row) => shownScore(row, undefined) !== undefined)
