// One step of a flow, read by its type [F4].

import { fieldsOf, warnUnknown, type Fields } from "./fields.ts"
import type { Step, StepType } from "../flow.ts"
import { readCode, readCodeDecision, readFlowRef, readMap, readWait } from "./parse-own-step.ts"
import { readConditional, readDecision, readFork, readLoop, readWork } from "./parse-agent-step.ts"
import { type Report, shown } from "./report.ts"
import { readBudget } from "./parse-budget.ts"
import { nameFrom } from "../path-id.ts"
import { readType, warnStepKeys } from "./step-type.ts"
import type { MapNode } from "./yaml-tree.ts"

/** `hole`: the step stands for something that could not be read or is not supported; it keeps its id and its place. */
export interface ParsedStep {
  readonly step: Step
  readonly hole: boolean
}

export function parseStep(map: MapNode, index: number, ids: readonly string[], report: Report): ParsedStep {
  const idNode = fieldsOf(map, report, "FV-PARSE", `step ${index + 1}`)
  const id = readId(idNode, index, report)
  const where = id === "" ? `step ${index + 1}` : `step ${shown(id)}`
  const fields = fieldsOf(map, report, "FV-PARSE", where, idNode.has("id") ? idNode.valueAt("id") : map.at)
  const type = readType(fields, report)
  const common = readCommon(id, fields, report)
  if (type === undefined)
    return { step: { ...common, type: "conditional", check: { step: "", field: "artifacts" }, present: "", absent: "" }, hole: true }
  warnStepKeys(fields, type, report)
  return { step: readTyped(type, common, fields, ids, report), hole: false }
}

function readId(fields: Fields, index: number, report: Report): string {
  const id = fields.text("id")
  if (id === undefined) {
    if (!fields.has("id") || fields.node("id") === undefined)
      report.error(fields.has("id") ? "FV-ID-EMPTY" : "FV-PARSE", fields.keyAt("id"), `step ${index + 1} has no id`, `id: step${index + 1}`)
    return ""
  }
  const at = fields.valueAt("id")
  if (id.trim() === "") report.error("FV-ID-EMPTY", at, `step ${index + 1} has an empty id`, `id: step${index + 1}`)
  else if (id === "constructor" || id === "prototype") report.error("FV-ID", at, `the id ${shown(id)} is refused`, "choose another name")
  else if (!/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(id) || id.includes("..") || id.endsWith("."))
    report.error(
      "FV-ID",
      at,
      `the id ${shown(id)} must be letters, digits, "_" and "-", and begin with a letter or digit`,
      `id: ${nameFrom(id, "-") || `step${index + 1}`}`,
    )
  else if (id.includes("."))
    report.warn(
      "FV-ID-DOT",
      at,
      `the id ${shown(id)} holds a dot: in references the longest matching id wins`,
      `id: ${id.replaceAll(".", "-")}`,
    )
  return id
}

/** What every step has; its type's reader adds the rest. */
export type Common = Omit<Extract<Step, { type: "agent" }>, "type" | "agent" | "task" | "inputs" | "model">

function readCommon(id: string, fields: Fields, report: Report): Common {
  const description = fields.text("description")
  const timeout = fields.duration("timeout")
  const retry = readRetry(fields, report)
  const budget = readBudget(fields, report)
  const on_error = route(fields, "on_error")
  const on_complete = route(fields, "on_complete")
  return {
    id,
    blockedBy: [...new Set(fields.list("blockedBy", true).map((item) => item.text))],
    ...(description === undefined ? {} : { description }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(retry === undefined ? {} : { retry }),
    ...(budget === undefined ? {} : { budget }),
    ...(on_error === undefined ? {} : { on_error }),
    ...(on_complete === undefined ? {} : { on_complete }),
  }
}

const route = (fields: Fields, key: string): string | undefined => fields.text(key)?.trim() || undefined

function readRetry(fields: Fields, report: Report): { max: number; backoff: number } | undefined {
  const map = fields.map("retry")
  if (map === undefined) return undefined
  const retry = fieldsOf(map, report, "FV-PARSE", `${fields.where}, retry`, fields.keyAt("retry"))
  warnUnknown(retry, report, "FV-UNKNOWN-KEY", ["max", "backoff"])
  if (!retry.has("max")) retry.wrong(fields.keyAt("retry"), `"max" is missing`, "retry: { max: 2, backoff: 5s }")
  const max = retry.integer("max", 1)
  return max === undefined ? undefined : { max, backoff: retry.duration("backoff") ?? 1000 }
}

function readTyped(type: StepType, common: Common, fields: Fields, ids: readonly string[], report: Report): Step {
  switch (type) {
    case "agent":
      return readWork(common, fields)
    case "agent-decision":
      return readDecision(common, fields)
    case "agent-loop-decision":
      return readLoop(common, fields)
    case "fork":
      return readFork(common, fields, report)
    case "conditional":
      return readConditional(common, fields, ids)
    case "code":
      return readCode(common, fields, report)
    case "code-decision":
      return readCodeDecision(common, fields, report)
    case "flow-ref":
      return readFlowRef(common, fields, report)
    case "map":
      return readMap(common, fields, report)
    case "wait":
      return readWait(common, fields, report)
  }
}
