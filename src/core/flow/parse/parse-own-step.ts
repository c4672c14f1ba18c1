// Step types that no agent works on [F23–F25]: code, code-decision, flow-ref, map, wait.

import { parseIsoTime } from "../../text/iso-time.ts"
import { isStepId } from "../code-file.ts"
import { parseDuration } from "../duration.ts"
import { fieldsOf, warnUnknown, type Fields } from "./fields.ts"
import { keysOf, OUTPUT_FIELDS } from "./field-table.ts"
import type { CodeDecisionStep, CodeStep, FlowRefStep, MapStep, WaitStep } from "../flow.ts"
import { readBranches } from "./parse-agent-step.ts"
import type { Common } from "./parse-step.ts"
import { flowIdOf, isFlowId, isName } from "../path-id.ts"
import type { Place } from "./place.ts"
import { type Report, shown } from "./report.ts"
import { references, RESULT_FIELDS } from "../template.ts"

export function readCode(common: Common, fields: Fields, report: Report): CodeStep {
  return { ...common, type: "code", ...handled(common.id, fields, report) }
}

export function readCodeDecision(common: Common, fields: Fields, report: Report): CodeDecisionStep {
  const cap = fields.integer("max_iterations", 1)
  const on_exhausted = fields.text("on_exhausted")
  if (common.on_error !== undefined)
    report.error(
      "FV-CODE-ONERROR",
      fields.keyAt("on_error"),
      `${fields.where} is a code-decision: when its handler fails the run ends, and on_error would never be taken`,
      "leave it out, catch in the handler what may go wrong, and give it a branch",
    )
  return {
    ...common,
    type: "code-decision",
    ...handled(common.id, fields, report),
    branches: readBranches(fields),
    ...(cap === undefined ? {} : { max_iterations: cap }),
    ...(on_exhausted === undefined ? {} : { on_exhausted }),
  }
}

function handled(id: string, fields: Fields, report: Report): { inputs: Record<string, string>; outputs: string[]; target?: string } {
  const { where } = fields
  if (id !== "" && (!isStepId(id) || id.endsWith(".d")))
    report.error(
      "FV-CODE-ID",
      fields.valueAt("id"),
      `${where}: the id names the handler's file, ${shown(`${id}.ts`)}, and that is no name for one`,
      `id: ${
        id
          .replace(/\.d$/, "")
          .replaceAll(/[^A-Za-z0-9_-]+/g, "-")
          .slice(0, 100) || "step"
      }`,
    )
  for (const { key, at } of fields.map("inputs")?.entries ?? [])
    if (!isVariable(key))
      report.error(
        "FV-CODE-IN",
        at,
        `${where}: the handler reads its inputs as input.NAME, and ${shown(key)} is no such name`,
        variable(key),
      )
  const target = fields.text("target")?.trim()
  return {
    inputs: fields.texts("inputs") ?? {},
    outputs: readOutputNames(fields, report),
    ...(target === undefined || target === "" ? {} : { target }),
  }
}

function readOutputNames(fields: Fields, report: Report): string[] {
  const { where } = fields
  const node = fields.node("outputs")
  const names: string[] = []
  const keep = (name: string, at: Place): void => {
    if (name === "branch")
      report.error(
        "FV-CODE-BRANCH",
        at,
        `${where}: "branch" is what a code-decision returns beside its outputs, and no output can have that name`,
        "leave it out",
      )
    else if (!isVariable(name) || name.includes("$"))
      report.error("FV-CODE-OUT", at, `${where}: ${shown(name)} is no name for an output: the handler returns it as a key`, variable(name))
    else if (RESULT_FIELDS.includes(name))
      report.error("FV-CODE-OUT", at, `${where}: every result has a field "${name}", so no output can have that name`, `${name}_value`)
    else if (names.includes(name))
      report.error("FV-CODE-OUTDUP", at, `${where}: the output "${name}" is there twice`, "leave one of them out")
    else names.push(name)
  }
  if (node?.kind === "map") fields.wrong(node.at, `"outputs" must be a list`, `outputs: [${node.entries.map((e) => e.key).join(", ")}]`)
  else if (node?.kind !== "list") for (const { text, at } of fields.list("outputs", true)) keep(text, at)
  else
    for (const item of node.items) {
      if (item.kind === "scalar" && item.value !== null) keep(item.text.trim(), item.at)
      else if (item.kind === "map") {
        const output = fieldsOf(item, report, "FV-PARSE", `${where}, output`, item.at)
        warnUnknown(output, report, "FV-UNKNOWN-KEY", keysOf(OUTPUT_FIELDS))
        const name = output.required("name", "{ name: result }").trim()
        if (name !== "") keep(name, output.valueAt("name"))
      } else fields.wrong(item.at, `"outputs" holds something without a name`, "outputs: [result]")
    }
  return names
}

