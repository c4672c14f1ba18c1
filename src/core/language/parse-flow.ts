// Parses a flow's text into data, and reports every fault in structure, types and keys [F1–F5, F10–F22]. Never throws.
//
// check-flow.ts checks names that refer to something else (targets, agents, references). An unreadable step leaves a hole in
// the draft, so that the rest is still checked.

import { defined } from "../defined.ts"
import { sortDiagnostics, hasErrors } from "../diagnostic.ts"
import type { Json } from "../json.ts"
import type { DiagnosticCode } from "../diagnostic-codes.ts"
import { fieldsOf, warnUnknown, type Fields } from "../flow/parse/fields.ts"
import { APPROVAL_FIELDS, FLOW_FIELDS, INPUT_FIELDS, keysOf } from "../flow/parse/field-table.ts"
import type { Flow, InputSpec, InputType, Step } from "../flow/flow.ts"
import { ORIGINS, type Origin } from "../flow/origin.ts"
import { readApprovals } from "../flow/parse/parse-approvals.ts"
import { readBudget } from "../flow/parse/parse-budget.ts"
import { readStart } from "../flow/parse/parse-start.ts"
import { parseStep } from "./parse-step.ts"
import type { ParsedDraft, ParsedFlow } from "../flow/parse/parsed-flow.ts"
import { KINDS } from "../steps/kinds.ts"
import { FOREIGN_FLOW_KEYS, standIn } from "../flow/parse/foreign-key.ts"
import { oneEditFrom } from "../text/nearest.ts"
import { isIdentifier, nameFrom } from "../text/names.ts"
import { START } from "../flow/parse/place.ts"
import { readFields } from "../flow/parse/read-fields.ts"
import { openReport, type Report, shown } from "../flow/parse/report.ts"
import { entryOf, jsonOf, readYaml, type Source } from "../flow/parse/source.ts"
import type { MapNode, YamlNode } from "../flow/parse/yaml-tree.ts"

// An early version accepted `auto_end`, which never had an effect.
const SILENT = ["auto_end"]
const KNOWN: readonly string[] = [...keysOf(FLOW_FIELDS), ...SILENT]
const REQUIRED = ["name", "description", "steps"] as const

export function parseFlow(text: string, id: string): ParsedFlow {
  const source = readYaml(text, "FV")
  const report = openReport("FV")
  const draft = source.root === undefined && hasErrors(source.diagnostics) ? undefined : readFlow(source, id, report)
  const diagnostics = sortDiagnostics([...source.diagnostics, ...report.list()])
  return {
    id,
    ...(draft === undefined ? {} : { draft, ...(hasErrors(diagnostics) ? {} : { flow: draft.flow }) }),
    diagnostics,
    source,
    place: source.place,
  }
}

function readFlow(source: Source, id: string, report: Report): ParsedDraft | undefined {
  const root = source.root
  if (root?.kind !== "map") {
    report.error(
      "FV-PARSE",
      root?.at ?? START,
      root === undefined
        ? "the file is empty: a flow has name, description and steps"
        : `a flow is a mapping with name, description and steps, not a ${root.kind}`,
      `name: ${id}\ndescription: what the flow does\nsteps:\n  - { id: first, type: agent, agent: NAME }`,
    )
    return undefined
  }
  const fields = fieldsOf(root, report, "FV-PARSE", "the flow", START)
  const name = headline(fields, "name", "FV-NAME", report, `name: ${id}`)
  checkName(name, id, fields, report)
  const description = headline(fields, "description", "FV-DESC", report, "description: what the flow does, in a sentence")
  const named = REQUIRED.flatMap((key) => standIn(root.entries, key, KNOWN)?.key ?? [])
  warnUnknown(fields, report, "FV", [...KNOWN, ...named], (key) => {
    const line = FOREIGN_FLOW_KEYS.get(key)
    return line === undefined ? undefined : { why: `"${key}" is not a key of a flow and is ignored`, write: line }
  })

  const holes = new Set<number>()
  const steps = readSteps(fields, report, holes)
  if (steps === undefined) return undefined
  const outputs = fields.texts("outputs")
  const approvals = readApprovals(fields, APPROVAL_FIELDS, { rule: "FV-APPROVAL", field: "FV-PARSE", family: "FV" }, report)
  const budget = readBudget(fields, report)
  const { max_concurrent, task_required, task_prompt, timeout } = FLOW_FIELDS
  const values = readFields(fields, { max_concurrent, task_required, task_prompt, timeout })
  const trusted = readTrusted(fields)
  const inputs = readInputs(fields, report)
  const start = readStart(fields, inputs, source, report)
  const flow: Flow = {
    id,
    name,
    description,
    steps,
    inputs,
    ...defined({ outputs }),
    ...values,
    // If only a person can decide a step, the flow is not autonomous by default [F21].
    autonomous: fields.flag("autonomous") ?? !steps.some((s) => KINDS[s.type].needsPerson?.(s) === true),
    config: readConfig(fields, report),
    ...(readUndo(fields) ? { on_failure: "undo" } : {}),
    ...defined({ budget, approvals, start }),
    ...(trusted.length === 0 ? {} : { trusted }),
  }
  return { flow, holes }
}

