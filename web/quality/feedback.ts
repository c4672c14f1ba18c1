// Reads what people say of a run: of each giver the newest thumb counts, and a grade is no thumb.

export interface Said {
  readonly id: string
  readonly at: string
  readonly by: string
  readonly thumb?: "up" | "down" | "none"
  readonly score?: number
  readonly comment?: string
  readonly correction?: unknown
  readonly scorer?: string
  readonly user?: string
}

export interface Thumbs {
  readonly up: number
  readonly down: number
  /** That of the reader. */
  readonly mine: "up" | "down" | undefined
}

/** From this score on a thumb is up. */
const UP = 0.5

/** `said`: newest first. */
export function thumbsOf(said: readonly Said[], me: string): Thumbs {
  const counted = new Set<string>()
  let [up, down] = [0, 0]
  let mine: Thumbs["mine"]
  for (const { by, user, thumb, score, scorer } of said) {
    const giver = JSON.stringify([by, user ?? ""])
    if (scorer !== undefined || (thumb === undefined && score === undefined) || counted.has(giver)) continue
    counted.add(giver)
    if (thumb === "none") continue
    const isUp = thumb === undefined ? (score ?? 0) >= UP : thumb === "up"
    if (isUp) up += 1
    else down += 1
    if (by === me && user === undefined) mine = isUp ? "up" : "down"
  }
  return { up, down, mine }
}

/** The newest that says what the answer should have been. */
export const correctionOf = (said: readonly Said[]): Said | undefined => said.find(({ correction }) => correction !== undefined)

/** The newest row of each scorer, and how many came before it. `rows`: newest first. */
export function newestOf<Row extends { readonly scorer: string }>(
  rows: readonly Row[],
): readonly { readonly row: Row; readonly before: number }[] {
  const found = new Map<string, { readonly row: Row; before: number }>()
  for (const row of rows) {
    const known = found.get(row.scorer)
    if (known) known.before += 1
    else found.set(row.scorer, { row, before: 0 })
  }
  return [...found.values()].sort((a, b) => (a.row.scorer < b.row.scorer ? -1 : 1))
}
