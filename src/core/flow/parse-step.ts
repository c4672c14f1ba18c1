// One step of a flow, read by its type [F4] and the table of spec/flows.md §2.

import { fieldsOf, warnUnknown, type Fields } from "./fields.ts"
import type { Branch, Step, StepType } from "./flow.ts"
import { type Report, shown } from "./report.ts"
import { readType, UNSUPPORTED_KEYS, warnStepKeys } from "./step-type.ts"
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
  for (const key of UNSUPPORTED_KEYS) {
    if (fields.has(key))
      report.error("FV-UNSUPPORTED", fields.keyAt(key), `${where} asks for "${key}", which is not supported yet`, "leave it out")
  }
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
    report.error("FV-ID", at, `the id ${shown(id)} must be letters, digits, "_" and "-", and begin with a letter or digit`)
  else if (id.includes("."))
    report.warn(
      "FV-ID-DOT",
      at,
      `the id ${shown(id)} holds a dot: in references the longest matching id wins`,
      `id: ${id.replaceAll(".", "-")}`,
    )
  return id
}

type Common = Omit<Extract<Step, { type: "agent" }>, "type" | "agent" | "task" | "inputs" | "model">

function readCommon(id: string, fields: Fields, report: Report): Common {
  const description = fields.text("description")
  const timeout = fields.duration("timeout")
  const retry = readRetry(fields, report)
  const on_error = route(fields, "on_error")
  const on_complete = route(fields, "on_complete")
  return {
    id,
    blockedBy: [...new Set(fields.list("blockedBy", true).map((item) => item.text))],
    ...(description === undefined ? {} : { description }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(retry === undefined ? {} : { retry }),
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
      return { ...common, type, agent: fields.required("agent").trim(), ...asked(fields) }
    case "agent-decision": {
      const cap = fields.integer("max_iterations", 1)
      const on_exhausted = fields.text("on_exhausted")
      const agent = fields.required("agent").trim()
      return {
        ...common,
        type,
        agent,
        ...asked(fields),
        branches: readBranches(fields),
        ...(cap === undefined ? {} : { max_iterations: cap }),
        ...(on_exhausted === undefined ? {} : { on_exhausted }),
      }
    }
    case "agent-loop-decision": {
      const agent = fields.required("agent").trim()
      const task = fields.required("task")
      const loop_target = fields.required("loop_target").trim()
      const exit_target = fields.required("exit_target").trim()
      if (!fields.has("max_iterations")) fields.wrong(fields.keyAt("max_iterations"), `"max_iterations" is missing`, "max_iterations: 3")
      return {
        ...common,
        type,
        agent,
        ...asked(fields),
        task,
        loop_target,
        exit_target,
        max_iterations: fields.integer("max_iterations", 1) ?? 1,
      }
    }
    case "fork":
      return readFork(common, fields, report)
    case "conditional": {
      const check = fields.required("check").trim()
      return {
        ...common,
        type,
        check: readCheck(check, ids),
        present: fields.required("present").trim(),
        absent: fields.required("absent").trim(),
      }
    }
  }
}

function asked(fields: Fields): { task?: string; inputs: Record<string, string>; model?: string } {
  const task = fields.text("task")
  const model = fields.text("model")?.trim()
  return {
    inputs: fields.texts("inputs") ?? {},
    ...(task === undefined ? {} : { task }),
    ...(model === undefined || model === "" ? {} : { model }),
  }
}

function readBranches(fields: Fields): Branch[] {
  if (fields.node("branches") === undefined) fields.wrong(fields.keyAt("branches"), `"branches" is missing`, "branches:\n  LABEL: step-id")
  return (fields.map("branches")?.entries ?? []).flatMap((e): Branch[] => {
    if (e.value.kind === "scalar" && e.value.text.trim() !== "") return [{ label: e.key, target: e.value.text.trim() }]
    fields.wrong(e.at, `the branch ${shown(e.key)} must name one step`, `${e.key}: step-id`)
    return [{ label: e.key, target: "" }]
  })
}

function readFork(common: Common, fields: Fields, report: Report): Step {
  const { where } = fields
  const cap = fields.integer("max_iterations", 1)
  const agent = fields.text("agent")?.trim() || undefined
  const custom = fields.flag("allowCustom") === true
  for (const [key, on] of [
    ["allowCustom", custom],
    ["multiSelect", fields.flag("multiSelect") === true],
  ] as const) {
    if (on)
      report.error(
        "FV-UNSUPPORTED",
        fields.keyAt(key),
        `${where}: "${key}" is not supported yet`,
        "leave it out: the options are all there is to choose from",
      )
  }
  if (custom && agent === undefined)
    report.error(
      "FV-FORK-CUSTOM",
      fields.keyAt("allowCustom"),
      `${where} allows an answer of one's own, but names no agent to route it`,
      "agent: NAME",
    )
  const options = fields.list("options", false)
  if (fields.node("options") === undefined) fields.wrong(fields.keyAt("options"), `"options" is missing`, "options: [first, second]")
  return {
    ...common,
    type: "fork",
    question: fields.required("question"),
    options: options.map((o) => o.text),
    branches: readBranches(fields),
    ...asked(fields),
    ...(agent === undefined ? {} : { agent }),
    ...(cap === undefined ? {} : { max_iterations: cap }),
  }
}

/** `STEP` or `STEP.FIELD`, cut at the last dot [F22]; an old id that holds a dot is known from the file. */
function readCheck(text: string, ids: readonly string[]): { step: string; field: string } {
  const dot = text.lastIndexOf(".")
  return dot < 0 || ids.includes(text) ? { step: text, field: "artifacts" } : { step: text.slice(0, dot), field: text.slice(dot + 1) }
}