// Words that no variable can be called, so no `({ class }) =>` either.
const RESERVED = new Set(
  "break case catch class const continue debugger default delete do else enum export extends false finally for function if import in instanceof new null return super switch this throw true try typeof var void while with yield await let static implements interface package private protected public eval arguments __proto__ constructor prototype".split(
    " ",
  ),
)
const isVariable = (name: string): boolean => /^[A-Za-z_$][A-Za-z0-9_$]{0,99}$/.test(name) && !RESERVED.has(name)

function variable(name: string): string {
  const clean = name.replaceAll(/[^A-Za-z0-9_]+/g, "_").slice(0, 40)
  if (clean === "" || RESERVED.has(clean)) return `${clean || "value"}_`
  return /^\d/.test(clean) ? `_${clean}` : clean
}

/** [F23] */
export function readFlowRef(common: Common, fields: Fields, report: Report): FlowRefStep {
  const task = fields.text("task")
  const flow = fields.text("flow")?.trim() ?? ""
  const path = fields.text("path")?.trim() ?? ""
  if (flow !== "" && path !== "")
    report.error("FV-FLOW-PATH", fields.keyAt("path"), `${fields.where} names its flow twice, by "flow" and by "path"`, `leave out "path"`)
  else if (flow === "" && path === "" && !fields.has("path")) fields.required("flow", "flow: NAME")
  else if (flow === "" && path === "") fields.required("path", "path: flows/NAME.yaml")
  return {
    ...common,
    type: "flow-ref",
    flow: flow !== "" ? flowId("flow", flow, fields, report) : path === "" ? "" : flowOfPath(path, fields, report),
    ...(task === undefined ? {} : { task }),
    inputs: fields.texts("inputs") ?? {},
  }
}

function flowId(key: string, text: string, fields: Fields, report: Report): string {
  if (isFlowId(text)) return text
  const id = flowOf(text)
  report.error(
    "FV-FLOW-PATH",
    fields.valueAt(key),
    `${fields.where}: ${shown(text)} is no id of a flow${text.includes("${{") ? "; which flow runs is fixed before the run begins" : ""}`,
    id === undefined ? `${key}: NAME, or FOLDER:NAME for flows/FOLDER/NAME.yaml` : `${key}: ${id}`,
  )
  return ""
}

function flowOfPath(path: string, fields: Fields, report: Report): string {
  const at = fields.valueAt("path")
  const { where } = fields
  const id = flowOf(path)
  if (id !== undefined) return id
  if (/[*?[\]{}]/.test(path) && !path.includes("${{"))
    report.error(
      "FV-FLOW-PATH",
      at,
      `${where}: ${shown(path)} is a pattern; a flow-ref runs one flow`,
      "one flow-ref for each flow, or a map over their inputs",
    )
  else
    report.error(
      "FV-FLOW-PATH",
      at,
      path.includes("${{") ? `${where}: which flow runs is fixed before the run begins` : `${where}: ${shown(path)} is no file of a flow`,
      "path: flows/NAME.yaml",
    )
  return ""
}

