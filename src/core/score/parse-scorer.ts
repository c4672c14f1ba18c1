// Reads `scorers/NAME.yaml` [V1, V2], and reports all faults at once, each with its line. An unknown key is an error, because an ignored
// check would always pass.

import { checkExpectation } from "../case/check-expectation.ts"
import { refuseUnknown } from "../case/rehearsal.ts"
import { defined } from "../defined.ts"
import { bounded, type Diagnostic } from "../diagnostic.ts"
import type { DiagnosticCode } from "../diagnostic-codes.ts"
import { isObject, type Json, type JsonObject } from "../json.ts"
import { openReport, shown, type Report } from "../flow/parse/report.ts"
import { jsonOf, readYaml, type Path, type Source } from "../flow/parse/source.ts"
import { isName } from "../text/names.ts"
import { normalizePath } from "../text/path.ts"
import { isLevels, levelsOf } from "./levels.ts"
import { DEFAULT_JUDGE, DEFAULT_LEVELS, type JudgeSpec, type Level, type Scorer, type ScorerKind } from "../flow/scorer.ts"
import { JUDGE_FIELDS, KIND_KEYS, MAX_JUDGED_STEPS, MAX_RUBRIC, MAX_SCORER_FILES, SCORER_FIELDS } from "./scorer-fields.ts"

/** What a scorer is checked against; absent: unknown. */
export interface ScorerWorld {
  /** The name of the file. */
  readonly file?: string
  /** Name → whether the agent has neither tools nor skills. */
  readonly agents?: ReadonlyMap<string, boolean>
  /** Whether there is a handler of this name. */
  readonly hasHandler?: boolean
}

interface Desk {
  readonly source: Source
  readonly report: Report
  readonly world: ScorerWorld
}

export function parseScorer(
  text: string,
  world: ScorerWorld = {},
): { readonly scorer?: Scorer; readonly diagnostics: readonly Diagnostic[] } {
  const source = readYaml(text, "EV")
  const report = openReport("EV")
  const json: Json = source.root === undefined ? null : jsonOf(source.root)
  const desk: Desk = { source, report, world }
  const scorer = isObject(json) ? scorerOf(json, desk) : undefined
  if (scorer === undefined && source.diagnostics.length === 0)
    report.error("EV-KIND", source.place([]), "a scorer is a map with `name`, `description` and one of expect, code, judge", EXAMPLE)
  const diagnostics = bounded([...source.diagnostics, ...report.list()], "EV-MORE")
  return diagnostics.some((d) => d.severity === "error") ? { diagnostics } : { ...defined({ scorer }), diagnostics }
}

const EXAMPLE = "judge: { rubric: Does the reply solve the problem? }"

const say =
  ({ source, report }: Desk, code: DiagnosticCode) =>
  (path: Path, message: string, suggestion?: string, what?: "key" | "value"): void =>
    report.error(code, source.place(path, what), message, suggestion)

function scorerOf(json: Record<string, unknown>, desk: Desk): Scorer {
  const wrong = say(desk, "EV-VALUE")
  refuseUnknown(json, Object.keys(SCORER_FIELDS), [], say(desk, "EV-FIELD"), (word, known) => desk.report.hint(word, known))
  const { description, code, expect, judge } = json
  if (typeof description !== "string" || description.trim() === "")
    wrong(["description"], "a scorer needs `description`, which must be text", "description: Does the reply solve the problem?")
  const kinds = KIND_KEYS.filter((key) => Object.hasOwn(json, key))
  if (kinds.length !== 1)
    say(desk, "EV-KIND")(kinds[1] === undefined ? [] : [kinds[1]], `a scorer has exactly one of ${KIND_KEYS.join(", ")}`, EXAMPLE, "key")
  if (Object.hasOwn(json, "code") && code !== true) wrong(["code"], "`code` must be true: the handler is the file beside it", "code: true")
  if (code === true && kinds.length === 1 && desk.world.hasHandler === false)
    desk.report.warn("EV-HANDLER", desk.source.place(["code"]), "the handler of this scorer is missing", "write scorers/NAME.ts")
  if (Object.hasOwn(json, "expect")) {
    const { source, report } = desk
    const codes = { value: "EV-VALUE", key: "EV-FIELD" } as const
    if (isObject(expect))
      checkExpectation(expect as JsonObject, ["expect"], { source, report, codes, steps: undefined, tools: undefined, outputs: undefined })
    else wrong(["expect"], "`expect` must be a map of the expected results", "expect: { status: succeeded }")
  }
  const kind: ScorerKind = kinds[0] ?? "expect"
  return {
    name: nameOf(json["name"], desk),
    description: typeof description === "string" ? description : "",
    kind,
    ...(kind === "expect" && isObject(expect) ? { expect: expect as JsonObject } : {}),
    ...(Object.hasOwn(json, "judge") ? defined({ judge: judgeOf(judge, desk) }) : {}),
    files: pathsOf(json["files"], desk),
  }
}

