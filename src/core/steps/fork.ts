// fork: a person or an agent chooses among options [F21].

import type { CheckScope, Placed } from "../flow/check/check-scope.ts"
import { inFileOrder, type ForkStep } from "../flow/flow.ts"
import { literally } from "../flow/template.ts"
import type { FieldTable } from "../flow/parse/field-table.ts"
import { readFields } from "../flow/parse/read-fields.ts"
import { shown } from "../flow/parse/report.ts"
import type { Json, JsonObject } from "../json.ts"
import type { Fact } from "../run/event.ts"
import { openSession } from "../run/session/open-session.ts"
import { keepsApart } from "../run/session/apart.ts"
import { taint } from "../run/session/taint.ts"
import type { Answer } from "../run/signal.ts"
import { stepState, type Interaction, type Run } from "../run/state.ts"
import { fill } from "../run/steps/scope.ts"
import { agentOutputs, INPUTS, MODEL } from "./agent-fields.ts"
import { BRANCHES, CAP, endless, waysOf } from "./branches.ts"
import type { StepKind } from "./kind.ts"

const FIELDS = {
  question: { kind: "template", required: true, about: "the question for the person or the agent" },
  options: {
    kind: "texts",
    required: true,
    example: "options: [first, second]",
    about: "the possible answers; each has a branch of the same name",
  },
  branches: BRANCHES,
  agent: { kind: "agent", about: "the agent that decides if no person is asked; by default the built-in flow-decision" },
  task: { kind: "template", about: "the agent's task; by default the question and its options" },
  inputs: INPUTS,
  model: MODEL,
  max_iterations: CAP,
  allowCustom: { kind: "flag", fallback: false, about: "whether a person may answer with free text, which the agent assigns to an option" },
  multiSelect: { kind: "flag", fallback: false, about: "whether several options can be chosen; their branches run in file order" },
} as const satisfies FieldTable

export const fork: StepKind<ForkStep> = {
  fields: FIELDS,
  mark: "question",
  read(common, { fields, report }) {
    const { options, ...values } = readFields(fields, FIELDS)
    if (values.allowCustom && values.agent === undefined)
      report.error(
        "FV-FORK-CUSTOM",
        fields.keyAt("allowCustom"),
        `${fields.where} allows a custom answer, but names no agent to route it`,
        "agent: NAME",
      )
    const node = fields.node("options")
    if (node !== undefined && node.kind !== "map" && options.length === 0)
      report.error("FV-FORK-OPTION", fields.keyAt("options"), `${fields.where} has no options to choose from`, "options: [first, second]")
    return { ...common, type: "fork", ...values, options: options.map((o) => o.text) }
  },
  check(step, placed, scope) {
    checkWaysBack(step, placed, scope)
    checkOptions(step, placed, scope)
  },
  noAgent: "FV-FORK-AGENT",
  outputs: agentOutputs,
  needsPerson: (step) => step.agent === undefined,
  open,
  chooser: (run, _state, id) => (Object.hasOwn(run.forks, id) && run.forks[id]?.by === "person" ? "person" : "agent"),
  completed(run, state, e, agent) {
    if (e.branch === undefined) return
    const i = state.asked === undefined ? undefined : run.interactions[state.asked]
    const notes = i?.answer?.["notes"]
    const byPerson = i?.status === "answered" && i.answer?.["auto"] === undefined && i.answer?.["custom"] === undefined
    run.forks[e.step] = {
      question: state.question ?? "",
      answer: e.branches?.join(", ") ?? e.branch,
      by: byPerson ? "person" : "agent",
      ...(byPerson || agent === undefined ? {} : { agent }),
      ...(typeof notes === "string" ? { notes } : {}),
    }
  },
  stub: (base) => ({ ...base, type: "fork", question: "", options: [], branches: [], allowCustom: false, multiSelect: false }),
}

function checkWaysBack(step: ForkStep, placed: Placed, scope: CheckScope): void {
  const { back } = waysOf(step, placed, scope)
  const [first] = back
  if (step.multiSelect)
    // With several branches at once, a branch that leads back would abandon the others.
    for (const { label, target } of back)
      scope.report.error(
        "FV-FORK-MULTI",
        placed.valueAt("branches", label),
        `${placed.where}: branch ${shown(label)} leads back to "${target}", but several branches can be chosen at once`,
        "multiSelect: false, or make the branch lead to a later step",
      )
  else if (first !== undefined && step.max_iterations === undefined) {
    const [at, message] = endless(placed, first)
    // A person may go back as often as they like [F18].
    if (scope.flow.autonomous) scope.report.error("FV-DEC-LOOP", at, message, "max_iterations: 3")
    else scope.report.warn("FV-DEC-LOOP", at, `${message} when the run is autonomous`, "max_iterations: 3")
  }
}

