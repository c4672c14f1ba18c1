// Laws of a course of the kernel: what spec/runs.md promises of every journal [J1–J16], as far as it is the kernel's; also that a choice, a loop and a
// join go as the flow says [F11–F19], that a history folds to the state it came from, and that it replays to itself [K18]. Linear in its events.

import { canonical } from "../../../src/core/json.ts"
import { decide } from "../../../src/core/run/decide.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import { isOver, newRun, type Run } from "../../../src/core/run/state.ts"
import { apply } from "../../../src/core/run/apply.ts"
import { detours } from "../../support/kernel/course-laws.ts"
import { breaches } from "../../support/kernel/laws.ts"
import { replay } from "../../support/kernel/replay.ts"
import type { Shell } from "../../support/kernel/shell.ts"
import { outcomeOf } from "../../support/kernel/world.ts"
import { calm, isComparable, run, type Course } from "./course.ts"

export interface Lived {
  readonly findings: readonly string[]
  readonly events: number
  /** All events. */
  readonly journal: string
}

export function lived(course: Course): Lived {
  const findings: string[] = []
  let shell: Shell
  try {
    shell = run(course, (at) => void findings.push(...between(at)))
  } catch (e) {
    return { findings: [...findings, `it came to no end: ${e instanceof Error ? e.message : String(e)}`], events: 0, journal: "" }
  }
  const journal = JSON.stringify(shell.log)
  findings.push(
    ...ofJournal(shell.log),
    ...breaches(shell.plan, shell.log),
    ...detours(shell.plan, shell.log),
    ...atEnd(shell),
    ...folded(course, shell, journal),
  )
  if (isComparable(course)) findings.push(...compared(shell, calm(course)))
  return { findings, events: shell.log.length, journal }
}

/** Between two events. */
function between(shell: Shell): string[] {
  const { run: now, flights } = shell
  const wrong: string[] = []
  for (const key of flights.keys())
    if (!Object.hasOwn(now.underway, key)) wrong.push(`[J2] ${key} left and is not under way in the journal`)
  const isIdle = flights.size === 0 && now.status !== "paused" && !isOver(now)
  if (isIdle && now.pending.length === 0 && Object.keys(now.underway).length === 0 && decide(now).length === 0 && !hasChildren(now))
    wrong.push(`[J5] after ${now.seq} it wants nothing, waits for nothing and asks nobody`)
  return wrong
}

const hasChildren = ({ steps }: Run): boolean => Object.values(steps).some((s) => s.status === "running")

/** Of the events alone, whatever the flow. */
export function ofJournal(log: readonly RunEvent[]): string[] {
  const wrong: string[] = []
  const wishes = new Map<string, string>()
  const attempts = new Map<string, number>()
  const answered = new Set<string>()
  let before: RunEvent | undefined
  for (const e of log) {
    const say = (text: string): void => void wrong.push(`${e.seq} ${e.type}: ${text}`)
    if (e.v !== 1 || !Number.isSafeInteger(e.at) || e.prev === "") say("[J7] has not all of v, at and prev")
    if (before && e.at < before.at) say("[J7] is earlier than the event before it")
    if (e.type === "action.begun") {
      const wish = `${e.kind} of ${e.step}`
      if ((wishes.get(e.key) ?? wish) !== wish) say(`[J1] ${e.key} was the key of ${wishes.get(e.key) ?? ""}`)
      wishes.set(e.key, wish)
      if (!e.key.startsWith(`${e.step}/`)) say(`[J1] ${e.key} is not a key of "${e.step}"`)
      if (e.attempt > 1 && attempts.get(e.key) !== e.attempt - 1)
        say(`[J1] attempt ${e.attempt} of ${e.key} follows ${attempts.get(e.key) ?? 0}`)
      attempts.set(e.key, e.attempt)
    }
    if (e.type === "model.replied" || e.type === "step.called") {
      if (answered.has(e.key)) say(`[J3] ${e.key} was answered before`)
      answered.add(e.key)
    }
    before = e
  }
  return wrong
}

/** The folded state as text, without the plan and the list of touched steps. */
const stateOf = (of: Run): string => JSON.stringify({ ...of, plan: 0, touched: 0 })

function atEnd(shell: Shell): string[] {
  const wrong: string[] = []
  if (!isOver(shell.run)) wrong.push("[J5] it has not ended")
  if (shell.pending().length > 0) wrong.push("[J5] it asks after its end")
  if (shell.running().length > 0) wrong.push("[J5] a step runs after its end")
  if (decide(shell.run).length > 0) wrong.push("[J5] it wants something after its end")
  if (shell.mostFlights > 6) wrong.push(`[J16] ${shell.mostFlights} effects were under way`)
  return wrong
}

function folded(course: Course, shell: Shell, journal: string): string[] {
  const wrong: string[] = []
  const { plan } = shell
  const history = JSON.parse(journal) as RunEvent[]
  const state = stateOf(shell.run)
  if (!isSame(stateOf(history.reduce(apply, newRun(plan))), state)) wrong.push("[J6] its history folds to another state")
  if (course.snapshotEvery > 0 && !isSame(stateOf(shell.refolded()), state))
    wrong.push("[J8] its last snapshot and the tail fold to another state")
  if (!course.isReplayed) return wrong
  // Without a hash, an event names its place before it.
  const { fault } = replay(plan, history, (text) => text.slice('{"seq":'.length, text.indexOf(",")))
  if (fault !== undefined) wrong.push(`[K18] it does not replay to itself: ${fault}`)
  return wrong
}

/** The members of an object may come in another order. */
const isSame = (a: string, b: string): boolean => a === b || canonical(JSON.parse(a)) === canonical(JSON.parse(b))

function compared(shell: Shell, other: Shell): string[] {
  // A call that is lost as often as it is tried ends with an error, which its agent is told.
  if (shell.log.some((e) => e.type === "tool.returned" && e.isError === true && e.digest === undefined)) return []
  const [one, two] = [shell, other].map((it) => canonical(outcomeOf(it)))
  return one === two ? [] : [`[J10, F14] it ends otherwise than in order and undisturbed: ${one}, not ${two}`]
}
