// Opening a step: what it is asked is fixed here and journaled, so that nothing it reads can change under it [J6].

import type { AgentDecisionStep, AgentStep, ConditionalStep, ForkStep, LoopDecisionStep, Step } from "../../flow/flow.ts"
import type { JsonObject } from "../../json.ts"
import { openFlowRef, openMap } from "./children.ts"
import { openCode } from "./code.ts"
import { grantOf } from "../session/grant.ts"
import type { Fact, FactOf } from "../event.ts"
import { agentNameOf } from "../plan.ts"
import { fill, isPresent, newRoom } from "./scope.ts"
import { stepState, type Run } from "../state.ts"
import { nameOf } from "../session/sticky.ts"
import { taint } from "../session/taint.ts"
import { openWait } from "./wait.ts"

/** The facts of entering a step; never empty, and never a model call by themselves. */
export function openStep(run: Run, step: Step): Fact[] {
  switch (step.type) {
    case "agent":
    case "agent-decision":
      return openSession(run, step)
    case "agent-loop-decision":
      return openLoop(run, step)
    case "fork":
      return openFork(run, step)
    case "conditional":
      return openConditional(run, step)
    case "code":
    case "code-decision":
      return openCode(run, step)
    case "flow-ref":
      return openFlowRef(run, step)
    case "map":
      return openMap(run, step)
    case "wait":
      return openWait(run, step)
  }
}

type SessionStep = AgentStep | AgentDecisionStep | LoopDecisionStep | ForkStep

function openSession(run: Run, step: SessionStep, extra: { iteration?: number; task?: string; question?: string } = {}): Fact[] {
  const name = agentNameOf(step)
  const agent = name === undefined ? undefined : run.plan.agents[name]
  const pass = stepState(run, step.id).pass
  if (!agent || name === undefined)
    return [
      { type: "step.opened", step: step.id, stepType: step.type, pass, tools: [] },
      failed(step.id, pass, `step "${step.id}" names agent "${name ?? ""}", which is not among this run's agents`),
    ]
  const warnings: Fact[] = []
  const inputs: Record<string, string> = {}
  const room = newRoom()
  for (const [key, template] of Object.entries(step.inputs)) inputs[key] = fill(run, step.id, {}, template, warnings, room)
  const asked = fill(run, step.id, inputs, extra.task ?? step.task ?? "${{task}}", warnings, room)
  const task = asked.trim() === "" ? "Begin." : asked
  const opened: FactOf<"step.opened"> = {
    type: "step.opened",
    step: step.id,
    stepType: step.type,
    agent: name,
    pass,
    model: modelFor(run, step, name),
    tools: grantOf(run.plan, agent, run.autonomous, run.rules.policy, modelFor(run, step, name)),
    task:
      extra.iteration === undefined || step.type !== "agent-loop-decision"
        ? task
        : `${task}\n\nIteration ${extra.iteration} of ${step.max_iterations}.`,
    body: fill(run, step.id, inputs, agent.body, warnings, room),
    ...(Object.keys(inputs).length > 0 ? { inputs } : {}),
    ...preambleOf(run, step.id),
    ...taint(run, [...Object.values(step.inputs), extra.task ?? step.task ?? "${{task}}", agent.body, ...questionOf(step)]),
    ...(extra.question === undefined ? {} : { question: extra.question }),
    ...(extra.iteration === undefined ? {} : { iteration: extra.iteration }),
  }
  const template = step.type === "agent" ? step.session : undefined
  const sticky = nameOf(run, template, () => fill(run, step.id, inputs, template ?? "", warnings, room))
  if (!sticky.ok) return [opened, ...warnings, failed(step.id, pass, `step "${step.id}": ${sticky.error}`)]
  return [{ ...opened, ...(sticky.value === undefined ? {} : { session: sticky.value }) }, ...warnings]
}

