// Reads `flows/NAME.test.yaml` [K20], and reports all faults at once, each with its line [F2]. An unknown key is an error, because an
// ignored expectation would always pass.

import { defined } from "../defined.ts"
import { bounded, type Diagnostic } from "../diagnostic.ts"
import { isObject, type Json, type JsonObject } from "../json.ts"
import type { DiagnosticCode } from "../diagnostic-codes.ts"
import { openReport, shown, type Report } from "../flow/parse/report.ts"
import { jsonOf, readYaml, type Path, type Source } from "../flow/parse/source.ts"
import { refuseUnknown, turnsOf, unknownTools, type Complain, type Hint, type RehearsedTurn } from "./rehearsal.ts"
import { GivenFiles } from "../run/given-file.ts"
import { checkExpectation, type KnownScorers } from "./check-expectation.ts"
import type { KnownOutputs } from "./known-outputs.ts"
import { INSTEAD, refusedFinishes, type Finisher } from "./finish-faults.ts"
import { ALTERNATIVES, ANSWER_KEYS, CASE_FIELDS, MAX_CASE_NAME } from "./case-fields.ts"
import type { CaseAnswer, TestCase, TestFile } from "./test-case.ts"

export const MAX_CASES = 100 // limit: cases of a flow's tests → `TV-LIMIT`
const CASE_KEYS = Object.keys(CASE_FIELDS)

/** What a file of tests is checked against; what is absent is unknown. */
export interface Tested {
  /** Ids of the flow's steps. */
  readonly steps?: readonly string[]
  /** Names of all tools. */
  readonly tools?: ReadonlySet<string>
  readonly finisher?: Finisher
  readonly outputs?: KnownOutputs
  /** [V39] `none`: no scores are expected, as in a row of a dataset. */
  readonly scorers?: KnownScorers | "none"
}

export function parseTests(
  text: string,
  { steps, tools, finisher, outputs, scorers = "unknown" }: Tested = {},
): { readonly tests?: TestFile; readonly diagnostics: readonly Diagnostic[] } {
  const source = readYaml(text, "TV")
  const report = openReport("TV")
  const json: Json = source.root === undefined ? null : jsonOf(source.root)
  const scores = scorers === "none" ? {} : { scores: scorers }
  const desk: Desk = { source, report, steps, tools, finisher, outputs, ...scores, hint: (word, known) => report.hint(word, known) }
  const cases: TestCase[] = []
  const list = isObject(json) ? json["cases"] : undefined
  if (isObject(json)) refuseUnknown(json, ["cases"], [], complainer(desk, "TV-CASE"), desk.hint)
  if (Array.isArray(list)) {
    if (list.length > MAX_CASES)
      report.error("TV-LIMIT", source.place(["cases", MAX_CASES]), `the file has ${list.length} cases; at most ${MAX_CASES} are run`)
    const names = new Set<string>()
    for (const [i, one] of list.slice(0, MAX_CASES).entries()) {
      const read = caseOf(one, ["cases", i], desk, names)
      if (read) cases.push(read)
    }
  } else if (source.diagnostics.length === 0) report.error("TV-CASE", source.place(["cases"]), "`cases` must be a list of cases", EXAMPLE)
  const diagnostics = bounded([...source.diagnostics, ...report.list()], "TV-MORE")
  return diagnostics.some((d) => d.severity === "error") ? { diagnostics } : { tests: { cases }, diagnostics }
}

const EXAMPLE = "cases: [ { name: works, task: go, expect: { status: succeeded } } ]"

interface Desk {
  readonly source: Source
  readonly report: Report
  readonly steps: readonly string[] | undefined
  readonly tools: ReadonlySet<string> | undefined
  readonly finisher: Finisher | undefined
  readonly outputs: KnownOutputs | undefined
  readonly scores?: KnownScorers
  readonly hint: Hint
}

const complainer =
  ({ source, report }: Desk, code: DiagnosticCode): Complain =>
  (path, message, suggestion, what) =>
    report.error(code, source.place(path, what), message, suggestion)

