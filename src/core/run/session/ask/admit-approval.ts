// Admits a person's decision on a call [Q3], and the expiry of an approval [Q5]. An approval does not override the rules: a call that the
// rules now forbid is refused, and edited arguments go through every check again.

import { defined } from "../../../defined.ts"
import type { Rules } from "../../../tool/policy/policy.ts"
import { canonical, isObject, type Json, type JsonObject } from "../../../json.ts"
import { err, ok } from "../../../result.ts"
import { refuse, refused, type Admitted } from "../admit-session.ts"
import type { RefusalCode, ToolCall } from "../../event-parts.ts"
import type { Fact } from "../../event.ts"
import { judge } from "../guard.ts"
import { revisedContent } from "./interaction.ts"
import { confided, strange } from "../taint.ts"
import type { Answer, PlanShown } from "../../signal.ts"
import { stepState, type Interaction, type Run } from "../../state.ts"

export interface ApprovalAnswer {
  readonly body: Answer
  readonly by: string
  readonly outside: true | undefined
}

export function approval(run: Run, i: Interaction, { body, by, outside }: ApprovalAnswer, rules: Rules): Admitted {
  const call = callOf(run, i)
  if (!call) return refuse("already_answered")
  if (body.hash !== undefined && body.hash !== i.payload["hash"]) return refuse("other_hash")
  const { decision, feedback, cancelled } = body
  const isPlan = i.kind === "approval.plan"
  const answered: Fact = {
    type: "interaction.answered",
    id: i.id,
    by,
    ...defined({ decision, cancelled, feedback }),
    ...(isPlan && body.args !== undefined ? { args: body.args } : {}),
    ...strange(run, outside, body),
    ...confided(stepState(run, i.step), body),
  }
  if (isPlan && decision === "edit") {
    const content = revisedContent(i.payload["planId"] ?? null, body)
    return ok([answered, { type: "tool.returned", step: i.step, callId: call.id, tool: call.name, isError: false, content }])
  }
  if (decision !== "approve" && decision !== "edit") {
    const why = cancelled ? "the question was withdrawn" : `a person refused it${feedback ? `: ${feedback}` : ""}`
    return ok([answered, refused(i.step, call, codeOf(i), `${call.name} was not run: ${why}`)])
  }
  const shown: JsonObject = isObject(i.payload["args"]) ? (i.payload["args"] as JsonObject) : {}
  const verdict = judge(
    run,
    i.step,
    { ...call, args: decision === "edit" ? (body.args ?? {}) : shown },
    rules,
    isPlan ? planOf(i) : undefined,
  )
  if (verdict.allow) {
    const isOther = decision === "edit" && canonical(verdict.args) !== canonical(shown)
    const told = isOther || (feedback ?? "") !== "" ? { told: true as const } : {}
    return ok([{ ...answered, ...told, ...(decision === "edit" ? { args: verdict.args } : {}) }])
  }
  if (decision === "edit") return err({ code: "invalid", errors: [{ path: "/args", message: verdict.reason }] })
  return ok([answered, refused(i.step, call, verdict.code, verdict.reason)])
}

/** The plan as it was shown. At execution, the store checks whether the plan can still be executed. */
export function planOf({ payload }: Interaction): PlanShown {
  const { plan, planId, body } = payload
  const text = (value: Json | undefined): string => (typeof value === "string" ? value : "")
  return { plan: text(plan), planId: text(planId), state: "draft", body: isObject(body) ? (body as JsonObject) : {} }
}

/** Refuses a call that got no answer in time. A call is never approved by default. */
export function expired(run: Run, i: Interaction): Fact[] {
  // A server that asked hears that nobody answered: its call is made again.
  const call = i.kind === "elicitation" ? undefined : callOf(run, i)
  const gone: Fact = { type: "interaction.expired", id: i.id, ...defined({ default: i.default }) }
  return call ? [gone, refused(i.step, call, codeOf(i), `${call.name} was not run: nobody approved it in time`)] : [gone]
}

const codeOf = (i: Interaction): RefusalCode => (i.payload["reason"] === "tainted" ? "tainted" : "approval_rejected")

const callOf = (run: Run, i: Interaction): ToolCall | undefined =>
  stepState(run, i.step).session?.open.find((o) => o.call.id === i.callId)?.call
