// Checks the expectation of a case when it is written [K20]: each key, and the form of its value. A scorer and a row of a dataset expect the same, but
// no scores [V1, V29].

import { isObject, type Json, type JsonObject } from "../json.ts"
import { StepStatus } from "../run/event-parts.ts"
import type { Scorer } from "../flow/scorer.ts"
import type { DiagnosticCode } from "../diagnostic-codes.ts"
import type { Report } from "../flow/parse/report.ts"
import { shown } from "../flow/parse/report.ts"
import type { Path, Source } from "../flow/parse/source.ts"
import { isTool } from "./rehearsal.ts"
import { ENDS } from "./case-fields.ts"
import type { KnownOutputs } from "./known-outputs.ts"
import { matcherFault, matcherOf } from "./matcher.ts"

interface Desk {
  readonly source: Source
  readonly report: Report
  /** The codes of a wrong value and of an unknown key; of a case, both are TV-EXPECT. */
  readonly codes?: { readonly value: DiagnosticCode; readonly key: DiagnosticCode }
  readonly steps: readonly string[] | undefined
  readonly tools: ReadonlySet<string> | undefined
  readonly outputs: KnownOutputs | undefined
  /** Present for a case. */
  readonly scores?: KnownScorers
}

/** [V39] `unknown`: nobody can tell which scorers exist. */
export type KnownScorers = ((name: string) => Pick<Scorer, "judge"> | undefined) | "unknown"

/** What is wrong with the value under a key; faults of matchers inside are found apart. */
type Check = (value: Json, path: Path, desk: Desk) => void

const EXPECT: Readonly<Record<string, Check>> = {
  status: oneOf(ENDS),
  answer: (value, path, desk) => {
    if (typeof value !== "string" && !(isObject(value) && matcherOf(value as Json) !== undefined))
      complain(desk, path, "`answer` must be text or a matcher", "answer: { matches: refund }")
  },
  output: (value, path, desk) => named(value, path, desk, { has: desk.outputs?.flow, lacks: "the flow has no output" }),
  error: (value, path, desk) => {
    if (typeof value !== "string" && value !== null && !isObject(value))
      complain(desk, path, "`error` must be a map of step, source and message, or the message", "error: { source: agent_finish_error }")
  },
  branches: (value, path, desk) => eachStep(value, path, desk, label),
  steps: (value, path, desk) => eachStep(value, path, desk, ofStep),
  files: (value, path, desk) => {
    if (!isObject(value)) return complain(desk, path, "`files` must be a map of paths", FILE)
    for (const [file, said] of Object.entries(value)) ofFile(said as Json, [...path, file], desk)
  },
  turns: count,
  tool_calls: count,
}
const FILE = "files: { report.md: { contains: done } }"

const OF_STEP: Readonly<Record<string, Check>> = {
  status: oneOf(StepStatus.options),
  passes: count,
  outputs: (value, path, desk) => {
    if (!isObject(value)) return complain(desk, path, "`outputs` must be a map", "outputs: { n: 4 }")
    const step = stepIn(path)
    named(value, path, desk, { has: desk.outputs?.step(step), lacks: `step ${shown(step)} has no output` })
  },
  called: tools,
  refused: tools,
}

export function checkExpectation(value: JsonObject, path: Path, desk: Desk): void {
  members(value, path, desk, desk.scores === undefined ? EXPECT : { ...EXPECT, scores })
  matchers(value, path, desk)
}

const complain = ({ report, source, codes }: Desk, path: Path, message: string, suggestion?: string): void =>
  report.error(codes?.value ?? "TV-EXPECT", source.place(path), message, suggestion)

function members(value: JsonObject, path: Path, desk: Desk, known: Readonly<Record<string, Check>>): void {
  for (const [key, said] of Object.entries(value)) {
    const check = Object.hasOwn(known, key) ? known[key] : undefined
    if (check) check(said, [...path, key], desk)
    else {
      const at = desk.source.place([...path, key], "key")
      desk.report.error(desk.codes?.key ?? "TV-EXPECT", at, `unknown key ${shown(key)}`, desk.report.hint(key, Object.keys(known)))
    }
  }
}

/** A matcher may stand anywhere. */
function matchers(value: Json, path: Path, desk: Desk): void {
  const fault = isObject(value) && matcherOf(value as Json) !== undefined ? matcherFault(value as JsonObject) : undefined
  if (fault !== undefined) complain(desk, path, fault)
  else if (isObject(value) && matcherOf(value as Json) === undefined)
    for (const [key, inside] of Object.entries(value)) matchers(inside as Json, [...path, key], desk)
  else if (Array.isArray(value)) for (const [i, inside] of value.entries()) matchers(inside, [...path, i], desk)
}

function oneOf(words: readonly string[]): Check {
  return (value, path, desk) => {
    if (matcherOf(value) !== undefined || (typeof value === "string" && words.includes(value))) return
    const hint = typeof value === "string" ? desk.report.hint(value, words) : undefined
    complain(desk, path, `must be one of ${words.join(", ")}`, hint)
  }
}

