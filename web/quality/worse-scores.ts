// Finds by which scorers a row got worse, and the two runs to compare.

interface Trial {
  readonly variant: string
  readonly run: string | null
  readonly scores?: Readonly<Record<string, number | null>>
}

interface Worse {
  readonly scorer: string
  readonly before: number
  readonly after: number
  readonly runs: readonly [string | undefined, string | undefined]
}

/** A value is the mean of the repeats. The two runs: the first of one variant, the lowest of the other. */
export function worseScores(trials: readonly Trial[], first: string, variant: string): readonly Worse[] {
  const of = (name: string): readonly Trial[] => trials.filter((one) => one.variant === name)
  const meanOf = (scorer: string, name: string): number | undefined => {
    const values = of(name).flatMap(({ scores }) => {
      const value = scores?.[scorer]
      return typeof value === "number" ? [value] : []
    })
    return values.length === 0 ? undefined : values.reduce((sum, one) => sum + one, 0) / values.length
  }
  const names = [...new Set(trials.flatMap(({ scores }) => Object.keys(scores ?? {})))]
  return names.flatMap((scorer): readonly Worse[] => {
    const [before, after] = [meanOf(scorer, first), meanOf(scorer, variant)]
    if (before === undefined || after === undefined || after >= before) return []
    const lowest = of(variant).toSorted((a, b) => (a.scores?.[scorer] ?? 2) - (b.scores?.[scorer] ?? 2))[0]
    return [{ scorer, before, after, runs: [of(first)[0]?.run ?? undefined, lowest?.run ?? undefined] }]
  })
}
