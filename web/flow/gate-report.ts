// Says what a refusal of the gate [K24] names: the flows that would break, their tests that fail, the recorded runs that take another course, and
// the scores that would be lost [V41].

import type { JsonObject } from "../../src/core/json.ts"
import { fields, text } from "../chat/ui-message.ts"
import { POINTS, signed } from "../quality/experiment-words.ts"

export interface BrokenRun {
  readonly run: string
  readonly step: string | undefined
  readonly pass: number | undefined
  readonly why: string
}

export interface BrokenScore {
  readonly decision: string
  readonly why: string | undefined
  readonly dataset: string
  readonly experiment: string | undefined
  /** Rows with which a write that loses nothing would pass nine times in ten. */
  readonly needs: number | undefined
  readonly scorers: readonly { readonly name: string; readonly isKept: boolean; readonly words: string }[]
}

export interface Broken {
  readonly flow: string
  readonly score?: BrokenScore
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
    ...scoreIn(fields(one["score"])),
  }))
}

function scoreIn(score: Fields): { readonly score?: BrokenScore } {
  const decision = text(score["decision"])
  if (decision === undefined) return {}
  const scorers = Object.entries(fields(score["scorers"])).map(([name, given]) => {
    const one = fields(given)
    const words = `${pointsIn(one["difference"])} points, at worst ${pointsIn(one["lower"])}; ${pointsIn(-Number(one["margin"]))} is allowed`
    return { name, isKept: one["decision"] === "passed", words }
  })
  const needs = score["needs"]
  return {
    score: {
      decision,
      why: text(score["why"]),
      dataset: text(score["dataset"]) ?? "",
      experiment: text(score["experiment"]),
      needs: typeof needs === "number" ? needs : undefined,
      scorers,
    },
  }
}

const pointsIn = (score: unknown): string => signed((typeof score === "number" ? score : 0) * POINTS)

/** What a rule of the gate asks for, for each scorer. */
export const marginWords = (scorers: Readonly<Record<string, number>>): string =>
  Object.entries(scorers)
    .map(([name, margin]) => `${name} may lose ${Math.round(margin * POINTS * 10) / 10} points at most`)
    .join(", ")

/** In a sentence, without a full stop. */
export function scoreWords({ decision, why, scorers }: BrokenScore): string {
  if (why !== undefined) return `the scores decide nothing: ${why}`
  const lost = scorers.filter(({ isKept }) => !isKept).map(({ name, words }) => `${name} ${words}`)
  return `${decision === "worse" ? "it is worse" : "too few rows to be sure"}: ${lost.join("; ")}`
}

/** In one sentence for each flow. */
export function brokenWords({ flow, tests, runs, score }: Broken): string {
  const why = [
    ...(tests.length > 0
      ? [`${tests.length === 1 ? "the test" : "the tests"} ${some(tests)} ${tests.length === 1 ? "fails" : "fail"}`]
      : []),
    ...(score ? [scoreWords(score)] : []),
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