/** A fault of the flow itself, which no retry mends. */
const failed = (step: string, pass: number, summary: string): FactOf<"step.finished"> => ({
  type: "step.finished",
  step,
  pass,
  status: "error",
  hard: true,
  source: "config",
  files: [],
  outputs: {},
  summary,
})

function preambleOf(run: Run, id: string): { preamble?: string; tainted?: true } {
  const preamble = stepState(run, id).preamble
  if (preamble === undefined) return {}
  // It quotes a fork's question, answer and notes [G11]; of which fork it is need not be told apart.
  const fromOutside = run.plan.flow.steps.some((s) => s.type === "fork" && run.steps[s.id]?.result?.tainted === true)
  return { preamble, ...(fromOutside ? { tainted: true as const } : {}) }
}

/** Its task has the question as it was filled in; what it was filled with is seen here [G11]. */
const questionOf = (step: SessionStep): readonly string[] => (step.type === "fork" ? [step.question] : [])

/** [F52] Pinned at the start: `agent@step` when the step has a model of its own. */
function modelFor(run: Run, step: Step, agent: string): string {
  const models = run.pins?.models ?? {}
  const own = (key: string): string | undefined => (Object.hasOwn(models, key) ? models[key] : undefined)
  return own(`${agent}@${step.id}`) ?? own(agent) ?? "rehearsal/default"
}

/** [F17] With cap N the decider is asked at most N times; past it the exit is taken with no model call. */
function openLoop(run: Run, step: LoopDecisionStep): Fact[] {
  const s = stepState(run, step.id)
  const iteration = s.entered + 1
  const max = step.max_iterations
  const facts: Fact[] = [{ type: "loop.iteration", step: step.id, iteration, max, target: step.loop_target }]
  if (iteration <= max) return [...facts, ...openSession(run, step, { iteration })]
  return [
    ...facts,
    { type: "step.opened", step: step.id, stepType: step.type, pass: s.pass, tools: [], iteration },
    { type: "loop.exhausted", step: step.id, iteration, max, target: step.exit_target },
    {
      type: "step.finished",
      step: step.id,
      pass: s.pass,
      status: "complete",
      summary: `The cap of ${max} iterations was reached; the loop was left.`,
      files: [],
      outputs: {},
      branch: "exit",
    },
  ]
}

function openConditional(run: Run, step: ConditionalStep): Fact[] {
  const pass = stepState(run, step.id).pass
  const branch = isPresent(run, step) ? "present" : "absent"
  return [
    { type: "step.opened", step: step.id, stepType: step.type, pass, tools: [] },
    {
      type: "step.finished",
      step: step.id,
      pass,
      status: "complete",
      summary: `${step.check.step}.${step.check.field} is ${branch}`,
      files: [],
      outputs: {},
      branch,
    },
  ]
}

/** [F21] A person is asked unless the run is autonomous; then, or when they hand it over, the agent chooses. */
function openFork(run: Run, step: ForkStep): Fact[] {
  const warnings: Fact[] = []
  const question = fill(run, step.id, {}, step.question, warnings)
  const options = step.branches.map((b) => ({ label: b.label, target: b.target }))
  const task =
    step.task ??
    `Choose the option that fits best.\n\nQuestion: ${escape(question)}\nOptions:\n${options.map((o) => `- ${escape(o.label)}`).join("\n")}`
  // A person alone decides: there is no agent to hand it to, and none was pinned.
  const nobodyElse = !run.autonomous && step.agent === undefined
  const opened: Fact[] = nobodyElse
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
    : openSession(run, step, { question, task })
  if (run.autonomous) return [...opened, ...warnings]
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
    ...warnings,
    {
      type: "interaction.asked",
      id: `i${run.asked + 1}`,
      kind: "fork",
      step: step.id,
      payload,
      schema: forkSchema(
        options.map((o) => o.label),
        step,
      ),
    },
  ]
}

/** Text that is put into a template must not become one. */
const escape = (text: string): string => text.replaceAll("${{", () => "$${{")

function forkSchema(labels: readonly string[], step: ForkStep): JsonObject {
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
