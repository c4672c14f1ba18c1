// Limits where a call may be redirected [G11, T31]. The guard has judged the address that the call names; a redirect names others, and an
// address in a tool's own definition is known only at the request.

import { matchesGlob } from "../../tool/policy/tool-names.ts"
import { skillNetFault } from "../../tool/policy/skill-permissions.ts"
import { goingOut } from "../../tool/reach.ts"
import type { JsonObject } from "../../json.ts"
import type { ToolSpec } from "../../tool/tool-spec.ts"
import { holderOf } from "./grant.ts"
import type { CallingSession } from "../effects/outside.ts"
import { stepState, type Run } from "../state.ts"

/**
 * Returns a function that says why an address must not be contacted, or undefined. It reads the run now, because the function is called
 * later. `caller`: a step with an open session, or a session that has ended [K32].
 */
export function hopJudge(
  run: Run,
  caller: string | CallingSession,
  tool: ToolSpec,
  args: JsonObject,
): (host: string, port: number) => string | undefined {
  const session = typeof caller === "string" ? stepState(run, caller).session : caller
  const agent = session && run.plan.agents[session.agent]
  if (!session || !agent) return () => "its session is over"
  const skills = holderOf(run.plan, agent, session.model).skills ?? []
  const careful = session.tainted && session.private && agent.effects?.after_untrusted !== "allow"
  // A tool that names no address calls one from the tenant's settings: the first that it asks is where the call was let go to.
  let named = goingOut(tool, args)?.host
  const isSet = tool.reach !== undefined && tool.reach.to === undefined
  const allow = run.rules.policy.network.allow
  return (host, port) => {
    const fault = skillNetFault(skills, host, port)
    if (fault !== undefined) return fault
    if (isSet) named ??= host
    if (!careful || host === named || allow.some((glob) => matchesGlob(glob, host))) return undefined
    return `${host} is not an approved address of this call, and this session has read private data and text from outside`
  }
}
