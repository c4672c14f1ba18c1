// The seed's step types [F16–F22]: an agent works or decides, a person is asked, a value decides.

import type { Fields } from "./fields.ts"
import type { AgentDecisionStep, AgentStep, Branch, ConditionalStep, ForkStep, LoopDecisionStep } from "../flow.ts"
import type { Common } from "./parse-step.ts"
import { type Report, shown } from "./report.ts"

export function readWork(common: Common, fields: Fields): AgentStep {
  const session = fields.text("session")
  return {
    ...common,
    type: "agent",
    agent: fields.required("agent").trim(),
    ...asked(fields),
    ...(session === undefined || session.trim() === "" ? {} : { session }),
  }
}

export function readDecision(common: Common, fields: Fields): AgentDecisionStep {
  const cap = fields.integer("max_iterations", 1)
  const on_exhausted = fields.text("on_exhausted")
  const agent = fields.required("agent").trim()
  return {
    ...common,
    type: "agent-decision",
    agent,
    ...asked(fields),
    branches: readBranches(fields),
    ...(cap === undefined ? {} : { max_iterations: cap }),
    ...(on_exhausted === undefined ? {} : { on_exhausted }),
  }
}

export function readLoop(common: Common, fields: Fields): LoopDecisionStep {
  const agent = fields.required("agent").trim()
  const task = fields.required("task")
  const loop_target = fields.required("loop_target").trim()
  const exit_target = fields.required("exit_target").trim()
  if (!fields.has("max_iterations")) fields.wrong(fields.keyAt("max_iterations"), `"max_iterations" is missing`, "max_iterations: 3")
  return {
    ...common,
    type: "agent-loop-decision",
    agent,
    ...asked(fields),
    task,
    loop_target,
    exit_target,
    max_iterations: fields.integer("max_iterations", 1) ?? 1,
  }
}

/** [F21] */
export function readFork(common: Common, fields: Fields, report: Report): ForkStep {
  const cap = fields.integer("max_iterations", 1)
  const agent = fields.text("agent")?.trim() || undefined
  const allowCustom = fields.flag("allowCustom") ?? false
  if (allowCustom && agent === undefined)
    report.error(
      "FV-FORK-CUSTOM",
      fields.keyAt("allowCustom"),
      `${fields.where} allows an answer of one's own, but names no agent to route it`,
      "agent: NAME",
    )
  const options = fields.list("options", false)
  if (fields.node("options") === undefined) fields.wrong(fields.keyAt("options"), `"options" is missing`, "options: [first, second]")
  else if (options.length === 0 && fields.node("options")?.kind !== "map")
    report.error("FV-FORK-OPTION", fields.keyAt("options"), `${fields.where} has no options to choose from`, "options: [first, second]")
  return {
    ...common,
    type: "fork",
    question: fields.required("question"),
    options: options.map((o) => o.text),
    branches: readBranches(fields),
    ...asked(fields),
    ...(agent === undefined ? {} : { agent }),
    ...(cap === undefined ? {} : { max_iterations: cap }),
    allowCustom,
    multiSelect: fields.flag("multiSelect") ?? false,
  }
}

export function readConditional(common: Common, fields: Fields, ids: readonly string[]): ConditionalStep {
  const check = fields.required("check").trim()
  return {
    ...common,
    type: "conditional",
    check: readCheck(check, ids),
    present: fields.required("present").trim(),
    absent: fields.required("absent").trim(),
  }
}

/** `STEP` or `STEP.FIELD`, cut at the last dot [F22]; an old id that holds a dot is known from the file. */
function readCheck(text: string, ids: readonly string[]): { step: string; field: string } {
  const dot = text.lastIndexOf(".")
  return dot < 0 || ids.includes(text) ? { step: text, field: "artifacts" } : { step: text.slice(0, dot), field: text.slice(dot + 1) }
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

export function readBranches(fields: Fields): Branch[] {
  if (fields.node("branches") === undefined) fields.wrong(fields.keyAt("branches"), `"branches" is missing`, "branches:\n  LABEL: step-id")
  return (fields.map("branches")?.entries ?? []).flatMap((e): Branch[] => {
    if (e.value.kind === "scalar" && e.value.text.trim() !== "") return [{ label: e.key, target: e.value.text.trim() }]
    fields.wrong(e.at, `the branch ${shown(e.key)} must name one step`, `${e.key}: step-id`)
    return [{ label: e.key, target: "" }]
  })
}
