// finish: the one way an agent's step ends well [G2], [G5], [F20], [F51]. The schema the model sees and the check that counts.
//
// One guard, two tools: an agent with `finalizer: subagent_finalize` says SUCCESS or ERROR instead; what it says becomes the same
// finish, so nothing behind this file knows of a second one.

import type { Agent } from "../../flow/agent.ts"
import { finalizeSchema, finishSchema } from "../../flow/finish-schema.ts"
import { isObject, type JsonObject, type JsonSchema } from "../../json.ts"
import { ok, err, type Result } from "../../result.ts"
import { validateArgs } from "../../schema/validate-args.ts"
import { FileRef, type FactOf, type ToolCall } from "../event.ts"
import { labelFor, labelsOf, type Step } from "../../flow/flow.ts"

export const FINISH = "finish"

/** The tool that ends this agent's sessions; the other one does not exist for it. */
export const finishNameOf = (agent: Agent | undefined): Agent["finalizer"] => agent?.finalizer ?? FINISH

/** What a finish of this agent is told in, for reminders: `branch` comes on top. */
export function finishFields(agent: Agent): string[] {
  const own = agent.outputs.map((o) => o.name)
  if (agent.finalizer === FINISH) return ["status", "summary", ...own]
  return ["status (SUCCESS or ERROR)", "result (what you found; SUCCESS needs it)", "error (what went wrong; ERROR needs it)", ...own]
}

/** The same object each time: what is compiled from a schema is kept by its identity, and costs more than a step's other thinking. */
export function schemaFor(agent: Agent, step: Step): JsonSchema {
  const labels = labelsOf(step)
  const key = JSON.stringify(labels ?? null)
  const known = schemas.get(agent)
  const schema = known?.get(key) ?? (agent.finalizer === FINISH ? finishSchema : finalizeSchema)(agent.outputs, labels)
  if (known) known.set(key, schema)
  else schemas.set(agent, new Map([[key, schema]]))
  return schema
}

const schemas = new WeakMap<Agent, Map<string, JsonSchema>>()

export type FinishFault = { readonly path: string; readonly message: string }

/** `branch` and required outputs are asked of a finish that says `complete`; an error or a block needs neither [F20]. */
export function checkFinish(
  agent: Agent,
  step: Step,
  pass: number,
  call: ToolCall,
  text: string | undefined,
): Result<FactOf<"step.finished">, FinishFault[]> {
  if (call.raw !== undefined) return err([{ path: "", message: `the arguments of ${finishNameOf(agent)} are not a JSON object` }])
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
  return ok(finishedBy(agent, step.id, pass, agent.finalizer === FINISH ? checked.value : inOurWords(checked.value), labels, text))
}

/** B9: SUCCESS without a result, ERROR without an error say nothing; white space says nothing either. */
function emptiness(args: Readonly<Record<string, unknown>>): FinishFault[] {
  const needed = args["status"] === "SUCCESS" ? "result" : args["status"] === "ERROR" ? "error" : undefined
  const value = needed === undefined ? undefined : args[needed]
  if (needed === undefined || (value !== undefined && typeof value !== "string")) return []
  if (value !== undefined && value.trim() !== "") return []
  return [{ path: `/${needed}`, message: `must not be empty when status is ${String(args["status"])}` }]
}

/** SUCCESS is complete, ERROR is error with what there is of a result as artifacts. */
function inOurWords({ status, result, error, ...rest }: JsonObject): JsonObject {
  if (status === "SUCCESS") return { ...rest, status: "complete", summary: result ?? "" }
  return { ...rest, status: "error", summary: error ?? "", ...(result === undefined ? {} : { artifacts: result }) }
}

/** A refused branch says which ones there are. */
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
