// Plays seeds over the kernel alone: `npm run sim -- --kernel [--seed N] [--seconds S | --runs M]`. Each seed is one course, and one run.

import fc from "fast-check"
import type { RunEvent } from "../../../src/core/run/event.ts"
import { courses, type Course } from "./course.ts"
import { lived } from "./laws.ts"

export interface KernelOptions {
  /** Where to begin; with neither `runs` nor `seconds` the only one. */
  readonly seed?: number | undefined
  readonly runs?: number | undefined
  /** Seconds of CPU. */
  readonly seconds?: number | undefined
  readonly say: (line: string) => void
}

/** Limits of what is told. */
const MOST_FINDINGS = 10
const MOST_REPORTS = 3
/** Of so many seeds one is played twice, for the same journal. */
const TWICE_OF = 32
const RUNS = 20_000

/** How fast-check draws: `unbiased`, since small numbers are no better than others here. */
const drawing = (seed: number): { seed: number; numRuns: number; unbiased: boolean } => ({ seed, numRuns: 1, unbiased: true })

export function courseOf(seed: number): Course {
  const [course] = fc.sample(courses, drawing(seed))
  if (!course) throw new Error(`seed ${seed} draws nothing`)
  return course
}

/** How many seeds failed. */
export function kernel({ seed, runs, seconds, say }: KernelOptions): number {
  const isOne = seed !== undefined && runs === undefined && seconds === undefined
  const first = seed ?? Number(process.hrtime.bigint() % 1_000_000_000n)
  const most = isOne ? 1 : (runs ?? (seconds === undefined ? RUNS : Number.POSITIVE_INFINITY))
  const began = process.cpuUsage()
  const cpu = (): number => {
    const { user, system } = process.cpuUsage(began)
    return (user + system) / 1e6
  }
  let [played, events, failed] = [0, 0, 0]
  while (played < most && (seconds === undefined || cpu() < seconds)) {
    const next = first + played++
    const findings = findingsOf(next, isOne || next % TWICE_OF === 0)
    events += findings.events
    if (findings.all.length === 0) continue
    failed++
    say(`seed ${next}: ${findings.all.length} findings (again: npm run sim -- --kernel --seed ${next})`)
    for (const finding of findings.all.slice(0, MOST_FINDINGS)) say(`  ${finding}`)
    if (failed <= MOST_REPORTS) least(next, say)
  }
  say(`${played} runs of the kernel, ${events} events in ${cpu().toFixed(0)} s of CPU: ${Math.round((played / cpu()) * 60)} runs a minute`)
  say(`${played - failed} passed, ${failed} failed`)
  return failed
}

function findingsOf(seed: number, isTwice: boolean): { readonly all: readonly string[]; readonly events: number } {
  const { findings, events, journal } = lived(courseOf(seed))
  const isOther = isTwice && lived(courseOf(seed)).journal !== journal
  return { all: isOther ? [...findings, "[J6] the same seed gives another journal"] : findings, events }
}

/** The least course in which anything is wrong, and its journal. */
function least(seed: number, say: KernelOptions["say"]): void {
  const sound = fc.property(courses, (course) => lived(course).findings.length === 0)
  const [course] = fc.check(sound, drawing(seed)).counterexample ?? []
  if (!course) return
  const { flow, ...rest } = course
  say(`  the least course: ${JSON.stringify(rest)}`)
  for (const { id, type, ...step } of flow.steps) say(`    ${id} ${type} ${JSON.stringify(step)}`)
  const { findings, journal } = lived(course)
  for (const finding of findings.slice(0, MOST_FINDINGS)) say(`  ${finding}`)
  if (journal !== "") for (const event of JSON.parse(journal) as RunEvent[]) say(`  ${row(event)}`)
}

/** When, which event, of whom. */
function row({ seq, at, type, ...rest }: RunEvent): string {
  const of = "key" in rest ? rest.key : "step" in rest ? (rest.step ?? "") : ""
  return `${String(seq).padStart(5)} ${String(at).padStart(9)}  ${type} ${of}`
}
