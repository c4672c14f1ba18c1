// finish: the only way for an agent's step to end well [G2], [G5], [F20], [F51]. The schema that the model sees, and the binding check.
//
// One guard, two tools: an agent with `finalizer: subagent_finalize` reports SUCCESS or ERROR instead. Its report becomes the same
// finish, so no other code handles the second tool.

import type { Agent } from "../../flow/agent.ts"
import { finalizeSchema, finishSchema } from "../../flow/finish-schema.ts"
import { isObject, type JsonObject, type JsonSchema } from "../../json.ts"
import { ok, err, type Result } from "../../result.ts"
import { validateArgs } from "../../schema/validate-args.ts"
import { FileRef, type FactOf, type ToolCall } from "../event.ts"
import { labelFor, labelsOf, type Step } from "../../flow/flow.ts"

export const FINISH = "finish"

/** The tool that ends this agent's sessions; the agent does not have the other one. */
export const finishNameOf = (agent: Agent | undefined): Agent["finalizer"] => agent?.finalizer ?? FINISH

/** The fields of this agent's finish, for reminders, without `branch`. */
export function finishFields(agent: Agent): string[] {
  const own = agent.outputs.map((o) => o.name)
  if (agent.finalizer === FINISH) return ["status", "summary", ...own]
  return ["status (SUCCESS or ERROR)", "result (what you found; SUCCESS needs it)", "error (what went wrong; ERROR needs it)", ...own]
}

/** The same object each time: compiled schemas are cached by identity, and compiling costs more than the rest of a decision. */
export function schemaFor(agent: Agent, step: Step): JsonSchema {
  const labels = labelsOf(step)
  const key = JSON.stringify(labels ?? null)
  const cached = schemas.get(agent)
  const schema = cached?.get(key) ?? (agent.finalizer === FINISH ? finishSchema : finalizeSchema)(agent.outputs, labels)
  if (cached) cached.set(key, schema)
  else schemas.set(agent, new Map([[key, schema]]))
  return schema
}

const schemas = new WeakMap<Agent, Map<string, JsonSchema>>()

export type FinishFault = { readonly path: string; readonly message: string }

/** [F20] Only a finish with status `complete` needs `branch` and the required outputs. */
export function checkFinish(
  agent: Agent,
  step: Step,
  pass: number,
  call: ToolCall,
  text: string | undefined,
): Result<FactOf<"step.finished">, FinishFault[]> {
  if (call.raw !== undefined)
    return err([{ path: "", message: `the arguments of ${finishNameOf(agent)} ${call.cut?.why ?? "are not a JSON object"}` }])
  const args: Record<string, unknown> = { ...call.args }
  const labels = labelsOf(step)
  if (labels && typeof args["branch"] === "string") args["branch"] = labelFor(step, args["branch"]) ?? args["branch"]
  const schema = schemaFor(agent, step)
  const incomplete = args["status"] === "error" || args["status"] === "blocked" || args["status"] === "ERROR"
  if (incomplete && labels && args["branch"] !== undefined && !labels.some((l) => l === args["branch"])) delete args["branch"]
  const least = agent.finalizer === FINISH ? ["status", "summary"] : ["status"]
  const checked = validateArgs(incomplete ? { ...schema, required: least } : schema, args)
  const faults = [...(checked.ok ? [] : checked.error), ...(agent.finalizer === FINISH ? [] : emptiness(args))]
  if (!checked.ok || faults.length > 0) return err(labels ? faults.map((e) => named(e, labels)) : faults)
  return ok(finishedBy(agent, step.id, pass, agent.finalizer === FINISH ? checked.value : asFinish(checked.value), labels, text))
}

/** B9: SUCCESS needs a result, ERROR needs an error, and neither may be blank. */
function emptiness(args: Readonly<Record<string, unknown>>): FinishFault[] {
  const needed = args["status"] === "SUCCESS" ? "result" : args["status"] === "ERROR" ? "error" : undefined
  const value = needed === undefined ? undefined : args[needed]
  if (needed === undefined || (value !== undefined && typeof value !== "string")) return []
  if (value !== undefined && value.trim() !== "") return []
  return [{ path: `/${needed}`, message: `must not be empty when status is ${String(args["status"])}` }]
}

/** SUCCESS becomes complete; ERROR becomes error, with any partial result as artifacts. */
function asFinish({ status, result, error, ...rest }: JsonObject): JsonObject {
  if (status === "SUCCESS") return { ...rest, status: "complete", summary: result ?? "" }
  return { ...rest, status: "error", summary: error ?? "", ...(result === undefined ? {} : { artifacts: result }) }
}

/** Adds the list of valid branches to an error about `branch`. */
const named = (e: FinishFault, labels: readonly string[]): FinishFault =>
  /branch/.test(`${e.path} ${e.message}`) ? { path: e.path, message: `${e.message} (branch is one of: ${labels.join(", ")})` } : e

function finishedBy(
  agent: Agent,
  step: string,
  pass: number,
  v: JsonObject,
  labels: readonly string[] | undefined,
  text: string | undefined,
): FactOf<"step.finished"> {
  const status = v["status"] === "error" || v["status"] === "blocked" ? v["status"] : "complete"
  const outputs: Record<string, JsonObject[string]> = {}
  for (const o of agent.outputs) {
    const value = v[o.name]
    if (value !== undefined) outputs[o.name] = value
  }
  const files = Array.isArray(v["files"]) ? v["files"].filter(isObject).flatMap((f) => FileRef.safeParse(f).data ?? []) : []
  return {
    type: "step.finished",
    step,
    pass,
    status,
    summary: typeof v["summary"] === "string" ? v["summary"] : "",
    files,
    outputs,
    ...(typeof v["artifacts"] === "string" ? { artifacts: v["artifacts"] } : {}),
    ...(labels && status === "complete" && typeof v["branch"] === "string" ? { branch: v["branch"] } : {}),
    ...(status === "complete" ? {} : { source: "agent_finish_error" as const }),
    ...(text === undefined ? {} : { text }),
  }
}
