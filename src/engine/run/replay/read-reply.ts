// Reads back a model's reply, or the failure of its call.

import { SILENT_MS } from "../../../core/run/session/paced.ts"
import { defined } from "../../../core/defined.ts"
import { EXECUTE_PLAN } from "../../../core/tool/toolkits.ts"
import { isObject, type JsonObject } from "../../../core/json.ts"
import { whyNot, PLAN_STATES } from "../../../core/plans/plan-state.ts"
import type { Rules } from "../../../core/tool/policy/policy.ts"
import type { EventOf, RunEvent } from "../../../core/run/event.ts"
import type { OwnCallsSignal, PlanShown, Signal } from "../../../core/run/signal.ts"
import { UNBOUND } from "../../../core/run/session/admit-session.ts"
import { NO_PLAN } from "../../../core/run/session/guard.ts"
import { settledBy, textOf } from "./read-fact.ts"

type ModelReply = Extract<Signal, { type: "model.reply" }>

export function modelReply(events: readonly RunEvent[], from: number, e: EventOf<"model.replied">, rules: Rules): ModelReply {
  const verdicts = verdictsOn(events, from)
  const { at, digests } = bindingsOf(e, verdicts, rules)
  const plans = plansOf(e, verdicts)
  return {
    type: "model.reply",
    key: e.key,
    at,
    digests,
    ...(Object.keys(plans).length > 0 ? { plans } : {}),
    ...defined({ batch: e.batch }),
    reply: {
      text: e.text,
      thinking: e.thinking ?? false,
      toolCalls: e.toolCalls,
      // An estimate is estimated again; a report that was believed is believed again, even where it says that nothing was used.
      usage: e.usage,
      ...(e.usage.estimated === undefined ? { unbilled: true } : {}),
      stopReason: e.stopReason,
      system: e.system ?? "",
      request: e.request ?? "",
      ...defined({ state: e.state, cut: e.cut, limit: e.limit, responseModel: e.responseModel }),
    },
  }
}

/** [F26] */
export function ownCalls(events: readonly RunEvent[], from: number, e: EventOf<"step.called">, rules: Rules): OwnCallsSignal {
  return { type: "step.calls", key: e.key, calls: e.toolCalls, ...bindingsOf(e, verdictsOn(events, from), rules) }
}

type Verdict = EventOf<"tool.refused"> | EventOf<"interaction.asked"> | EventOf<"finish.rejected"> | EventOf<"budget.settled">

/** The guard's verdicts on the calls of this reply. */
function verdictsOn(events: readonly RunEvent[], from: number): Verdict[] {
  const found: Verdict[] = []
  for (let i = from + 1; ; i++) {
    const e = events[i]
    if (e?.type !== "tool.refused" && e?.type !== "interaction.asked" && e?.type !== "finish.rejected" && e?.type !== "budget.settled")
      return found
    found.push(e)
  }
}

/** The digest that each call had, as far as it was ever shown: any other leads to the same facts. */
function bindingsOf(
  e: Pick<EventOf<"model.replied">, "toolCalls" | "at">,
  verdicts: readonly Verdict[],
  rules: Rules,
): { at: number; digests: Record<string, string> } {
  const digests = new Map(e.toolCalls.map(({ id }) => [id, ""]))
  let { at } = e
  for (const v of verdicts) {
    if (v.type === "tool.refused" && v.reason.endsWith(UNBOUND)) digests.delete(v.callId)
    if (v.type !== "interaction.asked" || v.callId === undefined) continue
    digests.set(v.callId, textOf(v.payload["hash"]))
    if (v.expires !== undefined) at = v.expires - rules.policy.approvals.expires
  }
  return { at, digests: Object.fromEntries(digests) }
}

/** The plans that this reply's calls want to execute, as far as the verdicts show them. */
function plansOf({ toolCalls, plans: judged = {} }: EventOf<"model.replied">, verdicts: readonly Verdict[]): Record<string, PlanShown> {
  const plans = new Map<string, PlanShown>()
  for (const { id, name, args } of toolCalls) {
    const { planId } = args
    if (name !== EXECUTE_PLAN || typeof planId !== "string") continue
    const verdict = verdicts.find((v) => "callId" in v && v.callId === id)
    const shown = { plan: "", planId, body: {}, state: "draft" as const, ...(Object.hasOwn(judged, id) ? judged[id] : {}) }
    if (verdict?.type === "interaction.asked") plans.set(id, { ...shown, ...planIn(verdict.payload) })
    else if (verdict?.type !== "tool.refused") plans.set(id, shown)
    else if (!verdict.reason.startsWith(NO_PLAN))
      plans.set(id, { ...shown, state: PLAN_STATES.find((s) => whyNot(planId, s, "executing") === verdict.reason) ?? shown.state })
  }
  return Object.fromEntries(plans)
}

const planIn = ({ plan, body }: JsonObject): { readonly plan: string; readonly body: JsonObject } => ({
  plan: textOf(plan),
  body: isObject(body) ? (body as JsonObject) : {},
})

export function modelFailure(e: EventOf<"model.failed">, events: readonly RunEvent[], from: number): Signal {
  const paid = settledBy(events, from, e.key)
  if (e.paced) return refusal(e, events[paid ? from + 2 : from + 1])
  const end = events[paid ? from + 2 : from + 1]
  // The failure is slightly older than its commit. After an overflow the next try is immediate.
  const at = Math.min(e.at, e.retryAt ?? e.at)
  // Another model takes over when this one must not be asked again in time.
  // [F35] The step's own retry ran it again.
  const isTakenUp = e.retryAt === undefined && end?.type === "step.finished" && end.source === "api_error" && end.hard !== true
  const retryAfter = e.fallback === undefined && !isTakenUp ? (e.retryAt ?? at) - at : Infinity
  return {
    type: "model.failure",
    key: e.key,
    at,
    // The wait is the one that was recorded, whatever the rule was then.
    dice: -1,
    ...defined({ batch: e.batch }),
    failure: {
      message: e.message,
      retryable: e.retryAt !== undefined || isTakenUp,
      ...(e.retryAt === undefined && !isTakenUp ? {} : { retryAfter }),
      ...defined({ status: e.status }),
      ...(e.overflow === true ? { overflow: true } : {}),
      ...(e.called === true ? { called: true } : {}),
      ...(e.lost === undefined && (e.status ?? 0) < 400 ? { unasked: true } : {}),
      ...((e.status ?? 0) >= 400 && Object.values(paid ?? {}).some((n) => n > 0) ? { begun: true } : {}),
      ...(e.retryAt === undefined && end?.type === "step.finished" && end.source === "config" ? { config: true } : {}),
    },
  }
}

/** [R31] A longer wait is told by the next event. */
function refusal({ key, at, message, status, retryAt = at, fallback }: EventOf<"model.failed">, next: RunEvent | undefined): Signal {
  const isTold = next?.type === "model.paced" && next.key === key && next.at === at
  const from = isTold ? Math.min(at, retryAt - SILENT_MS - 1) : Math.min(retryAt, Math.max(at, retryAt - SILENT_MS))
  const stops = fallback === undefined ? retryAt - from : Number.POSITIVE_INFINITY
  const failure = { message, retryable: true, stops, ...defined({ status }) }
  return { type: "model.failure", key, at: from, dice: -1, failure }
}
