// Says what a refusal of the gate [K24] names: the flows that would break, their tests that fail, and the recorded runs that take another course.

import type { JsonObject } from "../../src/core/json.ts"
import { fields, text } from "../chat/ui-message.ts"

export interface BrokenRun {
  readonly run: string
  readonly step: string | undefined
  readonly pass: number | undefined
  readonly why: string
}

export interface Broken {
  readonly flow: string
  /** Names of cases. */
  readonly tests: readonly string[]
  readonly runs: readonly BrokenRun[]
}

const WHYS: Readonly<Record<string, string>> = {
  prompt: "a prompt is different",
  tools: "other tools are offered",
  model: "another model is asked",
  guard: "a rule decides otherwise",
  route: "it takes another route",
  calls: "a step calls its tools with something else",
  schema: "a reply no longer fits the declared outputs",
  code: "a handler answers otherwise",
}

/** Why a recorded run does not go as it went. */
export const whyWords = (why: string): string => WHYS[why] ?? why

export function brokenFlows(report: JsonObject): readonly Broken[] {
  return listIn(report, "flows").map((one) => ({
    flow: text(one["flow"]) ?? "",
    tests: listIn(fields(one["tests"]), "cases").flatMap((row) => (row["passed"] === false ? [text(row["name"]) ?? ""] : [])),
    runs: listIn(fields(one["backtest"]), "runs").flatMap((row) => {
      const [why, pass] = [text(row["why"]), row["pass"]]
      if (why === undefined) return []
      return [
        { run: text(row["run"]) ?? "", step: text(row["step"]), pass: typeof pass === "number" ? pass : undefined, why: whyWords(why) },
      ]
    }),
  }))
}

/** In one sentence for each flow. */
export function brokenWords({ flow, tests, runs }: Broken): string {
  const why = [
    ...(tests.length > 0
      ? [`${tests.length === 1 ? "the test" : "the tests"} ${some(tests)} ${tests.length === 1 ? "fails" : "fail"}`]
      : []),
    ...(runs.length > 0 ? [`${runs.length} recorded ${runs.length === 1 ? "run diverges" : "runs diverge"}`] : []),
  ]
  return `${flow}: ${why.length === 0 ? "it is broken" : why.join(", ")}`
}

const SAID = 3
const some = (names: readonly string[]): string =>
  names
    .slice(0, SAID)
    .map((name) => `“${name}”`)
    .join(", ") + (names.length > SAID ? ` and ${names.length - SAID} more` : "")

type Fields = ReturnType<typeof fields>

function listIn(of: Fields | JsonObject, name: string): readonly Fields[] {
  const list: unknown = of[name]
  return Array.isArray(list) ? list.map((one) => fields(one)) : []
}