/** `flows/a/b.yaml`, with or without the folders that the original had before it, or the file's name alone. */
function flowOf(path: string): string | undefined {
  const bare = path.replace(/^(?:\.\/)+/, "").replace(/^\.pi\/flows\//, "")
  return flowIdOf(bare.startsWith("flows/") ? bare : `flows/${bare}`) ?? (bare.startsWith("flows/") ? flowIdOf(bare.slice(6)) : undefined)
}

const MOST_CHILDREN = 100

export function readMap(common: Common, fields: Fields, report: Report): MapStep {
  const task = fields.text("task")
  const over = fields.required("over", 'over: "${{result.STEP.OUTPUT}}"').trim()
  const flow = fields.required("do", "do: NAME").trim()
  const most = fields.integer("max_concurrent", 1)
  if (most !== undefined && most > MOST_CHILDREN)
    report.error(
      "FV-MAP-CONCURRENT",
      fields.valueAt("max_concurrent"),
      `${fields.where}: at most ${MOST_CHILDREN} children run at once, not ${most}`,
      `max_concurrent: ${MOST_CHILDREN}`,
    )
  const tolerate = readTolerate(fields, report)
  return {
    ...common,
    type: "map",
    over,
    do: flow === "" ? "" : flowId("do", flow, fields, report),
    ...(task === undefined ? {} : { task }),
    inputs: fields.texts("inputs") ?? {},
    max_concurrent: Math.min(most ?? 4, MOST_CHILDREN),
    ...(tolerate === undefined ? {} : { tolerate }),
  }
}

function readTolerate(fields: Fields, report: Report): MapStep["tolerate"] {
  const text = fields.text("tolerate")?.trim()
  if (text === undefined) return undefined
  const [, count, percent] = /^(?:(\d{1,5})|(\d{1,3}(?:\.\d{1,3})?)\s*%)$/.exec(text) ?? []
  if (count !== undefined && Number(count) <= 10_000) return { count: Number(count) }
  if (percent !== undefined && Number(percent) <= 100) return { percent: Number(percent) }
  report.error(
    "FV-MAP-TOLERATE",
    fields.valueAt("tolerate"),
    `${fields.where}: "tolerate" is how many children may fail, a count or a share; ${shown(text)} is neither`,
    "tolerate: 3, or tolerate: 10%",
  )
  return undefined
}

export function readWait(common: Common, fields: Fields, report: Report): WaitStep {
  const { where } = fields
  const until = fields.text("until")?.trim() || undefined
  const span = fields.text("for")?.trim() || undefined
  const signal = fields.text("signal")?.trim() || undefined
  const on_timeout = fields.text("on_timeout")?.trim() || undefined
  const given = WAITS.filter((key) => fields.has(key))
  if (given.length !== 1 || [until, span, signal].every((x) => x === undefined))
    report.error(
      "FV-WAIT",
      fields.keyAt(given[1] ?? given[0] ?? "type"),
      given.length > 1
        ? `${where} waits for ${given.map((key) => `"${key}"`).join(" and ")}; it can wait for one thing`
        : `${where} does not say what it waits for`,
      given.length > 1 ? `keep one of ${given.join(", ")}` : "for: 30s, until: 2027-01-31T09:00:00Z, or signal: NAME",
    )
  if (signal !== undefined && !isName(signal))
    report.error(
      "FV-WAIT-SIGNAL",
      fields.valueAt("signal"),
      `${where}: ${shown(signal)} is no name for a signal: it is part of the address that it is posted to`,
      `signal: ${
        signal
          .replaceAll(/[^A-Za-z0-9_-]+/g, "-")
          .replace(/^-+/, "")
          .slice(0, 60) || "NAME"
      }`,
    )
  if (span !== undefined && isLiteral(span) && !((parseDuration(span) ?? 0) > 0))
    report.error("FV-WAIT-TIME", fields.valueAt("for"), `${where}: ${shown(span)} is no duration`, "for: 30s, 5m, 2h, 3d, or milliseconds")
  if (until !== undefined && isLiteral(until) && parseIsoTime(until) === undefined)
    report.error(
      "FV-WAIT-TIME",
      fields.valueAt("until"),
      `${where}: ${shown(until)} is no time; write a date, a time of day and a zone`,
      "until: 2027-01-31T09:00:00Z",
    )
  if (on_timeout !== undefined && (common.timeout === undefined || signal === undefined))
    report.error(
      "FV-WAIT-TIMEOUT",
      fields.keyAt("on_timeout"),
      signal === undefined
        ? `${where}: on_timeout belongs to a wait for a signal; a time comes by itself`
        : `${where}: on_timeout is never taken, because the step has no timeout`,
      signal === undefined ? "leave it out" : "timeout: 1h",
    )
  return {
    ...common,
    type: "wait",
    ...(until === undefined ? {} : { until }),
    ...(span === undefined ? {} : { for: span }),
    ...(signal === undefined ? {} : { signal }),
    ...(on_timeout === undefined ? {} : { on_timeout }),
  }
}

const WAITS = ["until", "for", "signal"]
const isLiteral = (text: string): boolean => references(text).length === 0
