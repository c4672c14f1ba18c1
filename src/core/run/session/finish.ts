// finish: the only way for an agent's step to succeed [G2], [G5], [F20], [F51]. The schema for the model, and the binding check.
//
// One guard, two tools: an agent with `finalizer: subagent_finalize` reports SUCCESS or ERROR instead. Its report becomes the same
// finish, so no other code handles the second tool.

import { defined } from "../../defined.ts"
import { tooLarge } from "./calls.ts"
import type { Agent } from "../../flow/agent.ts"
import { finalizeSchema, finishSchema } from "../../flow/finish-schema.ts"
import { isObject, type Json, type JsonObject, type JsonSchema } from "../../json.ts"
import { ok, err, type Result } from "../../result.ts"
import { validateArgs } from "../../schema/validate-args.ts"
import type { ToolCall } from "../event-parts.ts"
import type { Fact, FactOf } from "../event.ts"
import { choiceOf, inFileOrder, labelFor, type FinishChoice, type Step } from "../../flow/flow.ts"
import type { Plan } from "../plan.ts"
import type { StepState } from "../state.ts"
import { offering } from "../rounds/offer.ts"
import { readClaims, stepFiles } from "./files/step-files.ts"

export const FINISH = "finish"

/** The tool that ends this agent's sessions; the agent does not have the other one. */
export const finishNameOf = (agent: Agent | undefined): Agent["finalizer"] => agent?.finalizer ?? FINISH

/** The fields of this agent's finish, for reminders, without `branch`. */
export function finishFields(agent: Agent): string[] {
  const own = agent.outputs.map((o) => o.name)
  if (agent.finalizer === FINISH) return ["status", "summary", ...own]
  return ["status (SUCCESS or ERROR)", "result (what you found; SUCCESS needs it)", "error (what went wrong; ERROR needs it)", ...own]
}

/** Returns the same object each time, because compiled schemas are cached by identity and compiling costs more than the rest of a decision. */
export function schemaFor(agent: Agent, step: Step): JsonSchema {
  const choice = choiceOf(step)
  const key = choice === undefined ? "" : JSON.stringify(choice)
  const cached = schemas.get(agent)
  const schema = cached?.get(key) ?? (agent.finalizer === FINISH ? finishSchema : finalizeSchema)(agent.outputs, choice)
  if (cached) cached.set(key, schema)
  else schemas.set(agent, new Map([[key, schema]]))
  return schema
}

const schemas = new WeakMap<Agent, Map<string, JsonSchema>>()

export type FinishFault = { readonly path: string; readonly message: string }

/** The step and agent whose finish is checked. */
export interface Finishing {
  readonly plan: Pick<Plan, "graph">
  readonly agent: Agent
  readonly step: Step
  readonly s: StepState
}

/**
 * [F20] Only a finish with status `complete` needs `branch` and the required outputs. A malformed member that this finish does not need
 * causes a warning and never refuses the finish.
 */
export function checkFinish(finishing: Finishing, call: ToolCall, text: string | undefined): Result<readonly Fact[], FinishFault[]> {
  const { agent, step } = finishing
  const judged = judgeFinish(agent, step, call)
  if (!judged.ok) return judged
  const { value, mended } = judged.value
  return ok([...mended.map((fault) => warning(step.id, finishNameOf(agent), fault)), offering(step, finishedBy(finishing, value, text))])
}

/** The arguments as the step's result has them, or why they are refused; also for a finish that a rehearsal writes. */
export function judgeFinish(
  agent: Agent,
  step: Step,
  call: Pick<ToolCall, "args" | "raw" | "cut">,
): Result<{ readonly value: JsonObject; readonly mended: readonly string[] }, FinishFault[]> {
  if (call.raw !== undefined)
    return err([
      {
        path: "",
        message: `${call.cut ? tooLarge(call.cut) : ""}the arguments of ${finishNameOf(agent)} ${call.cut?.why ?? "are not a JSON object"}`,
      },
    ])
  const args: Record<string, unknown> = { ...call.args }
  const choice = choiceOf(step)
  if (choice) args["branch"] = chosen(step, choice, args["branch"])
  const schema = schemaFor(agent, step)
  const incomplete = args["status"] === "error" || args["status"] === "blocked" || args["status"] === "ERROR"
  if (args["branch"] === undefined || (incomplete && choice && !areLabels(choice.labels, args["branch"]))) delete args["branch"]
  const least = agent.finalizer === FINISH ? ["status", "summary"] : ["status"]
  const claims = agent.finalizer === FINISH && args["files"] !== undefined ? readClaims(call.args["files"] ?? null) : undefined
  if (claims) args["files"] = claims.files
  const asked = incomplete ? { ...schema, required: least } : schema
  const first = validateArgs(asked, args)
  const mended = first.ok ? [] : mend(asked, args, first.error, neededBy(agent, args))
  const checked = mended.length === 0 ? first : validateArgs(asked, args)
  const faults = [...(checked.ok ? [] : checked.error), ...(agent.finalizer === FINISH ? [] : emptiness(args))]
  if (!checked.ok || faults.length > 0) return err(choice ? faults.map((e) => named(e, choice.labels)) : faults)
  const unread = claims && claims.unread > 0 ? [`files: ${claims.unread} of its parts name no file, and are left out`] : []
  return ok({ value: agent.finalizer === FINISH ? checked.value : asFinish(checked.value), mended: [...unread, ...mended] })
}

