// Defines steps that run a stored handler [F24, F25]: their keys and checks, the handler's input, and the meaning of its result.

import { defined } from "../defined.ts"
import { codePathOf, isStepId } from "../flow/code-file.ts"
import { checkContract, codeSummary } from "../flow/code-contract.ts"
import type { Placed, CheckScope } from "../flow/check/check-scope.ts"
import { labelsOf, type CodeRun } from "../flow/flow.ts"
import { fieldsOf, warnUnknown, type Fields } from "../flow/parse/fields.ts"
import { EFFECT_FIELDS, keysOf, OUTPUT_FIELDS, type FieldTable } from "../flow/parse/field-table.ts"
import { readEffects } from "../flow/parse/parse-approvals.ts"
import type { SourcePlace } from "../flow/parse/place.ts"
import { readFields } from "../flow/parse/read-fields.ts"
import { shown, type Report } from "../flow/parse/report.ts"
import { RESULT_FIELDS } from "../flow/template.ts"
import type { Action } from "../run/action.ts"
import type { FailureSource, FileRef } from "../run/event-parts.ts"
import type { Fact } from "../run/event.ts"
import { lookUp } from "../run/cached/look-up.ts"
import { codeKey } from "../run/key.ts"
import { openCaller } from "../run/own/open-caller.ts"
import { taint } from "../run/session/taint.ts"
import type { CodeResult } from "../run/signal.ts"
import { stepState, type Run } from "../run/state.ts"
import { valuesOf } from "../run/steps/scope.ts"
import { CACHE } from "./agent-fields.ts"
import { checkToolName } from "./check-tool.ts"

export const HANDLER_FIELDS = {
  cache: CACHE,
  inputs: { kind: "templates", about: "the handler's `input`; a value that is a single reference keeps its JSON type" },
  outputs: { kind: "outputs", about: "the keys that the handler must return, and no others" },
  target: { kind: "path", about: "the path of another handler to use for this step" },
  tools: { kind: "texts", about: "the tools that the handler may call, as ctx.call(NAME, args); without any, it reaches nothing" },
  effects: {
    kind: "mapping",
    fields: EFFECT_FIELDS,
    about: "what the handler's calls may do with text from outside in its run or its inputs",
  },
} as const satisfies FieldTable

/** A sandbox reports its own timeout [F24]. This extra time is for a sandbox that does not respond. */
export const GRACE_MS = 10_000

export function readHandler(
  id: string,
  fields: Fields,
  report: Report,
): Pick<CodeRun, "inputs" | "outputs" | "target" | "tools" | "effects" | "cache"> {
  const { where } = fields
  if (id !== "" && (!isStepId(id) || id.endsWith(".d")))
    report.error(
      "FV-CODE-ID",
      fields.valueAt("id"),
      `${where}: the id is also the handler's file name, and ${shown(`${id}.ts`)} is not a valid file name`,
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
        `${where}: the handler reads its inputs as input.NAME, so ${shown(key)} must be a variable name`,
        variable(key),
      )
  const { inputs, target, tools, cache } = readFields(fields, HANDLER_FIELDS)
  const effects = readEffects(fields, EFFECT_FIELDS, { field: "FV-PARSE", family: "FV" }, report)
  const names = [...new Set(tools.map(({ text }) => text))]
  return {
    inputs,
    outputs: readOutputNames(fields, report),
    ...defined({ target, effects, cache }),
    ...(names.length === 0 ? {} : { tools: names }),
  }
}