function caseOf(value: unknown, path: Path, desk: Desk, names: Set<string>): TestCase | undefined {
  const complain = complainer(desk, "TV-CASE")
  if (!isObject(value)) {
    complain(path, "a case is a map", "- { name: works, expect: { status: succeeded } }")
    return undefined
  }
  refuseUnknown(value, CASE_KEYS, path, complain, desk.hint)
  const { task, inputs, trigger, autonomous, rehearsal, answers, expect } = value
  const name = nameOf(value["name"], path, complainer(desk, "TV-NAME"), names)
  if (task !== undefined && typeof task !== "string") complain([...path, "task"], "`task` must be text", "put it in quotes")
  for (const key of ["inputs", "trigger"] as const)
    if (value[key] !== undefined && !isObject(value[key])) complain([...path, key], `\`${key}\` must be a map`, `${key}: { name: value }`)
  if (autonomous !== undefined && typeof autonomous !== "boolean")
    complain([...path, "autonomous"], "`autonomous` must be true or false", "autonomous: true")
  const files = filesOf(value["files"], [...path, "files"], complain)
  if (isObject(expect)) checkExpectation(asJson(expect), [...path, "expect"], desk)
  else complain([...path, "expect"], "a case needs `expect`, a map of the expected results", "expect: { status: succeeded }")
  return {
    name,
    ...(typeof task === "string" ? { task } : {}),
    ...(isObject(inputs) ? { inputs: asJson(inputs) } : {}),
    ...(isObject(trigger) ? { trigger: asJson(trigger) } : {}),
    ...(typeof autonomous === "boolean" ? { autonomous } : {}),
    ...defined({ files }),
    rehearsal: rehearsalOf(rehearsal, [...path, "rehearsal"], desk),
    answers: answersOf(answers, [...path, "answers"], desk),
    expect: isObject(expect) ? asJson(expect) : {},
  }
}

function nameOf(value: unknown, path: Path, complain: Complain, names: Set<string>): string {
  const at = [...path, "name"]
  if (typeof value !== "string" || value.trim() === "") complain(at, "a case needs `name`, which must be text", "name: works")
  else if (value.length > MAX_CASE_NAME) complain(at, `a name has at most ${MAX_CASE_NAME} characters`, "a shorter name")
  else if (names.has(value)) complain(at, `another case already has the name ${shown(value)}`, "a name of its own")
  if (typeof value !== "string") return ""
  names.add(value)
  return value
}

function filesOf(value: unknown, path: Path, complain: Complain): GivenFiles | undefined {
  if (value === undefined) return undefined
  const read = GivenFiles.safeParse(value)
  if (read.success) return read.data
  complain(path, "`files` maps paths to texts, or to maps with one of text, base64, object", "files: { notes.md: text }")
  return undefined
}

function rehearsalOf(value: unknown, path: Path, desk: Desk): ReadonlyMap<string, readonly RehearsedTurn[]> {
  const read = new Map<string, readonly RehearsedTurn[]>()
  if (value === undefined) return read
  const complain = complainer(desk, "TV-TURN")
  if (!isObject(value)) {
    complain(path, "`rehearsal` must map step ids to lists of turns", "{ STEP: [ { finish: { status: complete, summary: done } } ] }")
    return read
  }
  const { source, report, steps, tools } = desk
  for (const [place, turns] of Object.entries(value)) {
    const at = [...path, place]
    const played = turnsOf(turns, at, complain, desk.hint)
    read.set(place, played)
    if (steps !== undefined && !place.includes("/") && !steps.includes(place))
      report.warn("TV-STEP", source.place(at, "key"), `the flow has no step ${shown(place)}`, report.hint(place, steps))
    for (const { path: where, message } of refusedFinishes(played, at, desk.finisher?.(place)))
      report.warn("TV-FINISH", source.place(where), message, INSTEAD)
    for (const { tool, path: where } of tools === undefined ? [] : unknownTools(played, at, tools))
      report.warn(
        "TV-TOOL",
        source.place(where),
        `the tool ${shown(tool)} does not exist here, so the call is refused`,
        tools && desk.hint(tool, tools),
      )
  }
  return read
}

function answersOf(value: unknown, path: Path, desk: Desk): readonly CaseAnswer[] {
  if (value === undefined) return []
  const complain = complainer(desk, "TV-ANSWER")
  if (!Array.isArray(value)) {
    complain(path, "`answers` must be a list, in the order of the questions", "answers: [ { answer: yes } ]")
    return []
  }
  return value.flatMap((body: unknown, i): CaseAnswer[] => {
    const at = [...path, i]
    if (!isObject(body)) {
      complain(at, "an answer is a map", "{ answer: yes } or { decision: approve }")
      return []
    }
    refuseUnknown(body, ANSWER_KEYS, at, complain, desk.hint)
    const chosen = ALTERNATIVES.filter((name) => Object.hasOwn(body, name))
    if (chosen.length !== 1) complain(at, `an answer has exactly one of ${ALTERNATIVES.join(", ")}`, "{ answer: yes }")
    const { step, ...rest } = body
    if (step !== undefined && typeof step !== "string") complain([...at, "step"], "`step` must be the id of a step", "step: STEP")
    return [{ ...(typeof step === "string" ? { step } : {}), body: asJson(rest) }]
  })
}

/** Values from the YAML tree contain only JSON. */
const asJson = (value: Record<string, unknown>): JsonObject => value as JsonObject
