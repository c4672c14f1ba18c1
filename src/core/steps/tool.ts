// tool: calls a tool, without a model and without an agent [F26].

import type { ToolStep } from "../flow/flow.ts"
import { asText } from "../flow/template.ts"
import { EFFECT_FIELDS, type FieldTable } from "../flow/parse/field-table.ts"
import { readEffects } from "../flow/parse/parse-approvals.ts"
import { readFields } from "../flow/parse/read-fields.ts"
import { defined } from "../defined.ts"
import { isObject, type JsonObject, type JsonSchema } from "../json.ts"
import { record, type Action } from "../run/action.ts"
import type { Fact, FactOf } from "../run/event.ts"
import { dataIn } from "../run/own/data-in.ts"
import { callsWish, openCaller } from "../run/own/open-caller.ts"
import { readCalls } from "../run/session/calls.ts"
import { stepState, type CallEnd, type Run } from "../run/state.ts"
import { cutAt } from "../text/cut-at.ts"
import { argumentsOf, textsIn } from "./arguments.ts"
import { checkToolStep } from "./check-tool.ts"
import type { StepKind } from "./kind.ts"

const FIELDS = {
  tool: { kind: "tool", required: true, example: "tool: web.fetch", about: "the tool to call: one of the tenant's, or a built-in one" },
  args: {
    kind: "arguments",
    about: "the tool's arguments; every text is a template, and one that is a single reference keeps its JSON type",
  },
  effects: { kind: "mapping", fields: EFFECT_FIELDS, about: "what the step may do with text from outside in its run or in its arguments" },
} as const satisfies FieldTable

const SUMMARY_CHARS = 200 // limit: characters of a tool step's summary → the whole is its text
const FAULT_CHARS = 2_000 // limit: characters of what a tool said, in the failure of its step → the whole is in the journal

export const tool: StepKind<ToolStep> = {
  fields: FIELDS,
  hints: ["tool", "args"],
  read(common, { fields, report }) {
    const { tool: name, args } = readFields(fields, FIELDS)
    const effects = readEffects(fields, EFFECT_FIELDS, { field: "FV-PARSE", family: "FV" }, report)
    return { ...common, type: "tool", tool: name, args, ...defined({ effects }) }
  },
  check: checkToolStep,
  outputs: () => [{ name: "data" }, { name: "text", type: "string" }],
  open(run, step) {
    const warnings: Fact[] = []
    const values = asWanted(argumentsOf(run, step.id, step.args, warnings), run.plan.tools.get(step.tool)?.parameters)
    return openCaller(run, step, { values, templates: textsIn(step.args).map(({ text }) => text), warnings })
  },
  wishes,
  stub: (base) => ({ ...base, type: "tool", tool: "", args: {} }),
}

/** Where the tool wants text, an object or a list is its JSON, as in a template with other text. */
function asWanted(args: JsonObject, schema: JsonSchema | undefined): JsonObject {
  const properties = schema?.["properties"]
  const isText = (name: string): boolean => {
    const property = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
    return isObject(property) && property["type"] === "string"
  }
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, typeof value === "object" && isText(name) ? asText(value) : value]),
  )
}

function wishes(run: Run, step: ToolStep): Action[] {
  const own = stepState(run, step.id).session?.own
  if (!own) return []
  if (own.ended) return [record(finished(run, step, own.ended))]
  return callsWish(run, step.id, readCalls([{ id: "call", name: step.tool, args: JSON.stringify(own.given) }]))
}

/** A refusal and an unknown outcome are not tried again [F35]: a person has said no, or the call may have taken effect. */
function finished(run: Run, { id, tool: name }: ToolStep, { state, said, details }: CallEnd): FactOf<"step.finished"> {
  const s = stepState(run, id)
  const files = [...(s.session?.wrote ?? [])]
  const end = { type: "step.finished" as const, step: id, pass: s.pass, files }
  if (state === "done") {
    const data = details ?? dataIn(said)
    const summary = said.length <= SUMMARY_CHARS ? said : `${cutAt(said, SUMMARY_CHARS - 1)}…`
    return { ...end, status: "complete", summary, outputs: data === undefined ? { text: said } : { data }, text: said }
  }
  const why = cutAt(said, FAULT_CHARS)
  if (state === "failed")
    return { ...end, status: "error", source: "tool_failed", summary: `${name} failed: ${why}`, outputs: {}, text: said }
  if (state === "refused") return { ...end, status: "blocked", source: "tool_refused", summary: why, outputs: {} }
  return { ...end, status: "blocked", source: "tool_uncertain", summary: `what ${name} did is not known: ${why}`, outputs: {} }
}