function readOutputNames(fields: Fields, report: Report): string[] {
  const { where } = fields
  const node = fields.node("outputs")
  const names: string[] = []
  const keep = (name: string, at: SourcePlace): void => {
    if (name === "branch")
      report.error(
        "FV-CODE-BRANCH",
        at,
        `${where}: a code-decision returns "branch" in addition to its outputs, so no output can have that name`,
        "remove it",
      )
    else if (!isVariable(name) || name.includes("$"))
      report.error(
        "FV-CODE-OUT",
        at,
        `${where}: ${shown(name)} is not a valid output name: the handler returns it as a key`,
        variable(name),
      )
    else if (RESULT_FIELDS.includes(name))
      report.error("FV-CODE-OUT", at, `${where}: every result has a field "${name}", so no output can have that name`, `${name}_value`)
    else if (names.includes(name)) report.error("FV-CODE-OUTDUP", at, `${where}: the output "${name}" is repeated`, "keep one of them")
    else names.push(name)
  }
  if (node?.kind === "map") fields.wrong(node.at, `"outputs" must be a list`, `outputs: [${node.entries.map((e) => e.key).join(", ")}]`)
  else if (node?.kind !== "list") for (const { text, at } of fields.list("outputs", true)) keep(text, at)
  else
    for (const item of node.items) {
      if (item.kind === "scalar" && item.value !== null) keep(item.text.trim(), item.at)
      else if (item.kind === "map") {
        const output = fieldsOf(item, report, "FV-PARSE", `${where}, output`, item.at)
        warnUnknown(output, report, "FV", keysOf(OUTPUT_FIELDS))
        const name = output.required("name", "{ name: result }").trim()
        if (name !== "") keep(name, output.valueAt("name"))
      } else fields.wrong(item.at, `"outputs" contains an item without a name`, "outputs: [result]")
    }
  return names
}

// Words that cannot name a variable, and so cannot be destructured: `({ class }) =>`.
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

/** A missing handler is only a warning, because it may be written later. `fails` says what happens until then. */
export function checkHandler(step: CodeRun, { where, valueAt }: Placed, scope: CheckScope, fails: string): void {
  const { flow, world, report } = scope
  for (const name of step.tools ?? []) checkToolName(name, valueAt("tools"), where, scope)
  if (world.code === undefined || step.id === "" || world.code.has(step.id)) return
  report.warn(
    "FV-CODE-HANDLER",
    valueAt("id"),
    `${where} has no handler yet; until it has one, ${fails}`,
    `write ${codePathOf(flow.id, step.id)} (PUT /v1/code/${encodeURIComponent(flow.id)}/${step.id})`,
  )
}

export function openHandler(run: Run, step: CodeRun): Fact[] {
  const warnings: Fact[] = []
  const values = valuesOf(run, step.id, step.inputs, warnings)
  if (step.tools) return openCaller(run, step, { values, templates: Object.values(step.inputs), warnings })
  return [
    {
      type: "step.opened",
      step: step.id,
      stepType: step.type,
      pass: stepState(run, step.id).pass,
      tools: [],
      values,
      ...taint(run, Object.values(step.inputs)),
    },
    ...warnings,
  ]
}

export function handlerWishes(run: Run, step: CodeRun): Action[] {
  const { id } = step
  const s = stepState(run, id)
  const look = lookUp(run, step, s)
  if (look) return look
  const { pass, values, session } = s
  const key = codeKey(id, pass, session?.turn)
  return Object.hasOwn(run.underway, key) ? [] : [{ do: "run-code", key, step: id, input: session?.own?.given ?? values ?? {} }]
}

/** A failure is soft unless the error's name is FlowHardError. In a code-decision, every failure is hard. */
export function handlerFinished(run: Run, step: CodeRun, r: CodeResult): Fact {
  const pass = stepState(run, step.id).pass
  const end = { type: "step.finished", step: step.id, pass, files: [] as FileRef[] } as const
  const failed = (source: FailureSource, summary: string): Fact => ({
    ...end,
    status: "error",
    source,
    summary,
    outputs: {},
    ...(step.type === "code-decision" || source === "flow_hard_error" ? { hard: true } : {}),
  })
  if (!r.ok) return failed(r.source, r.message)
  const labels = labelsOf(step)
  const checked = checkContract({ outputs: step.outputs, ...defined({ branches: labels }) }, r.value)
  if (!checked.ok) return failed("code_contract", checked.error)
  const { outputs, branch } = checked.value
  return {
    ...end,
    status: "complete",
    summary: r.summary ?? codeSummary(step.id, checked.value),
    outputs,
    text: JSON.stringify(outputs),
    ...defined({ branch }),
  }
}
