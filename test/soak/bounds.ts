// Decides whether a server came back to where it was: how much each figure of the soak may be above that of the warm server.

import type { Check } from "../crash/evidence.ts"
import type { Figures } from "./figures.ts"

/** The first rounds load code and fill caches. */
export const WARM_ROUNDS = 3

interface Bound {
  readonly of: Exclude<keyof Figures, "tables">
  readonly what: string
  /** Above the warm server's figure. */
  readonly allowed: (warm: number) => number
  readonly why: string
}

const BOUNDS: readonly Bound[] = [
  { of: "files", what: "files", allowed: () => 2, why: "of what has no date to go by itself" },
  { of: "rows", what: "rows", allowed: () => 12, why: "a day's sums have one for each name, and midnight may come" },
  { of: "disk", what: "MB on disk", allowed: (warm) => warm * 0.5 + 4, why: "databases keep the pages that they have freed" },
  { of: "page", what: "KB of what the runtime keeps of a deleted object", allowed: () => 0, why: "an empty page" },
  { of: "workerd", what: "MB of workerd", allowed: (warm) => warm * 0.25 + 64, why: "its heap grows until it collects" },
  { of: "launcher", what: "MB of the launcher", allowed: (warm) => warm * 0.25 + 32, why: "its heap grows until it collects" },
]

/** Each figure as low as it was in the last rounds, against the first rounds of the warm server. */
export function judged(seen: readonly Figures[]): Check[] {
  const warm = seen.slice(WARM_ROUNDS - 1, WARM_ROUNDS * 2 - 2)
  const late = seen.slice(-WARM_ROUNDS)
  return BOUNDS.map(({ of, what, allowed, why }) => {
    const from = Math.max(...warm.map((it) => it[of]))
    const to = Math.min(...late.map((it) => it[of]))
    const most = from + allowed(from)
    const name = `${what}: ${round(from)} when warm, ${round(to)} at the end, at most ${round(most)} (${why})`
    return { name, fault: to <= most ? undefined : grown(of, warm.at(-1), late.at(-1)) }
  })
}

const round = (n: number): number => Math.round(n * 10) / 10

export const shownAs = (it: Figures | undefined): string =>
  it === undefined
    ? "nothing"
    : `${it.files} files, ${it.rows} rows, ${round(it.disk)} MB on disk, ${it.dated} things that go by themselves, ${it.empty} empty databases, ${round(it.workerd)} MB of workerd, ${round(it.launcher)} MB of the launcher`

/** Which tables have more rows. */
function grown(of: string, warm: Figures | undefined, late: Figures | undefined): string {
  if (of !== "rows" || !warm || !late) return "it does not come back"
  const more = Object.entries(late.tables).map(([name, rows]) => [name, rows - (warm.tables[name] ?? 0)] as const)
  const most = more.filter(([, rows]) => rows > 0).toSorted(([, a], [, b]) => b - a)
  return most
    .slice(0, 6)
    .map(([name, rows]) => `${name} +${rows}`)
    .join(", ")
}
