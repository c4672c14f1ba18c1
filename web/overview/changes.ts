// Says what a change of a flow did: how its runs went with the revisions before it, and since.

interface RevisionRuns {
  readonly revision: number | string
  readonly runs: { readonly succeeded: number; readonly failed: number; readonly canceled: number }
  readonly usd: number | null
  readonly ms: { readonly n: number; readonly p50: number; readonly p95: number } | null
}

/** Runs of several revisions together. */
export interface Together {
  readonly ended: number
  readonly failed: number
  /** The share of runs that failed; null: none succeeded or failed. */
  readonly share: number | null
  /** Dollars of a run; null: not known. */
  readonly usd: number | null
  /** Of the revision with the most runs: percentiles do not add up. */
  readonly p50: number | null
  readonly p95: number | null
}

export function together(rows: readonly RevisionRuns[]): Together {
  const total = (of: (row: RevisionRuns) => number): number => rows.reduce((sum, row) => sum + of(row), 0)
  const [failed, judged] = [total(({ runs }) => runs.failed), total(({ runs }) => runs.failed + runs.succeeded)]
  const ended = judged + total(({ runs }) => runs.canceled)
  const isPriced = rows.some(({ usd }) => usd !== null)
  const largest = rows.toSorted((a, b) => (b.ms?.n ?? 0) - (a.ms?.n ?? 0))[0]?.ms ?? null
  return {
    ended,
    failed,
    share: judged === 0 ? null : failed / judged,
    usd: isPriced && ended > 0 ? total(({ usd }) => usd ?? 0) / ended : null,
    p50: largest?.p50 ?? null,
    p95: largest?.p95 ?? null,
  }
}

export interface ChangeEffect {
  readonly kind: "worse" | "better" | "same" | "few"
  /** What it did, in a few words: "failed 1.6 to 48 %". */
  readonly words: string
  readonly before: Together
  readonly since: Together
}

/** Fewer runs than these say nothing. */
const FEWEST = 5
/** Times and costs vary by so much without a reason. */
const AMOUNT = 0.25

/** `revision`: the first one of the catalog that has the change. */
export function effectOf(rows: readonly RevisionRuns[], revision: number, times: (ms: number) => string): ChangeEffect {
  const numbered = rows.filter((row): row is RevisionRuns & { readonly revision: number } => typeof row.revision === "number")
  const before = together(numbered.filter((row) => row.revision < revision))
  const since = together(numbered.filter((row) => row.revision >= revision))
  const said = (kind: ChangeEffect["kind"], words: string): ChangeEffect => ({ kind, words, before, since })
  if (since.ended < FEWEST || before.ended < FEWEST) return said("few", "too few runs to say")
  const [was, is] = [before.share ?? 0, since.share ?? 0]
  if (differs(was, is, before.ended, since.ended)) return said(is > was ? "worse" : "better", `failed ${percent(was)} to ${percent(is)}%`)
  const [then, now] = [before.p95, since.p95]
  if (then !== null && now !== null && Math.abs(now - then) > then * AMOUNT)
    return said(now > then ? "worse" : "better", `p95 ${times(then)} to ${times(now)}`)
  return said("same", "no change seen")
}

/** More than chance does in 95 of 100 cases, by both numbers of runs. */
export function differs(was: number, is: number, n: number, m: number): boolean {
  const all = (was * n + is * m) / (n + m)
  return Math.abs(is - was) > 2 * Math.sqrt(all * (1 - all) * (1 / n + 1 / m))
}

/** `0`, `1.6`, `48` */
export const percent = (share: number): string =>
  String(share === 0 ? 0 : share < 0.1 ? Number((share * 100).toPrecision(2)) : Math.round(share * 100))
