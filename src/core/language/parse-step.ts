// Parses one step of a flow, by its type [F4].

import { defined } from "../defined.ts"
import { KINDS } from "../steps/kinds.ts"
import type { Step, StepBase } from "../flow/flow.ts"
import { nameFrom } from "../text/names.ts"
import { COMMON_FIELDS, keysOf, RETRY_FIELDS } from "../flow/parse/field-table.ts"
import { fieldsOf, warnUnknown, type Fields } from "../flow/parse/fields.ts"
import { readBudget } from "../flow/parse/parse-budget.ts"
import { readFields } from "../flow/parse/read-fields.ts"
import { type Report, shown } from "../flow/parse/report.ts"
import { readType, warnStepKeys } from "./step-type.ts"
import type { MapNode } from "../flow/parse/yaml-tree.ts"

/** `hole`: the step is invalid or not supported. It keeps its id and its place. */
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
  return { step: KINDS[type].read(common, { fields, report, ids }), hole: false }
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
  else if (id === "constructor" || id === "prototype") report.error("FV-ID", at, `the id ${shown(id)} is reserved`, "choose another name")
  else if (!/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(id) || id.includes("..") || id.endsWith("."))
    report.error(
      "FV-ID",
      at,
      `the id ${shown(id)} must contain only letters, digits, "_" and "-", and begin with a letter or digit`,
      `id: ${nameFrom(id, "-") || `step${index + 1}`}`,
    )
  else if (id.includes("."))
    report.warn(
      "FV-ID-DOT",
      at,
      `the id ${shown(id)} contains a dot: in references, the longest matching id wins`,
      `id: ${id.replaceAll(".", "-")}`,
    )
  return id
}

// `readId` and `readType` read these with separate diagnostics.
const { id: _id, type: _type, ...REST } = COMMON_FIELDS

function readCommon(id: string, fields: Fields, report: Report): StepBase {
  const { blockedBy, ...values } = readFields(fields, REST)
  const retry = readRetry(fields, report)
  const budget = readBudget(fields, report)
  return { id, blockedBy: [...new Set(blockedBy.map((item) => item.text))], ...values, ...defined({ retry, budget }) }
}

function readRetry(fields: Fields, report: Report): StepBase["retry"] {
  const map = fields.map("retry")
  if (map === undefined) return undefined
  const retry = fieldsOf(map, report, "FV-PARSE", `${fields.where}, retry`, fields.keyAt("retry"))
  warnUnknown(retry, report, "FV", keysOf(RETRY_FIELDS))
  const { max, backoff } = readFields(retry, RETRY_FIELDS)
  return { max, backoff }
}