/** Checks that each option has a branch of the same name, and each branch an option. */
function checkOptions(step: ForkStep, { where, keyAt, valueAt, node }: Placed, { report }: CheckScope): void {
  const labels = step.branches.map((b) => b.label)
  const list = node("options")
  const seen = new Set<string>()
  step.options.forEach((option, i) => {
    const at = list?.kind === "list" ? valueAt("options", i) : valueAt("options")
    if (seen.has(option)) report.error("FV-FORK-OPTION", at, `${where}: the option ${shown(option)} is repeated`, "keep one of them")
    else if (!labels.includes(option))
      report.error(
        "FV-FORK-OPTION",
        at,
        `${where}: the option ${shown(option)} has no branch`,
        report.hint(
          option,
          labels.filter((l) => !step.options.includes(l)),
        ) ?? `branches: { ${option}: step-id }`,
      )
    seen.add(option)
  })
  if (step.options.length === 0) return
  for (const label of labels)
    if (!seen.has(label))
      report.error(
        "FV-FORK-KEY",
        keyAt("branches", label),
        `${where}: the branch ${shown(label)} does not match any option`,
        report.hint(
          label,
          step.options.filter((o) => !labels.includes(o)),
        ) ?? report.hint(label, step.options),
      )
}

/** Asks a person, unless the run is autonomous. The agent chooses in an autonomous run, or if the person hands the question over. */
function open(run: Run, step: ForkStep): Fact[] {
  const warnings: Fact[] = []
  const question = fill(run, step.id, {}, step.question, warnings)
  const options = step.branches.map((b) => ({ label: b.label, target: b.target }))
  const task =
    step.task ??
    `Choose ${step.multiSelect ? "every option that fits" : "the option that fits best"}.\n\nQuestion: ${keepsApart(run) ? step.question : literally(question)}\nOptions:\n${options.map((o) => `- ${literally(o.label)}`).join("\n")}`
  // Only a person can decide: no agent exists or was pinned to take over the question.
  const onlyPerson = !run.autonomous && step.agent === undefined
  const opened: Fact[] = onlyPerson
    ? [
        {
          type: "step.opened",
          step: step.id,
          stepType: step.type,
          pass: stepState(run, step.id).pass,
          tools: [],
          question,
          ...taint(run, [step.question]),
        },
      ]
    : openSession(run, step, { question, task, reads: [step.question] })
  // The question is expanded twice: for the person, and in the agent's task, where it shows what is from outside.
  const told = new Set(opened.map((fact) => JSON.stringify(fact)))
  const news = warnings.filter((fact) => !told.has(JSON.stringify(fact)))
  if (run.autonomous) return [...opened, ...news]
  const payload: JsonObject = {
    question,
    options,
    allowAuto: step.agent !== undefined,
    allowCustom: step.allowCustom,
    multiSelect: step.multiSelect,
    notes: true,
  }
  return [
    ...opened,
    ...news,
    {
      type: "interaction.asked",
      id: `i${run.asked + 1}`,
      kind: "fork",
      step: step.id,
      payload,
      schema: schemaOf(
        options.map((o) => o.label),
        step,
      ),
    },
  ]
}

function schemaOf(labels: readonly string[], step: ForkStep): JsonObject {
  const notes = { type: "string", maxLength: 10_000 }
  const one = { enum: [...labels] }
  const answer = step.multiSelect ? { type: "array", items: one, uniqueItems: true, minItems: 1 } : one
  const choose = { type: "object", properties: { answer, notes }, required: ["answer"], additionalProperties: false }
  const cancel = { type: "object", properties: { cancelled: { const: true } }, required: ["cancelled"], additionalProperties: false }
  const hand = { type: "object", properties: { auto: { const: true }, notes }, required: ["auto"], additionalProperties: false }
  const custom = { type: "string", minLength: 1, maxLength: 100_000 }
  const describe = { type: "object", properties: { custom, notes }, required: ["custom"], additionalProperties: false }
  const alone = step.agent === undefined
  return { oneOf: [choose, ...(alone ? [] : [hand]), ...(step.allowCustom && !alone ? [describe] : []), cancel] }
}

/** The facts that follow from a person's answer: the end of the step or of the run. */
export function forkAnswered(run: Run, i: Interaction, body: Answer): Fact[] {
  if (body.cancelled) return [{ type: "run.ended", status: "canceled" }]
  if (body.auto || body.custom !== undefined) return []
  const [branch = "", ...more] = chosenLabels(run, i.step, body.answer)
  return [
    {
      type: "step.finished",
      step: i.step,
      pass: i.pass,
      status: "complete",
      summary: `Chosen: ${[branch, ...more].join(", ")}`,
      files: [],
      outputs: {},
      branch,
      ...(more.length > 0 ? { branches: [branch, ...more] } : {}),
    },
  ]
}

/** The chosen label, or the labels of a multi-select in the file order of their steps. */
function chosenLabels(run: Run, id: string, answer: Json | undefined): string[] {
  if (!Array.isArray(answer)) return typeof answer === "string" ? [answer] : []
  const step = run.plan.steps.get(id)
  const labels = answer.filter((x) => typeof x === "string")
  return step ? inFileOrder(step, labels, run.plan.graph.order) : labels
}