/** [K35] */
function readUndo(fields: Fields): boolean {
  const said = fields.text("on_failure")?.trim()
  if (said === undefined || said === "undo") return said === "undo"
  fields.wrong(fields.valueAt("on_failure"), `"on_failure" must be undo, not ${shown(said)}`, "on_failure: undo")
  return false
}

/** [G11] */
function readTrusted(fields: Fields): Origin[] {
  const named = fields.list("trusted", false)
  const known: readonly string[] = ORIGINS
  for (const { text, at } of named)
    if (!known.includes(text)) fields.wrong(at, `"trusted" must name ${ORIGINS.join(", ")}, not ${shown(text)}`, "trusted: [history]")
  return ORIGINS.filter((origin) => named.some(({ text }) => text === origin))
}

/** The name is for people, and may be any text; one wrong letter of the file's name is a mistake. */
function checkName(name: string, id: string, fields: Fields, report: Report): void {
  const file = id.slice(id.lastIndexOf(":") + 1)
  const [said, meant] = [name, file].map((one) => nameFrom(one.toLowerCase().replaceAll(/\d+/g, ""), "-").replaceAll("_", "-"))
  if (said === undefined || meant === undefined || meant.length < LEAST_NAME) return
  if (said === meant || oneEditFrom(said, [meant]) === undefined) return
  report.warn(
    "FV-NAME-FILE",
    fields.valueAt("name"),
    `the flow's name is ${shown(name)}, and its file's is "${file}"`,
    `did you mean "${file}"?`,
  )
}
/** Shorter names differ by one letter on purpose. */
const LEAST_NAME = 5

function headline(fields: Fields, key: string, code: DiagnosticCode, report: Report, suggestion: string): string {
  const text = fields.text(key)?.trim() ?? ""
  const node = fields.node(key)
  if (text !== "" || (node !== undefined && node.kind !== "scalar")) return text
  const instead = standIn(fields.entries, key, KNOWN)
  if (instead === undefined) report.error(code, fields.has(key) ? fields.keyAt(key) : START, `the flow has no ${key}`, suggestion)
  else report.error(code, instead.at, `${shown(instead.key)} is not a key of a flow, and the flow has no ${key}`, `did you mean "${key}"?`)
  return text
}

function readSteps(fields: Fields, report: Report, holes: Set<number>): Step[] | undefined {
  const instead = standIn(fields.entries, "steps", KNOWN)
  if (instead !== undefined) {
    const hint = instead.value.kind === "list" ? 'did you mean "steps"?' : "steps:\n  - { id: first, type: agent, agent: NAME }"
    report.error("FV-STEPS", instead.at, `${shown(instead.key)} is not a key of a flow; the list of steps is called "steps"`, hint)
    return undefined
  }
  const node = fields.node("steps")
  if (node?.kind !== "list" || node.items.length === 0) {
    report.error(
      "FV-STEPS",
      fields.has("steps") ? fields.keyAt("steps") : START,
      node?.kind === "list" ? "the flow has no steps" : "the flow has no list of steps",
      "steps:\n  - { id: first, type: agent, agent: NAME }",
    )
    return undefined
  }
  const ids = node.items.flatMap((item) => (item.kind === "map" ? textOf(entryOf(item, "id")?.value) : []))
  return node.items.map((item, i) => {
    const step = item.kind === "map" ? parseStep(item, i, ids, report) : undefined
    if (item.kind !== "map")
      report.error("FV-PARSE", item.at, `step ${i + 1} is not a mapping`, `- { id: step${i + 1}, type: agent, agent: NAME }`)
    if (step === undefined || step.hole) holes.add(i)
    return step?.step ?? { id: "", type: "conditional", blockedBy: [], check: { step: "", field: "artifacts" }, present: "", absent: "" }
  })
}

