// Says how far a judge can be trusted: how well it agrees with people, and what its probe shows [V22].

interface Agreement {
  readonly version: string
  readonly pairs: number
  readonly agreement: number | null
  readonly kappa: number | null
  readonly interval: readonly number[] | null
}

interface Probed {
  readonly status: "running" | "done"
  readonly runs: number
  readonly plain: number | null
  readonly empty: number | null
  readonly urged: number | null
}

const FLAGS: Readonly<Record<string, string>> = {
  few_grades: "Under 30 grades: grade more before you rely on it.",
  disagrees: "It disagrees with people more often than not.",
  ignores_input: "It gives good scores to runs without an answer: it does not read them.",
  swayed: "A sentence that asks for the best level raises its scores.",
}

export const flagWords = (flag: string): string => FLAGS[flag] ?? flag

const two = (value: number): string => value.toFixed(2)

export function agreementWords({ pairs, agreement, kappa, interval }: Agreement): string {
  if (pairs === 0) return "Nobody has graded a run that it scored."
  const grades = pairs === 1 ? "1 grade" : `${pairs} grades`
  const share = agreement === null ? "" : `, the same level in ${Math.round(agreement * 100)} %`
  if (kappa === null) return `${grades}${share}. Beyond chance nothing can be said yet.`
  const [low, high] = interval ?? []
  const between = low === undefined || high === undefined ? "" : ` (${two(low)} to ${two(high)})`
  return `${two(kappa)} of 1${between}, by ${grades}${share}; above 0.6 is good.`
}

export function probeWords({ status, runs, plain, empty, urged }: Probed): string {
  if (status === "running") return "A probe is under way."
  if (plain === null || empty === null || urged === null) return "The last probe found no run that it could judge in all three ways."
  const read = plain - empty < 0.25 ? "it gives almost as much" : `it gives ${two(empty)}`
  const added = Math.max(0, urged - empty)
  return `Over ${runs === 1 ? "1 run" : `${runs} runs`}: with answers taken out ${read}, and asking for the best level adds ${two(added)}.`
}
