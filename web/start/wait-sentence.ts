// Says in one sentence what a queued run waits for [R18], and what stands between it and its beginning.

import { rateWords } from "./span-words.ts"

export interface Wait {
  readonly reason: string
  readonly until?: string
  readonly pool?: string
  readonly key?: string
  /** Counted up to 100. */
  readonly ahead?: number
  readonly run?: string
  readonly expires?: string
}

/** What the run's start obeys, as the list of starts has it. */
export interface Obeyed {
  readonly merged: number
  readonly concurrency?: { readonly limit: number }
  readonly throttle?: { readonly limit: number; readonly period: number }
}

const MOST_AHEAD = 100

export function beforeIt(ahead = 0): string {
  if (ahead === 0) return "it is next"
  return `${ahead >= MOST_AHEAD ? `${MOST_AHEAD} or more` : ahead} before it`
}

const atOnce = (limit = 1): string => (limit === 1 ? "one run at a time" : `${limit} runs at a time`)

/** `title`: the key with what it is. `time`: an instant as the page writes it. */
export function waitSentence(wait: Wait, of: Obeyed | undefined, title: string, time: (at: string) => string): string {
  const { reason, until, ahead } = wait
  const at = until === undefined ? undefined : time(until)
  switch (reason) {
    case "debounce":
      return at === undefined ? "Waits for more starts like it" : `Begins at ${at} if no other start like it comes`
    case "batch":
      return at === undefined ? "Collects starts" : `Collects starts until ${at}`
    case "delay":
      return at === undefined ? "Begins later" : `Begins at ${at}`
    case "throttle": {
      const rate = of?.throttle === undefined ? "only so many may begin" : `at most ${of.throttle.limit} ${rateWords(of.throttle.period)}`
      return at !== undefined && (ahead ?? 0) === 0 ? `Begins at ${at}: ${rate}` : `Waits for its turn: ${rate}, ${beforeIt(ahead)}`
    }
    case "concurrency":
      return `Waits for ${title === "" ? "its turn" : title}: ${atOnce(of?.concurrency?.limit)}, ${beforeIt(ahead)}`
    default:
      return `Waits for a free place: ${beforeIt(ahead)}`
  }
}

export interface Gate {
  readonly what: string
  readonly about: string
  readonly state: "done" | "now" | "later"
  /** Beside it. */
  readonly note: string
}

/** What the flow's keys name; undefined: nothing. */
export interface GateNames {
  readonly window?: string | undefined
  readonly throttle?: string | undefined
  readonly concurrency?: string | undefined
}

const forEach = (names: string | undefined): string => (names === undefined ? "" : ` for each ${names}`)

/** In the order in which a start goes through them. `now`: what it waits for is bold. */
export function gatesOf(wait: Wait, of: Obeyed | undefined, names: GateNames, time: (at: string) => string): readonly Gate[] {
  const { reason, until, ahead } = wait
  const at = until === undefined ? "" : time(until)
  const merged = of?.merged ?? 1
  const made = merged === 1 ? "Made of 1 start so far." : `Made of ${merged} starts so far.`
  const open = (note: string): string => (at === "" ? note : `until ${at}`)
  const gates: (Omit<Gate, "state"> & { readonly reason: string })[] = []
  const each = forEach(names.window)
  if (reason === "debounce") gates.push({ reason, what: `Merge starts${each}`, about: made, note: open("open") })
  else if (reason === "batch") gates.push({ reason, what: `Collect starts${each}`, about: made, note: open("open") })
  else if (merged > 1)
    gates.push({ reason: "window", what: `Merge starts${each}`, about: `It is made of ${merged} starts.`, note: `${merged} starts` })
  if (reason === "delay") gates.push({ reason, what: "A set time", about: "It begins no earlier.", note: at })
  if (of?.throttle)
    gates.push({
      reason: "throttle",
      what: `At most ${of.throttle.limit} ${rateWords(of.throttle.period)}${forEach(names.throttle)}`,
      about: "Counts the runs that have begun.",
      note: at === "" ? beforeIt(ahead) : `next at ${at}`,
    })
  if (of?.concurrency)
    gates.push({
      reason: "concurrency",
      what: `${of.concurrency.limit === 1 ? "One at a time" : `At most ${of.concurrency.limit} at a time`}${forEach(names.concurrency)}`,
      about: "Goes by priority, then by arrival.",
      note: beforeIt(ahead),
    })
  gates.push({ reason: "room", what: "A free place for runs", about: "Looked at when its turn comes.", note: beforeIt(ahead) })
  const here = gates.findIndex((gate) => gate.reason === reason)
  return gates.map(({ reason: own, note, ...gate }, i) => {
    const state = i < here ? "done" : i === here ? "now" : "later"
    return { ...gate, state, note: state === "now" || own === "window" ? note : state === "done" ? "passed" : "" }
  })
}
