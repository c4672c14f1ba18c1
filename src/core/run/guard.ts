// The guard: may this call run? One pure judgement per tool call, made inside `admit` before anything happens.
//
// Fail closed: whatever goes wrong in here refuses the call [G10]. A refusal's reason is what the model reads.

import type { Agent } from "../flow/agent.ts"
import { allowedBy } from "../access.ts"
import { normalisePath } from "../path.ts"
import type { JsonObject } from "../json.ts"
import type { ToolSpec } from "../tool-spec.ts"
import { validateArgs } from "../validate-args.ts"
import type { RefusalCode, ToolCall } from "./event.ts"
import type { Plan } from "./plan.ts"

export type Judgement =
  | { readonly allow: true; readonly args: JsonObject; readonly tool: ToolSpec }
  | { readonly allow: false; readonly code: RefusalCode; readonly reason: string }

export interface Bench {
  readonly plan: Plan
  readonly agent: Agent
  readonly autonomous: boolean
  /** The effective list stored on the step when it was opened [G1]. */
  readonly granted: readonly string[]
}

const ARCHITECT = "architect"

/** [G1], [F53] What an agent's session may call. `finish` is always among them; the list is the model's and the guard's. */
export function grantOf(plan: Plan, agent: Agent, autonomous: boolean): string[] {
  const mayHold = (t: ToolSpec): boolean => t.contexts.includes("agent") || (agent.role === ARCHITECT && t.contexts.includes("architect"))
  const granted = new Set<string>()
  if (agent.tools.kind === "list") {
    for (const name of agent.tools.names) {
      const tool = plan.tools.get(name)
      if (tool && mayHold(tool)) granted.add(name)
    }
  } else {
    for (const tool of plan.tools.values())
      if (tool.contexts.includes("agent") && !agent.tools.denied.includes(tool.name)) granted.add(tool.name)
  }
  granted.delete("ask_user")
  granted.delete("read_output")
  if (!autonomous && plan.tools.has("ask_user")) granted.add("ask_user")
  if (agent.skills.length > 0 && plan.tools.has("skill_read")) granted.add("skill_read")
  if (agent.skills.length === 0) granted.delete("skill_read")
  granted.add("finish")
  return [...granted]
}

/** `finish` itself is judged in admit: it needs the step's schema and its latch [G2]. */
export function judge(bench: Bench, call: ToolCall): Judgement {
  try {
    return judgement(bench, call)
  } catch (e) {
    return {
      allow: false,
      code: "policy",
      reason: `the guard could not judge ${call.name}: ${e instanceof Error ? e.message : "unknown error"}`,
    }
  }
}

function judgement({ plan, agent, autonomous, granted }: Bench, call: ToolCall): Judgement {
  if (call.name === "ask_user" && autonomous)
    return refuse("autonomous", "this run is autonomous: nobody can be asked. Decide yourself, or say what is open in finish.")
  const tool = plan.tools.get(call.name)
  if (tool && !tool.contexts.includes("agent") && !(agent.role === ARCHITECT && tool.contexts.includes("architect")))
    return refuse("role", `${call.name} is not for agents of this role, declared or not. You may call: ${granted.join(", ")}.`)
  if (!tool || !granted.includes(call.name))
    return refuse("undeclared", `${call.name} is not among the tools of agent "${agent.name}". You may call: ${granted.join(", ")}.`)
  if (call.raw !== undefined)
    return refuse("invalid_args", `the arguments of ${call.name} are not a JSON object. Send one that fits its schema.`)
  const args = validateArgs(tool.parameters, call.args)
  if (!args.ok) return refuse("invalid_args", `${call.name}: ${args.error.map((e) => `${e.path || "arguments"}: ${e.message}`).join("; ")}`)
  const closed = accessFault(agent, tool, args.value)
  if (closed !== undefined) return refuse("access", closed)
  return { allow: true, args: args.value, tool }
}

const refuse = (code: RefusalCode, reason: string): Judgement => ({ allow: false, code, reason })

/** [G7] Every argument that is a path, against the agent's globs, after normalising. */
function accessFault(agent: Agent, tool: ToolSpec, args: JsonObject): string | undefined {
  for (const side of ["read", "write"] as const) {
    const globs = agent.access[side]
    for (const name of tool.paths?.[side] ?? []) {
      const value = args[name]
      if (typeof value !== "string" || (value === "" && side === "read")) continue
      const path = normalisePath(value)
      if (!path.ok) return `${name}: ${path.error}`
      if (globs === undefined || allowedBy(globs, path.value)) continue
      return `agent "${agent.name}" may ${side} only ${globs.join(", ")}; ${path.value} is outside`
    }
  }
  return undefined
}
