// The guard: may this call run? One pure judgment per tool call, made inside `admit` before anything happens, and again when a person
// has approved the call. Order [T3]: look up → arguments → policy → denylist → access, skills, secret scopes → approval.
//
// Fail closed: any error in the guard refuses the call [G10]. The model reads the reason of a refusal.

import { allowedBy } from "../../tool/policy/access.ts"
import type { Agent } from "../../flow/agent.ts"
import type { Json, JsonObject } from "../../json.ts"
import { normalizePath, unmentioned } from "../../text/path.ts"
import { askFor } from "../../tool/policy/approval.ts"
import { denied } from "../../tool/policy/denylist.ts"
import type { AskReason, Rules } from "../../tool/policy/policy.ts"
import { skillNetFault, skillPathFault, skillScopeFault } from "../../tool/policy/skill-permissions.ts"
import { sameTool } from "../../tool/policy/tool-names.ts"
import { absentTool } from "../../tool/absent-tool.ts"
import { goingOut, type Going } from "../../tool/reach.ts"
import { deniedCommand } from "../../tool/policy/shell-commands.ts"
import type { ToolSpec } from "../../tool/tool-spec.ts"
import { validateArgs } from "../../schema/validate-args.ts"
import { matchesGlob } from "../../tool/policy/tool-names.ts"
import { EXECUTE_PLAN } from "../../tool/toolkits.ts"
import { questionFault } from "./ask/interaction.ts"
import { isExecutable, whyNot } from "../../plans/plan-state.ts"
import { messageOf } from "../../text/fault-text.ts"
import { tooLarge } from "./calls.ts"
import { short } from "../../text/pointer.ts"
import type { RefusalCode, ToolCall } from "../event-parts.ts"
import type { PlanShown } from "../signal.ts"
import { isCaller } from "../own/caller.ts"
import { holderOf, mayHold, verdictFor, wished } from "./grant.ts"
import type { CallingSession } from "../effects/outside.ts"
import { writesDraft } from "../drafts.ts"
import { stepState, type Run, type Session } from "../state.ts"
import { holds, TOOL_SEARCH } from "./tool-search.ts"

export type Judgment =
  | { readonly allow: true; readonly args: JsonObject; readonly tool: ToolSpec; readonly ask?: AskReason; readonly log?: true }
  | { readonly allow: false; readonly code: RefusalCode; readonly reason: string }

/**
 * Judges a call of an open session of this step, or of an ended session that had the tool: its `caller` [K32]. `admit` judges `finish`,
 * which needs the step's schema and its latch [G2].
 */
export function judge(run: Run, step: string, call: ToolCall, rules: Rules, plan?: PlanShown, caller?: CallingSession): Judgment {
  try {
    return judgment(run, step, call, rules, plan, caller)
  } catch (e) {
    return refuse("policy", `the guard could not judge ${call.name}: ${messageOf(e, "unknown error")}`)
  }
}

function judgment(run: Run, step: string, call: ToolCall, rules: Rules, shown: PlanShown | undefined, caller?: CallingSession): Judgment {
  const { plan } = run
  const state = stepState(run, step)
  // [K32] A commit comes when the session that made the call is over: it was granted the tool then.
  const { session, tools: listed } = caller ? { session: caller, tools: [call.name] } : state
  const isHeld = caller !== undefined || holds(state, call.name)
  const agent = session && plan.agents[session.agent]
  if (!session || !agent) return refuse("undeclared", `step "${step}" has no session`)

  // Look up in the session's own list.
  if (call.name === "ask_user" && run.autonomous)
    return refuse("autonomous", "this run is autonomous: nobody can be asked. Decide yourself, or name the open questions in finish.")
  const tool = plan.tools.get(call.name)
  // [F26] A step that makes its calls itself reads no list.
  const may = `You may call: ${listed.join(", ")}.${state.session?.searched ? ` Find more with ${TOOL_SEARCH}.` : ""}`
  const others = isCaller(agent.name) ? "" : may
  if (tool && !mayHold(agent, tool)) return refuse("role", `${call.name} is not for agents of this role, declared or not. ${others}`)
  // [K10] The session was granted it, and it was deleted before this run was forked.
  if (!tool && isHeld && plan.missing?.has(call.name) !== true) return refuse("policy", `Tool '${call.name}' no longer exists. ${others}`)
  const verdict = tool && verdictFor(plan, agent, tool, rules.policy, session.model)
  if (!tool || !verdict || !isHeld) {
    if (tool && verdict && !verdict.granted && wished(plan, agent).has(call.name))
      return refuse("policy", `Tool '${call.name}' is not allowed by tool policy (${verdict.rule}). ${others}`)
    const reason = tool ? undefined : plan.missing?.get(call.name)
    if (reason !== undefined) return refuse("undeclared", `${absentTool(call.name, { reason })} ${others}`)
    return refuse("undeclared", `${call.name} is not among the tools of agent "${agent.name}". ${others}`)
  }
  // [G1] The tool was granted when the step opened. A later withdrawal applies at once, a later grant only from the next step on.
  if (!verdict.granted) return refuse("policy", `Tool '${call.name}' is not allowed by tool policy any more (${verdict.rule}). ${others}`)

  if (call.raw !== undefined)
    return refuse(
      "invalid_args",
      call.cut
        ? `${tooLarge(call.cut)}the arguments of ${call.name} ${call.cut.why}.`
        : `the arguments of ${call.name} are not a JSON object. Send one that fits its schema.`,
    )
  const checked = validateArgs(tool.parameters, call.args)
  if (!checked.ok)
    return refuse("invalid_args", `${call.name}: ${checked.error.map((e) => `${e.path || "arguments"}: ${e.message}`).join("; ")}`)
  const args = checked.value
  const unaskable = call.name === "ask_user" ? questionFault(args) : undefined
  if (unaskable !== undefined) return refuse("invalid_args", `ask_user: ${unaskable}`)

  const forbidden = denied(rules.policy.denylist, tool, args)
  if (forbidden !== undefined) return refuse("denylist", `${call.name} with these arguments is never run here: ${forbidden}`)
  const out = goingOut(tool, args)
  const skills = holderOf(plan, agent, session.model).skills ?? []
  const closed = pathFault(agent, tool, args, skills) ?? commandFault(agent, tool, args) ?? hostFault(out, tool, skills)
  if (closed !== undefined) return refuse("access", closed)
  const scope = scopeFault(tool, rules, skills)
  if (scope !== undefined) return refuse("scope", scope)

  // [G11] A person reads a draft before it is a definition: that is the approval. Where nobody has accepted what runs, nothing leaves to be asked
  // about: a read is answered from what was recorded, and a write is kept for a person [F77].
  const tainted = !writesDraft(run, tool) && run.unaccepted !== true && taintedOut(session, agent, out, rules)
  // [K32] A plan that was kept was judged when it was kept, and a plan never changes under its id.
  const executes = call.name === EXECUTE_PLAN && caller === undefined
  const fault = executes ? planFault(args["planId"], shown) : undefined
  if (fault !== undefined) return refuse("invalid_args", fault)
  const about = executes && shown ? { plan: { ...args, plan: shown.plan, body: shown.body } } : {}
  const asked = askFor({ policy: rules.policy, flow: plan.flow.approvals, agent, tool, args, tainted, ...about })
  return { allow: true, args, tool, ...(asked === undefined ? {} : "ask" in asked ? { ask: asked.ask } : { log: true }) }
}

