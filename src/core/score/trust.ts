// Tells how far a judge can be trusted [V22]: how well each of its versions agrees with people, and what is to be said against it.

import type { Pieces } from "../pieces.ts"
import { kappaOf, type Agreement, type Pair } from "../statistics/kappa.ts"
import type { ProbeFlag } from "./probe.ts"

/** What the judge gave to a run, and the newest grade of people that is one of its levels. */
export interface GradedRun {
  readonly id: string
  readonly version: string
  /** The levels of that version, as numbers. */
  readonly levels: readonly number[]
  readonly judge: number
  readonly grade: number
}

export interface VersionTrust extends Agreement {
  readonly version: string
}

export type TrustFlag = "few_grades" | "disagrees" | ProbeFlag

/** Below so many pairs, agreement says little. */
const FEW_PAIRS = 30
/** Agreement beyond chance that is not even fair. */
const LEAST_KAPPA = 0.4

/** The version of now first, then the others by name. `levels`: those of now. */
export function* trustOf(runs: readonly GradedRun[], version: string, levels: readonly number[]): Pieces<readonly VersionTrust[]> {
  const others = [...new Set(runs.map((run) => run.version))].filter((one) => one !== version).toSorted()
  const versions: VersionTrust[] = []
  for (const one of [version, ...others]) {
    const own = runs.filter((run) => run.version === one)
    versions.push({ version: one, ...(yield* kappaOf(own.flatMap(pairOf), own[0]?.levels ?? levels, one)) })
  }
  return versions
}

function pairOf({ id, levels, judge, grade }: GradedRun): readonly Pair[] {
  const [at, by] = [levels.indexOf(judge), levels.indexOf(grade)]
  return at < 0 || by < 0 ? [] : [{ id, judge: at, grade: by }]
}

/** Of the version of now. `probed`: what its newest probe says. */
export function trustFlags({ pairs, interval }: Pick<Agreement, "pairs" | "interval">, probed: readonly ProbeFlag[]): readonly TrustFlag[] {
  return [
    ...(pairs < FEW_PAIRS ? (["few_grades"] as const) : []),
    ...(interval && interval[1] < LEAST_KAPPA ? (["disagrees"] as const) : []),
    ...probed,
  ]
}