/** The step whose expectation the path leads to. */
const stepIn = (path: Path): string => String(path.at(-2))

interface Having {
  /** undefined: unknown. */
  readonly has: readonly string[] | undefined
  readonly lacks: string
}

/** A name that the run cannot have makes the case fail each time; null says that it is absent. */
function named(value: Json, path: Path, { source, report }: Desk, { has: known, lacks }: Having): void {
  if (known === undefined || !isObject(value) || matcherOf(value) !== undefined) return
  for (const [name, said] of Object.entries(value))
    if (said !== null && !known.includes(name))
      report.warn(
        "TV-OUTPUT",
        source.place([...path, name], "key"),
        `${lacks} ${shown(name)}`,
        report.hint(name, known) ?? knownHint(known),
      )
}

const knownHint = (known: readonly string[]): string =>
  known.length === 0 ? "it has none: declare it under outputs" : `known: ${known.slice(0, 12).join(", ")}`

function count(value: Json, path: Path, desk: Desk): void {
  if (matcherOf(value) === undefined && !(typeof value === "number" && Number.isInteger(value) && value >= 0))
    complain(desk, path, "must be a whole number, { at_most: N } or { at_least: N }", "{ at_most: 9 }")
}

function label(value: Json, path: Path, desk: Desk): void {
  if (matcherOf(value) !== undefined) return
  if (typeof value !== "string") return complain(desk, path, "must be a label, as text", "put it in quotes")
  const step = String(path.at(-1))
  const known = desk.outputs?.branches(step)
  if (known !== undefined && !known.includes(value))
    desk.report.warn(
      "TV-OUTPUT",
      desk.source.place(path),
      `step ${shown(step)} has no branch ${shown(value)}`,
      desk.report.hint(value, known) ?? knownHint(known),
    )
}

function tools(value: Json, path: Path, desk: Desk): void {
  const { report, source, tools: known } = desk
  if (matcherOf(value) === "schema") return
  if (!Array.isArray(value) || !value.every((one) => typeof one === "string" || matcherOf(one) !== undefined))
    return complain(desk, path, "must be a list of tools, in the order of the calls", "[read, write]")
  for (const [i, tool] of known === undefined ? [] : value.entries())
    if (typeof tool === "string" && known !== undefined && !isTool(tool, known))
      report.warn("TV-TOOL", source.place([...path, i]), `the tool ${shown(tool)} does not exist here`, report.hint(tool, known))
}

/** [V39] A test stays free and exact: no model says whether it passes. */
function scores(value: Json, path: Path, desk: Desk): void {
  if (!isObject(value)) return complain(desk, path, "`scores` must be a map of scorers", "scores: { tools-worked: 1 }")
  for (const [name, said] of Object.entries(value)) {
    const at = [...path, name]
    if (!isScore(said as Json)) complain(desk, at, "must be a number from 0 to 1, null or a matcher", "{ at_least: 0.5 }")
    if (typeof desk.scores !== "function") continue
    const scorer = desk.scores(name)
    const fault = !scorer ? "does not exist, or has errors" : scorer.judge ? "asks a model, and a test asks none" : undefined
    const fix = scorer ? "a scorer without a judge, or an experiment, which asks judges" : `write scorers/${name}.yaml, or correct the name`
    if (fault !== undefined) desk.report.error("TV-SCORER", desk.source.place(at, "key"), `the scorer ${shown(name)} ${fault}`, fix)
  }
}

const isScore = (value: Json): boolean =>
  value === null || (typeof value === "number" && value >= 0 && value <= 1) || matcherOf(value) !== undefined

function eachStep(value: Json, path: Path, desk: Desk, check: Check): void {
  if (!isObject(value)) return complain(desk, path, "must be a map of step ids", "{ STEP: … }")
  for (const [step, said] of Object.entries(value)) {
    const at = [...path, step]
    if (desk.steps !== undefined && !desk.steps.includes(step))
      desk.report.warn("TV-STEP", desk.source.place(at, "key"), `the flow has no step ${shown(step)}`, desk.report.hint(step, desk.steps))
    check(said as Json, at, desk)
  }
}

function ofStep(value: Json, path: Path, desk: Desk): void {
  if (isObject(value)) members(value as JsonObject, path, desk, OF_STEP)
  else complain(desk, path, "must be a map", "{ status: complete, outputs: { n: 4 } }")
}

function ofFile(value: Json, path: Path, desk: Desk): void {
  const names = isObject(value) ? Object.keys(value) : []
  const [only] = names
  if (!isObject(value) || names.length !== 1 || (only !== "contains" && only !== "equals"))
    return complain(desk, path, "must have exactly one of contains, equals", "{ contains: done }")
  if (typeof value[only] !== "string") complain(desk, [...path, only], `\`${only}\` must be text`, "put it in quotes")
}