const refuse = (code: RefusalCode, reason: string): Judgment => ({ allow: false, code, reason: reason.trimEnd() })

type Skills = Parameters<typeof skillPathFault>[0]

/** [G7] Checks every path argument, after normalizing, against the agent's globs and its skills' manifests. */
function pathFault(agent: Agent, tool: ToolSpec, args: JsonObject, skills: Skills): string | undefined {
  for (const side of ["read", "write"] as const) {
    const globs = agent.access[side]
    for (const name of tool.paths?.[side] ?? []) {
      const value = args[name]
      if (typeof value !== "string" || (value === "" && side === "read")) continue
      const path = normalizePath(unmentioned(value))
      if (!path.ok) return `${name}: ${path.error}`
      if (globs !== undefined && !allowedBy(globs, path.value))
        return `agent "${agent.name}" may ${side} only ${globs.join(", ")}; ${path.value} is outside`
      const fault = skillPathFault(skills, side, path.value)
      if (fault !== undefined) return fault
    }
  }
  return undefined
}

/** [G7] Advisory only: the real boundary is the file system that the shell sees. */
function commandFault(agent: Agent, tool: ToolSpec, args: JsonObject): string | undefined {
  const command = args["command"]
  if (agent.denied_commands === undefined || typeof command !== "string" || !isShell(tool)) return undefined
  const words = args["args"]
  const rest = Array.isArray(words) ? words.map((word) => ` '${(typeof word === "string" ? word : "").replaceAll("'", "'\\''")}'`) : []
  const line = command + rest.join("")
  const hit = deniedCommand(agent.denied_commands, line)
  return hit === undefined ? undefined : `agent "${agent.name}" must not run ${hit}`
}

/** `process.start` takes a command line too. */
const isShell = (tool: ToolSpec): boolean => sameTool(tool.same ?? tool.name, "bash") || tool.name === "process.start"

/** Begins the refusal of a call whose plan was never stored. */
export const NO_PLAN = "planId: there is no plan"

/** [T41] A plan that no one could read must not run: the plan of a call must have existed when the call came. */
function planFault(planId: Json | undefined, shown: PlanShown | undefined): string | undefined {
  if (shown === undefined || shown.planId !== planId)
    return `${NO_PLAN} ${short(JSON.stringify(planId ?? null))} to execute: store it first, and execute it in a later turn`
  return isExecutable(shown.state) ? undefined : whyNot(shown.planId, shown.state, "executing")
}

/** Judges a host that is known before the call; redirects are judged as they happen. */
function hostFault(out: Going | undefined, tool: ToolSpec, skills: Skills): string | undefined {
  if (out?.host !== undefined) return skillNetFault(skills, out.host, out.port)
  // A machine with network access reaches any host, and its requests cannot be judged one by one [T20].
  return out !== undefined && tool.groups?.includes("runtime") === true ? skillNetFault(skills, "*", out.port) : undefined
}

function scopeFault(tool: ToolSpec, rules: Rules, skills: Skills): string | undefined {
  const needed = tool.requiredSecretScopes ?? []
  const missing = needed.find((scope) => !rules.scopes.includes(scope))
  if (missing !== undefined) return `${tool.name} needs a secret that this tenant does not have: scope ${missing}. Nothing was sent.`
  return skillScopeFault(skills, needed)
}

/** [G11] A session that has read text from outside needs a person for each call that writes outside the run, and, once it has also read
 *  something private, for each call to a host that the policy does not list. */
function taintedOut(session: Pick<Session, "tainted" | "private">, agent: Agent, out: Going | undefined, rules: Rules): boolean {
  if (!session.tainted || !out || agent.effects?.after_untrusted === "allow") return false
  if (out.writes) return true
  const { host } = out
  return session.private && !(host !== undefined && rules.policy.network.allow.some((glob) => matchesGlob(glob, host)))
}