const textOf = (node: YamlNode | undefined): string[] => (node?.kind === "scalar" && node.text !== "" ? [node.text] : [])

const INPUT_TYPES: readonly InputType[] = INPUT_FIELDS.type.values
const DEFAULTS: Readonly<Record<InputType, string>> = { string: '""', number: "3", boolean: "true", object: "{}", array: "[]" }
/** What was written, in quotes, if it is to be a text. */
const presetOf = (preset: YamlNode | undefined, type: InputType): string =>
  type === "string" && preset?.kind === "scalar" && preset.text.length <= 100 ? JSON.stringify(preset.text) : DEFAULTS[type]
const isInputType = (text: string): text is InputType => INPUT_TYPES.some((t) => t === text)

function readInputs(fields: Fields, report: Report): Record<string, InputSpec> {
  const inputs: [string, InputSpec][] = []
  for (const { key, at, value } of fields.map("inputs")?.entries ?? []) {
    const where = `input ${shown(key)}`
    if (!isIdentifier(key))
      report.error(
        "FV-INPUT",
        at,
        `${where}: a name can contain only letters, digits, "_" and "-"`,
        `${nameFrom(key, "_") || "topic"}: { type: string }`,
      )
    if (value.kind !== "map") {
      report.error("FV-INPUT", at, `${where} must be a mapping with a type`, `${key}: { type: string, required: true }`)
      continue
    }
    const spec = fieldsOf(value, report, "FV-INPUT", where, at)
    warnUnknown(spec, report, "FV", keysOf(INPUT_FIELDS))
    const type = spec.text("type") ?? ""
    if (!isInputType(type)) {
      report.error(
        "FV-INPUT",
        spec.valueAt("type"),
        `${where}: ${type === "" ? "the type is missing" : `the type ${shown(type)} is unknown`}`,
        report.hint(type, INPUT_TYPES),
      )
      continue
    }
    const preset = spec.node("default")
    const fallback = preset === undefined ? undefined : jsonOf(preset)
    if (fallback !== undefined && typeOfJson(fallback) !== type)
      report.error(
        "FV-INPUT",
        spec.valueAt("default"),
        `${where}: the default is not of type ${type}`,
        `default: ${presetOf(preset, type)}`,
      )
    const description = spec.text("description")
    inputs.push([key, { type, required: spec.flag("required") ?? false, ...defined({ default: fallback, description }) }])
  }
  return Object.fromEntries(inputs)
}

const typeOfJson = (value: Json): string => (Array.isArray(value) ? "array" : value === null ? "null" : typeof value)

function readConfig(fields: Fields, report: Report): Record<string, Json> {
  const config = fields.map("config")
  if (config !== undefined) warnNumbers(config, "config", report)
  return entriesOf(config)
}

/** A template writes the number, not what the file says: a version 1.10 becomes 1.1, and a ZIP code loses its zeros. */
function warnNumbers(node: YamlNode, name: string, report: Report): void {
  if (node.kind === "map") for (const { key, value } of node.entries) warnNumbers(value, key, report)
  else if (node.kind === "list") for (const item of node.items) warnNumbers(item, name, report)
  else if (typeof node.value === "number" && node.text !== JSON.stringify(node.value))
    report.warn(
      "FV-NUMBER",
      node.at,
      `${shown(name)}: ${shown(node.text)} is a number, and templates write it as ${JSON.stringify(node.value)}`,
      `in quotes, if it is a text: ${JSON.stringify(node.text)}`,
    )
}

const entriesOf = (map: MapNode | undefined): Record<string, Json> =>
  Object.fromEntries((map?.entries ?? []).map((e) => [e.key, jsonOf(e.value)]))
