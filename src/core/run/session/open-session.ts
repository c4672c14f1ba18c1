// Opens a session: fixes and journals the agent's task and prompt, so that nothing the agent reads changes later [J6].

import { defined } from "../../defined.ts"
import { bareModel } from "../../money/prices.ts"
import { agentNameOf, untilOf, type AgentRun } from "../../flow/flow.ts"
import { onlyTextOf, type TemplateReference } from "../../flow/template.ts"
import type { EventOf, Fact, FactOf } from "../event.ts"
import { stepState, type Run, type Session } from "../state.ts"
import { roundTold } from "../rounds/told-round.ts"
import { fill, fillParts, newRoom } from "../steps/scope.ts"
import { isOutside, keepsApart, quotedIn, setApart, withoutHeld } from "./apart.ts"
import { fenceOf, toldOf } from "./told.ts"
import { wantedFiles } from "./files/attaching.ts"
import { grantOf } from "./grant.ts"
import { nameOf } from "./sticky.ts"
import { taint } from "./taint.ts"
import { offered } from "./tool-search.ts"

export interface Opening {
  /** Replaces the step's own task. */
  readonly task?: string
  /** Text that is added after the task. */
  readonly addendum?: string
  readonly iteration?: number
  readonly question?: string
  /** [G11] Templates that the task was built from, in addition to the step's own templates. */
  readonly reads?: readonly string[]
  /** [J25] Template of the sticky session's name. */
  readonly session?: string
}

/** Returns the facts that open a step with its agent's session. */
export function openSession(run: Run, step: AgentRun, extra: Opening = {}): Fact[] {
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
  const outsideInputs = new Set<string>()
  const outside = (ref: TemplateReference): boolean => isOutside(run, ref, outsideInputs)
  const room = newRoom()
  for (const [key, template] of Object.entries(step.inputs)) {
    const parts = fillParts(run, step.id, {}, template, warnings, room)
    inputs[key] = onlyTextOf(parts)
    if (quotedIn(parts, outside).length > 0) outsideInputs.add(key)
  }
  const own = extra.task ?? step.task ?? "${{task}}"
  const taskParts = fillParts(run, step.id, inputs, own, warnings, room)
  const asked = onlyTextOf(taskParts)
  const task = asked.trim() === "" ? "Begin." : asked
  const isSticky = keepsApart(run) && extra.session !== undefined
  const body = setApart(fillParts(run, step.id, inputs, agent.body, warnings, room), outside, isSticky)
  const given = [...Object.values(step.inputs), own, agent.body, extra.session ?? "", ...(extra.reads ?? [])]
  const { preamble, apart: choice = [] } = stepState(run, step.id)
  // A task that the flow's author wrote is as it was written: hooks promise that [W1]. Delimiters are in what the kernel writes, a fork's
  // question, and around what follows the task. A message that only names its attachments is its sender's own.
  const isQuoted = (ref: TemplateReference): boolean => outside(ref) && (run.tainted || ref.root !== "task")
  const isKernels = extra.task !== undefined && step.task === undefined
  const quotes = isKernels ? quotedIn(taskParts, isQuoted) : []
  const { quoted: marked, apart } = withoutHeld([...choice, ...body.apart], taskParts, quotes)
  const round = run.plan.judged.length === 0 ? undefined : roundTold(run, step.id, [own, agent.body])
  const follows = [...apart, ...(round?.apart ?? [])]
  const opened: FactOf<"step.opened"> = {
    type: "step.opened",
    step: step.id,
    stepType: step.type,
    agent: name,
    pass,
    model: modelFor(run, step, name),
    ...offered(run, agent, grantOf(run.plan, agent, run.autonomous, run.rules.policy, modelFor(run, step, name))),
    task: extra.addendum === undefined ? task : `${task}\n\n${extra.addendum}`,
    body: body.text,
    ...(Object.keys(inputs).length > 0 ? { inputs } : {}),
    ...defined({ preamble }),
    ...(marked.length > 0 ? { quoted: [...marked] } : {}),
    ...(follows.length > 0 ? { apart: follows } : {}),
    ...wantedFiles(run, asked, given),
    ...taint(run, given, preamble === undefined ? [] : quoted(run), round?.judged),
    ...defined({ question: extra.question, iteration: extra.iteration }),
  }
  const sticky = nameOf(run, extra.session, () => fill(run, step.id, inputs, extra.session ?? "", warnings, room))
  if (!sticky.ok) return [opened, ...warnings, failed(step.id, pass, `step "${step.id}": ${sticky.error}`)]
  return [{ ...opened, ...defined({ session: sticky.value }) }, ...warnings, ...sameModel(run, step, opened.model)]
}

