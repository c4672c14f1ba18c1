// Themes: what must come together for one class of situations. Most seeds have one: its people are there and its faults are usual, and there is
// little else, so that it happens often. The others have about half of everything.

import type { Dice } from "./platform/dice.ts"
import type { Rates } from "./platform/faults.ts"

export interface Theme {
  readonly name: string
  /** Files of src that have the most to do then. */
  readonly rooms: RegExp
  /** Names of people. */
  readonly people: readonly string[]
  /** How often a fault happens where it can. */
  readonly rates: Rates
}

const SLOW: Rates = { "slow message": 0.12, "stuck message": 0.006 }

export const THEMES: readonly Theme[] = [
  {
    name: "there is no room",
    rooms: /tenant\/(?:starts|hooks|schedules|bulk)\/|held-start/,
    people: ["quotas", "senders", "planners", "bulkers", "cancelers", "deleters", "queuers", "posters"],
    rates: { "slow message": 0.03, "stuck message": 0.02, "lost call": 0.02, "late alarm": 0.3 },
  },
  {
    name: "alarms are late",
    rooms: /conduct\/|alarm|run-duties|core\/run\/begin/,
    people: ["rares", "pausers"],
    rates: { "late alarm": 0.6, "very late alarm": 0.03, "slow message": 0.15, "slow commit": 0.4 },
  },
  {
    name: "slices of the day",
    rooms: /tenant\/budget\/|run-start|awake-run/,
    people: ["day budget", "cancelers", "lookers", "senders"],
    rates: SLOW,
  },
  {
    name: "families",
    rooms: /run-effects|run\/family\/|run-signals|own-calls|run-object|call\//,
    people: ["rares", "deleters", "cancelers", "pausers"],
    rates: { ...SLOW, "aborted object": 0.006, "lost answer": 0.02 },
  },
  {
    name: "names that come back",
    rooms: /tenancy|tenant-sql|clients\/tenants|desks\/|directory/,
    people: ["founders", "returners"],
    rates: { ...SLOW, "lost answer": 0.02 },
  },
  {
    name: "keys and clocks",
    rooms: /tenant\/(?:keys|catalog|settings|feed)\/|recent-answers|cache\/|tenant-tables|tenant-stores|desks\//,
    people: ["keepers", "rushers", "callers", "changers", "listeners"],
    rates: { "clock step": 0.0004, "slow message": 0.03, "stale read": 0.2 },
  },
  {
    name: "threads",
    rooms: /protocols\/|tenant\/sessions\//,
    people: ["chatters", "settlers"],
    rates: { "lost call": 0.03, "lost answer": 0.03, "aborted object": 0.01, "aborted isolate": 0.001 },
  },
  {
    name: "retention",
    rooms: /leaving\/|run-list\//,
    people: ["retainers", "deleters", "forks", "graders"],
    rates: { ...SLOW, "lost call": 0.02 },
  },
  {
    name: "full storage",
    rooms: /run-start|journal\/|conductor|platform\/reopening/,
    people: ["waiters", "lookers", "chatters"],
    rates: { "full storage": 0.02, "slow commit": 0.1 },
  },
]

/** Of the seeds, so many have a theme. */
const OFTEN = 0.75

export const themeOf = (dice: Dice): Theme | undefined => (dice.chance("theme", OFTEN) ? dice.pick("which theme", THEMES) : undefined)

/** How often a seed with this theme has people whom a seed without one has so often. */
export function oftenOf(theme: Theme | undefined, name: string, often: number): number {
  if (!theme || often === 1) return often
  return theme.people.includes(name) ? 0.9 : often / 4
}