/** `feedback` is what people say of a run: no scorer may look like it [V17]. */
export const FEEDBACK = "feedback"

function nameOf(name: unknown, desk: Desk): string {
  const wrong = say(desk, "EV-VALUE")
  const { file } = desk.world
  if (typeof name !== "string" || !isName(name)) {
    wrong(["name"], "a scorer needs `name`: letters, digits, _ and -", `name: ${file ?? "helpful"}`)
    return file ?? ""
  }
  if (name === FEEDBACK) wrong(["name"], "`feedback` is what people say of a run, so no scorer has this name", "name: helpful")
  else if (file !== undefined && name !== file) wrong(["name"], `the name is the file's, ${shown(file)}`, `name: ${file}`)
  return name
}

function judgeOf(value: unknown, desk: Desk): JudgeSpec | undefined {
  const wrong = say(desk, "EV-VALUE")
  if (!isObject(value)) {
    wrong(["judge"], "`judge` must be a map with `rubric`", EXAMPLE)
    return undefined
  }
  refuseUnknown(value, Object.keys(JUDGE_FIELDS), ["judge"], say(desk, "EV-FIELD"), (word, known) => desk.report.hint(word, known))
  const { rubric, agent = DEFAULT_JUDGE, model, calls = false } = value
  if (typeof rubric !== "string" || rubric.trim() === "")
    wrong(["judge", "rubric"], "a judge needs `rubric`, which must be text", "rubric: Does the reply solve the problem?")
  else if (rubric.length > MAX_RUBRIC) wrong(["judge", "rubric"], `a rubric has at most ${MAX_RUBRIC} characters`, "a shorter one")
  if (model !== undefined && (typeof model !== "string" || model.trim() === ""))
    wrong(["judge", "model"], "`model` must be text", 'model: "@judge"')
  if (typeof calls !== "boolean") wrong(["judge", "calls"], "`calls` must be true or false", "calls: true")
  judgingAgent(agent, desk)
  return {
    rubric: typeof rubric === "string" ? rubric : "",
    levels: levelsIn(value["levels"], desk),
    agent: typeof agent === "string" ? agent : DEFAULT_JUDGE,
    ...defined({ model: typeof model === "string" ? model : undefined, steps: stepsOf(value["steps"], desk) }),
    calls: calls === true,
  }
}

/** A judge has no tool but `finish`: text from outside could use it [V7]. */
function judgingAgent(agent: unknown, desk: Desk): void {
  const path = ["judge", "agent"]
  if (typeof agent !== "string") return say(desk, "EV-VALUE")(path, "`agent` must be the name of an agent", `agent: ${DEFAULT_JUDGE}`)
  const { agents } = desk.world
  if (agents === undefined) return
  const isBare = agents.get(agent)
  if (isBare === undefined)
    say(desk, "EV-JUDGE")(path, `there is no agent ${shown(agent)}, or it does not load`, desk.report.hint(agent, [...agents.keys()]))
  else if (!isBare)
    say(desk, "EV-JUDGE")(path, `the agent ${shown(agent)} has tools or skills: a judge reads, and answers`, "an agent without tools")
}

function levelsIn(value: unknown, desk: Desk): readonly Level[] {
  if (value === undefined) return DEFAULT_LEVELS
  const path = ["judge", "levels"]
  const levels = isObject(value) ? levelsOf(value) : undefined
  if (levels !== undefined && isLevels(levels)) return levels
  say(desk, "EV-LEVELS")(
    path,
    "levels are 2 to 10 numbers from 0 to 1, each with a text of its own, of at most 500 characters",
    "levels: { 0: wrong, 0.5: incomplete, 1: right }",
  )
  return DEFAULT_LEVELS
}

function stepsOf(value: unknown, desk: Desk): readonly string[] | undefined {
  if (value === undefined) return undefined
  if (isTexts(value) && value.length <= MAX_JUDGED_STEPS) return value
  say(desk, "EV-VALUE")(["judge", "steps"], `\`steps\` must be a list of at most ${MAX_JUDGED_STEPS} step ids`, "steps: [write]")
  return undefined
}

function pathsOf(value: unknown, desk: Desk): readonly string[] {
  if (value === undefined) return []
  const wrong = say(desk, "EV-VALUE")
  if (!isTexts(value) || value.length > MAX_SCORER_FILES) {
    wrong(["files"], `\`files\` must be a list of at most ${MAX_SCORER_FILES} paths`, "files: [report.md]")
    return []
  }
  for (const [i, path] of value.entries()) {
    const clean = normalizePath(path)
    if (!clean.ok || clean.value !== path) wrong(["files", i], `${shown(path)} is no path of a workspace`, "report.md")
  }
  return value
}

const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every((one) => typeof one === "string")