const warning = (step: string, ending: string, fault: string): Fact => ({
  type: "warning",
  code: "finish_member",
  step,
  message: `the step's ${ending} was accepted without a fault in its ${fault}`,
})

/** [F17] [F21] What a finish says as `branch`, with the labels as the step names them. Where several may be chosen, one alone is a list too. */
function chosen(step: Step, { several }: FinishChoice, branch: unknown): unknown {
  const label = (one: unknown): unknown => (typeof one === "string" ? (labelFor(step, one) ?? one) : one)
  if (!several) return label(branch)
  if (Array.isArray(branch)) return [...new Set(branch.map(label))]
  return typeof branch === "string" ? [label(branch)] : branch
}

const areLabels = (labels: readonly string[], branch: unknown): boolean =>
  (Array.isArray(branch) ? branch : [branch]).every((one) => labels.some((label) => label === one))

/** Mends the members that `schema` does not require and that have faults: a text is made of what is no text, anything else is left out.
 *  Returns what was done. */
function mend(schema: JsonSchema, args: Record<string, unknown>, faults: readonly FinishFault[], needed: string | undefined): string[] {
  const required = schema["required"]
  const properties = isObject(schema["properties"]) ? schema["properties"] : {}
  const names = new Set(faults.map(({ path }) => path.split("/")[1] ?? ""))
  return [...names].flatMap((name) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    const value = args[name]
    if (!isObject(property) || value === undefined || name === needed || name === "branch") return []
    if (Array.isArray(required) && required.includes(name)) return []
    const asText = typeof value === "object" && value !== null && property["type"] === "string" && property["pattern"] === undefined
    if (asText) args[name] = JSON.stringify(value)
    else delete args[name]
    return [`${name}: it must be ${describe(property)}, and ${asText ? "is kept as JSON text" : "is left out"}`]
  })
}

const describe = ({ type, pattern }: Record<string, unknown>): string =>
  `of type ${JSON.stringify(type)}${typeof pattern === "string" ? ` and match ${pattern}` : ""}`

const neededFor = (status: unknown): string | undefined => (status === "SUCCESS" ? "result" : status === "ERROR" ? "error" : undefined)

const neededBy = (agent: Agent, args: Readonly<Record<string, unknown>>): string | undefined =>
  agent.finalizer === FINISH ? undefined : neededFor(args["status"])

/** B9: SUCCESS needs a result, ERROR needs an error, and neither may be blank. */
function emptiness(args: Readonly<Record<string, unknown>>): FinishFault[] {
  const needed = neededFor(args["status"])
  const value = needed === undefined ? undefined : args[needed]
  if (needed === undefined || (value !== undefined && typeof value !== "string")) return []
  if (value !== undefined && value.trim() !== "") return []
  return [{ path: `/${needed}`, message: `must not be empty when status is ${String(args["status"])}` }]
}

/** SUCCESS becomes complete; ERROR becomes error, with any partial result as artifacts. */
function asFinish({ status, result, error, ...rest }: JsonObject): JsonObject {
  if (status === "SUCCESS") return { ...rest, status: "complete", summary: result ?? "" }
  return { ...rest, status: "error", summary: error ?? "", ...defined({ artifacts: result }) }
}

/** Adds the list of valid branches to an error about `branch`. */
const named = (e: FinishFault, labels: readonly string[]): FinishFault =>
  /branch/.test(`${e.path} ${e.message}`) ? { path: e.path, message: `${e.message} (branch is one of: ${labels.join(", ")})` } : e

function finishedBy(finishing: Finishing, v: JsonObject, text: string | undefined): FactOf<"step.finished"> {
  const { agent, step, s } = finishing
  const status = v["status"] === "error" || v["status"] === "blocked" ? v["status"] : "complete"
  const outputs: Record<string, JsonObject[string]> = {}
  for (const o of agent.outputs) {
    // An output may have a name that every object has.
    const value = Object.hasOwn(v, o.name) ? v[o.name] : undefined
    if (value !== undefined) outputs[o.name] = value
  }
  const files = stepFiles(s.session?.wrote ?? [], v["files"] === undefined ? [] : readClaims(v["files"]).files)
  return {
    type: "step.finished",
    step: step.id,
    pass: s.pass,
    status,
    summary: typeof v["summary"] === "string" ? v["summary"] : "",
    files,
    outputs,
    ...(typeof v["artifacts"] === "string" ? { artifacts: v["artifacts"] } : {}),
    ...(status === "complete" ? taken(finishing, v["branch"]) : {}),
    ...(status === "complete" ? {} : { source: "agent_finish_error" as const }),
    ...defined({ text }),
  }
}

/** [F21] `branch` is the first of several in file order. */
function taken({ plan, step }: Finishing, branch: Json | undefined): { branch?: string; branches?: string[] } {
  if (typeof branch === "string") return { branch }
  if (!Array.isArray(branch)) return {}
  const labels = inFileOrder(step, branch.map(String), plan.graph.order)
  const [first] = labels
  return first === undefined ? {} : { branch: first, ...(labels.length > 1 ? { branches: labels } : {}) }
}
