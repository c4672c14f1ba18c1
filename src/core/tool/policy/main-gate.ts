// Judges tool calls from outside a run [T3]. They follow the same policy, denylist, secret scopes and approvals as calls in a session, but
// there is no one to ask, so a call that would ask is refused. The gate fails closed: when it throws, the call is refused [G10].

import type { JsonObject } from "../../json.ts"
import { messageOf } from "../../text/fault-text.ts"
import type { ToolSpec } from "../tool-spec.ts"
import { askFor } from "./approval.ts"
import { denied } from "./denylist.ts"
import type { Rules } from "./policy.ts"
import { verdictOf } from "./resolve.ts"

export interface Barred {
  readonly code: "policy" | "approval_required"
  readonly reason: string
}

/** The reason why the tool is unavailable outside a run, whatever the arguments; undefined: it is available. */
export function unlisted(tool: ToolSpec, { policy }: Rules): Barred | undefined {
  const verdict = verdictOf(tool, policy)
  return verdict.granted ? undefined : { code: "policy", reason: `${tool.name} is not allowed by the tenant's policy (${verdict.rule}).` }
}

/** The reason why a list marks the tool as absent: the policy, or a secret without a value; undefined: it is present. */
export function absence(tool: ToolSpec, rules: Rules): string | undefined {
  return unlisted(tool, rules)?.reason ?? missingSecret(tool, rules)
}

/** The reason for a refusal; undefined: the call may run. `args`: validated, with defaults. */
export function barred(tool: ToolSpec, args: JsonObject, rules: Rules): Barred | undefined {
  try {
    return judged(tool, args, rules)
  } catch (e) {
    return { code: "policy", reason: `the guard could not judge ${tool.name}: ${messageOf(e, "unknown error")}` }
  }
}

function judged(tool: ToolSpec, args: JsonObject, rules: Rules): Barred | undefined {
  const closed = unlisted(tool, rules)
  if (closed) return closed
  const forbidden = denied(rules.policy.denylist, tool, args)
  if (forbidden !== undefined) return { code: "policy", reason: `${tool.name} with these arguments is never run here: ${forbidden}` }
  const missing = missingSecret(tool, rules)
  if (missing !== undefined) return { code: "policy", reason: `${missing} Nothing was sent.` }
  const asked = askFor({ policy: rules.policy, tool, args })
  if (asked && "ask" in asked)
    return {
      code: "approval_required",
      reason: `${tool.name} needs a person's approval (${asked.ask}), which only a call inside a run can wait for.`,
    }
  return undefined
}

function missingSecret(tool: ToolSpec, { scopes }: Rules): string | undefined {
  const missing = (tool.requiredSecretScopes ?? []).find((scope) => !scopes.includes(scope))
  return missing === undefined ? undefined : `${tool.name} needs the secret "${missing}", which has no value (PUT /v1/secrets/${missing}).`
}