/** [V26] The judge of `until` has the model that it judges. Said once in each entry. */
function sameModel(run: Run, step: AgentRun, model: string | undefined): Fact[] {
  const { scorer = "" } = untilOf(step) ?? {}
  const judge = run.pins?.scorers?.[scorer]?.judge
  if (!judge || run.rehearsed || model === undefined || (stepState(run, step.id).rounds?.round ?? 1) > 1) return []
  if (bareModel(judge.model) !== bareModel(model)) return []
  const message = `the judge of "${scorer}" has the model that it judges, ${bareModel(model)}: give the scorer another \`model\``
  return [{ type: "warning", code: "same_model", message, step: step.id }]
}

/** [K23] What the opening of this step would have been with another prompt. */
export function bodyWith(run: Run, e: EventOf<"step.opened">, body: string): Pick<Session, "body"> & Partial<Pick<Session, "told">> {
  const step = run.plan.steps.get(e.step)
  const inputs = e.inputs ?? {}
  const room = newRoom()
  const none = new Set<string>()
  const templates = step && "inputs" in step ? Object.entries(step.inputs) : []
  const outsideInputs = new Set(
    templates.flatMap(([key, template]) =>
      quotedIn(fillParts(run, e.step, {}, template, [], newRoom()), (ref) => isOutside(run, ref, none)).length > 0 ? [key] : [],
    ),
  )
  const own = step && "task" in step ? step.task : undefined
  const taskParts = fillParts(run, e.step, inputs, own ?? "${{task}}", [], room)
  const isSticky = keepsApart(run) && e.session !== undefined
  const set = setApart(fillParts(run, e.step, inputs, body, [], room), (ref) => isOutside(run, ref, outsideInputs), isSticky)
  const { task: _task, ...told } = toldOf(e)
  const left = withoutHeld([...(told.apart ?? []), ...set.apart], taskParts, [])
  return { body: set.text, ...(left.apart.length > 0 ? { told: { ...told, fence: fenceOf(e.prev), apart: left.apart } } : {}) }
}

/** A fault in the flow itself, which a retry cannot fix. */
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

/** [G11] A preamble quotes a fork's question, answer and notes. It does not record which fork, so every fork's marks count. */
const quoted = (run: Run): string[] => run.plan.flow.steps.flatMap((s) => (s.type === "fork" ? [s.id] : []))

/** [F33] The models that may answer this step's agent, in order. */
export function modelsFor(run: Run, step: string, agent: string): readonly string[] {
  const { models = {}, fallbacks = {} } = run.pins ?? {}
  const key = Object.hasOwn(models, `${agent}@${step}`) ? `${agent}@${step}` : agent
  const others = Object.hasOwn(fallbacks, key) ? (fallbacks[key] ?? []) : []
  return [...(Object.hasOwn(models, key) ? [models[key] ?? ""] : []), ...others]
}

/** [F52] Pinned at the start; under `agent@step` when the step has its own model. */
function modelFor(run: Run, step: AgentRun, agent: string): string {
  const models = run.pins?.models ?? {}
  const own = (key: string): string | undefined => (Object.hasOwn(models, key) ? models[key] : undefined)
  return own(`${agent}@${step.id}`) ?? own(agent) ?? "rehearsal/default"
}
