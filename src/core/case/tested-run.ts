// Compares a case's run with its expectation: converts the run to the form of an expectation [K20] and lists the differences. A pure
// function of the run's view and events.

import { isObject, type Json, type JsonObject } from "../json.ts"
import type { RunEvent } from "../run/event.ts"
import { answerText } from "../run/protocol/answer-text.ts"
import { lastSummary } from "../run/views/last-summary.ts"
import type { RunView } from "../run/views/view.ts"
import { pointerStep } from "../text/pointer.ts"
import { mismatches, type Mismatch } from "./matcher.ts"
import type { Expectation } from "./test-case.ts"

/** Limit: failures shown per case → the rest are left out. */
export const MAX_FAILURES = 50
/** Characters of a value that a failure shows. */
const SHOWN_CHARS = 4_000

export interface TestedRun {
  readonly found: JsonObject
  /** Path → text; absent: there is no such file, or it is not text. */
  readonly files: ReadonlyMap<string, string>
}

/** `events`: all events of the run. `turns`: includes those of its children. */
export function foundIn(view: RunView, events: readonly RunEvent[], turnsOfChildren = 0): JsonObject {
  const steps: Record<string, StepFound> = {}
  for (const [id, step] of Object.entries(view.steps))
    steps[id] = { status: step.status, passes: 0, outputs: step.outputs ?? {}, called: [], refused: [] }
  const branches: Record<string, Json> = {}
  let turns = turnsOfChildren
  for (const e of events) {
    const step = "step" in e && e.step !== undefined && Object.hasOwn(steps, e.step) ? steps[e.step] : undefined
    if (e.type === "model.replied") turns += 1
    if (!step) continue
    if (e.type === "step.opened") step.passes += 1
    else if (e.type === "tool.called" || (e.type === "interaction.asked" && e.kind === "ask_user")) step.called.push(toolOf(e))
    else if (e.type === "tool.refused") step.refused.push(e.tool)
    else if (e.type === "step.finished" && e.branch !== undefined) branches[e.step] = e.branches ?? e.branch
    else if (e.type === "branch.taken" && e.also !== true && !Object.hasOwn(branches, e.step)) branches[e.step] = e.branch
  }
  return {
    status: view.status,
    output: view.output ?? null,
    answer: answerText(view.output, lastSummary(view)),
    error: view.error === undefined ? null : JSON.parse(JSON.stringify(view.error)),
    branches,
    steps: steps as unknown as JsonObject,
    turns,
    tool_calls: view.usage.tool_calls,
  }
}

interface StepFound {
  status: string
  passes: number
  outputs: JsonObject
  called: string[]
  refused: string[]
}

const toolOf = (e: Extract<RunEvent, { type: "tool.called" | "interaction.asked" }>): string =>
  e.type === "tool.called" ? e.tool : "ask_user"

/** The paths in an expectation's `files`. */
export const filesOf = ({ files }: Expectation): readonly string[] => (isObject(files) ? Object.keys(files) : [])

export function failuresOf(expect: Expectation, { found, files }: TestedRun): Mismatch[] {
  const { files: wanted, error, branches, scores: _scores, ...rest } = expect
  const all = mismatches(rest, found, "", MAX_FAILURES)
  const said = found["error"]
  // A text, or a pattern for one, means the message.
  if (error !== undefined) {
    const message = isObject(said) ? (said["message"] as Json) : null
    const isText = typeof error === "string" || (isObject(error) && Object.hasOwn(error, "matches"))
    all.push(...mismatches(error, isText ? message : said, "/error", MAX_FAILURES))
  }
  for (const [step, label] of isObject(branches) ? Object.entries(branches) : []) {
    const taken = isObject(found["branches"]) && Object.hasOwn(found["branches"], step) ? (found["branches"][step] as Json) : undefined
    // Of a multiple choice, one label means the first.
    const one = Array.isArray(taken) && !Array.isArray(label) ? taken[0] : taken
    all.push(...mismatches(label as Json, one, `/branches${pointerStep(step)}`, MAX_FAILURES))
  }
  for (const [path, said] of isObject(wanted) ? Object.entries(wanted) : []) {
    const text = files.get(path)
    const { contains, equals } = isObject(said) ? said : {}
    const fits = text !== undefined && (typeof contains === "string" ? text.includes(contains) : text === equals)
    if (!fits) all.push({ at: `/files/${escaped(path)}`, expected: said as Json, found: text ?? null })
  }
  return all.slice(0, MAX_FAILURES).map((one) => ({ ...one, expected: short(one.expected), found: short(one.found) }))
}

/** [V39] What each scorer said; a text: why it gave no score. */
export function scoreFailures({ scores }: Expectation, found: ReadonlyMap<string, number | null | string>): Mismatch[] {
  const failures = Object.entries(isObject(scores) ? scores : {}).flatMap(([name, wanted]) =>
    mismatches(wanted as Json, found.get(name) ?? null, `/scores${pointerStep(name)}`, MAX_FAILURES),
  )
  return failures.slice(0, MAX_FAILURES).map((one) => ({ ...one, expected: short(one.expected), found: short(one.found) }))
}

/** The scorers in an expectation's `scores`. */
export const scorersOf = ({ scores }: Expectation): readonly string[] => (isObject(scores) ? Object.keys(scores) : [])

const escaped = (path: string): string => path.replaceAll("~", "~0").replaceAll("/", "~1")

/** Shortens a value that would make the report too long. */
export function short(value: Json): Json {
  const text = typeof value === "string" ? value : JSON.stringify(value)
  return text.length <= SHOWN_CHARS ? value : `${text.slice(0, SHOWN_CHARS)}… (${text.length} characters)`
}
