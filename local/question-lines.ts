// Shows what a person is asked, as lines: of an approval the exact call and why it is asked. Pure.

import { isObject, type Json, type JsonObject } from "../src/core/json.ts"
import { isApproval, question } from "../src/core/run/question/question.ts"
import type { QuestionSource } from "../src/core/run/question/forms.ts"

const MOST_LINES = 40

/** The first line is the question; the others stand below it. */
export function questionLines(asked: QuestionSource): readonly string[] {
  const { kind, payload } = asked
  const { why, ways } = question(asked)
  if (!isApproval(asked)) {
    const said = payload["question"] ?? payload["prompt"] ?? payload["message"]
    if (typeof said === "string") return [said, ...(ways.answer?.fields[0]?.options ?? []).map(({ label }) => `  - ${label}`)]
    if (kind === "budget") return budgetLines(payload)
    if (kind === "effects")
      return ["carry out the kept calls?", ...(ways.commit?.fields[0]?.options ?? []).map(({ label }) => `  ${label}`)]
    return [JSON.stringify(payload)]
  }
  const { tool, args, plan, body, declare } = payload
  const call = kind === "approval.plan" ? [plan, body].filter((one) => one !== undefined) : args === undefined ? [] : [args]
  return [
    typeof tool === "string" ? `may ${tool} be called?` : "may this plan be carried out?",
    ...call.flatMap(shownValue).map((line) => `  ${line}`),
    ...(why === undefined ? [] : [`why: ${why}`]),
    ...(typeof declare === "string" ? declare.split("\n") : []),
  ]
}

/** Which limit stands in the way of the next call, and both answers. */
function budgetLines({ scope, limit, spent, needed }: JsonObject): readonly string[] {
  const of = (amounts: Json | undefined, unit: string): number => (isObject(amounts) ? Number(amounts[unit] ?? 0) : 0)
  const units = isObject(limit) ? Object.keys(limit) : []
  const short = units.filter((unit) => of(spent, unit) + of(needed, unit) > of(limit, unit))
  const named = short.length === 0 ? units : short
  return [
    `the budget of the ${scope === "step" ? "step" : "run"} does not last: raise it, or stop?`,
    ...named.map((unit) => `  ${unit}: ${of(spent, unit)} of ${of(limit, unit)} used, the next call may need ${of(needed, unit)}`),
    `  answer stop, or {"raise": {${named.map((unit) => `"${unit}": …`).join(", ")}}}`,
  ]
}

/** `name: value`, a line each; what is deeper is JSON. */
function shownValue(value: Json): readonly string[] {
  const lines = isObject(value)
    ? Object.entries(value).flatMap(([name, one]) => {
        const [first = "", ...more] = (typeof one === "string" ? one : JSON.stringify(one)).split("\n")
        return [`${name}: ${first}`, ...more.map((line) => `  ${line}`)]
      })
    : (typeof value === "string" ? value : JSON.stringify(value)).split("\n")
  return lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES), `and ${lines.length - MOST_LINES} lines more`] : lines
}
