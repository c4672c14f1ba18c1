// Counts open questions by their age, in fixed steps: the oldest are those that somebody forgot.

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]

/** `most` in ms; the last has none. */
export const AGES = [
  { label: "up to 15 min", most: 15 * MINUTE },
  { label: "up to 1 h", most: HOUR },
  { label: "up to 4 h", most: 4 * HOUR },
  { label: "up to 1 day", most: DAY },
  { label: "over 1 day", most: Number.POSITIVE_INFINITY },
] as const

export function countByAge(asked: readonly { readonly created: string }[], now: number): number[] {
  const counts: number[] = AGES.map(() => 0)
  for (const { created } of asked) {
    const at = AGES.findIndex(({ most }) => now - Date.parse(created) <= most)
    counts[at] = (counts[at] ?? 0) + 1
  }
  return counts
}
