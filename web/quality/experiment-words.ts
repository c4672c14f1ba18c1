// Says what an experiment has found: which variant is better, by how many points, and what is not decided.

export interface Measured {
  readonly n: number
  readonly difference: number | null
  readonly interval: readonly [number, number] | null
  readonly better: number
  readonly worse: number
}

export interface ComparedVariant {
  readonly variant: string
  readonly with: string
  readonly scores: Readonly<Record<string, Measured>>
  readonly usd: Measured
  readonly ms: Measured
}

export type Ruling = "better" | "worse" | "open"

/** Only an interval that does not hold 0 decides. `isLess`: less is better. */
export function rulingOf({ interval }: Pick<Measured, "interval">, isLess = false): Ruling {
  if (interval === null) return "open"
  const [low, high] = interval
  if (low > 0) return isLess ? "worse" : "better"
  if (high < 0) return isLess ? "better" : "worse"
  return "open"
}

/** `+4`, `0`, `−6`: with a true minus. */
export function signed(value: number): string {
  const whole = Math.round(value)
  return whole > 0 ? `+${whole}` : whole < 0 ? `−${-whole}` : "0"
}

/** A score goes from 0 to 1, its points from 0 to 100. */
export const POINTS = 100

const pointsOf = (name: string, { difference }: Measured): string => `${name} ${signed((difference ?? 0) * POINTS)} points`

export interface ExperimentVerdict {
  readonly kind: "complete" | "error" | "waiting"
  readonly title: string
  readonly about: string
}

interface Experiment {
  readonly rows: number
  readonly same: number
  readonly compared?: readonly ComparedVariant[]
}

export function verdictOf({ rows, same, compared = [] }: Experiment): ExperimentVerdict | undefined {
  if (compared.length === 0) return undefined
  if (rows > 0 && same === rows)
    return { kind: "complete", title: "All variants do the same", about: "On these rows nothing differs, so no model was asked." }
  const ruled = compared.map((one) => {
    const scores = Object.entries(one.scores)
    const named = (ruling: Ruling): string =>
      scores.flatMap(([name, measured]) => (rulingOf(measured) === ruling ? [pointsOf(name, measured)] : [])).join(", ")
    return { one, better: named("better"), worse: named("worse") }
  })
  const best = ruled.find(({ better, worse }) => better !== "" && worse === "")
  if (best) return { kind: "complete", title: `${best.one.variant} is better: ${best.better}`, about: aboutOf(best.one) }
  const bad = ruled.find(({ better, worse }) => better === "" && worse !== "")
  if (bad && ruled.length === 1) return { kind: "error", title: `${bad.one.variant} is worse: ${bad.worse}`, about: aboutOf(bad.one) }
  const mixed = ruled.find(({ better, worse }) => better !== "" && worse !== "")
  if (mixed)
    return {
      kind: "waiting",
      title: `${mixed.one.variant} is better and worse: ${mixed.better}; ${mixed.worse}`,
      about: aboutOf(mixed.one),
    }
  if (bad) return { kind: "error", title: `${bad.one.variant} is worse: ${bad.worse}`, about: "The others are not decided." }
  const first = ruled[0]
  return { kind: "waiting", title: "It is not decided", about: first === undefined ? "" : aboutOf(first.one) }
}

/** What the first score's interval says; too few rows have none. */
function aboutOf({ scores }: ComparedVariant): string {
  const [name, first] = Object.entries(scores)[0] ?? []
  if (name === undefined || first === undefined) return ""
  if (first.interval === null) return `${first.n} rows are too few to say: an interval needs 10.`
  const [low, high] = first.interval
  return `For ${name} the truth lies between ${signed(low * POINTS)} and ${signed(high * POINTS)} points, 95 times of 100.`
}

/** Of a mean of what was asked anew, in percent; undefined: nothing was, or it has no price. */
export function percentOf(measured: Measured, same: number, mean: number | null | undefined): Measured | undefined {
  const asked = measured.n - same
  if (mean === null || mean === undefined || mean <= 0 || asked <= 0) return undefined
  const scale = (value: number): number => ((value * measured.n) / asked / mean) * 100
  return {
    ...measured,
    difference: measured.difference === null ? null : scale(measured.difference),
    interval: measured.interval === null ? null : [scale(measured.interval[0]), scale(measured.interval[1])],
  }
}

/** The end of an axis that is the same on both sides. */
export function scaleOf(values: readonly number[], ends: readonly number[] = [5, 10, 20, 50, 100]): number {
  const most = Math.max(0, ...values.map(Math.abs))
  return ends.find((end) => most <= end) ?? Math.ceil(most / 100) * 100
}

export const FLAG_WORDS: Readonly<Record<string, string>> = {
  few_rows: "Under 30 rows: take more before you decide.",
  incomplete: "More than a tenth of the rows is left out.",
  uneven: "More trials of one variant were stopped than of the other.",
  judge_flagged: "A judge is not to be trusted: see its scorer.",
  selected: "The rows were chosen by how they went, so recorded runs look worse than new ones.",
}

/** What it ran on, as it was asked for. */
export function rowsWords(dataset: unknown): string {
  if (typeof dataset === "string") return `the dataset ${dataset}`
  const { last, runs } = (typeof dataset === "object" && dataset !== null ? dataset : {}) as { last?: number; runs?: readonly string[] }
  if (last !== undefined) return last === 1 ? "the last run" : `the last ${last} runs`
  return runs?.length === 1 ? "one run" : `${runs?.length ?? 0} runs`
}
