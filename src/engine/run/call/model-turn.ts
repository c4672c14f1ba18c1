// Knows one turn of an agent from both sides of its model: what the model is asked, and what the kernel gets of its reply. The same whether the
// model is asked at once or in a batch [R34].
//
// The run is read only before the first await, because it has changed by the time an answer arrives.

import { defined } from "../../../core/defined.ts"
import { canonical } from "../../../core/json.ts"
import { MAX_CALLS, MAX_REPLY_CHARS, readCalls } from "../../../core/run/session/calls.ts"
import { withinRoom } from "../../../core/run/session/request-room.ts"
import { start } from "../../../core/secrets/beginning.ts"
import { NO_SECRETS, type Redactor } from "../../../core/secrets/redact.ts"
import type { ToolCall } from "../../../core/run/event-parts.ts"
import type { PlanShown, Reply } from "../../../core/run/signal.ts"
import { stepState, type Run } from "../../../core/run/state.ts"
import { EXECUTE_PLAN } from "../../../core/tool/toolkits.ts"
import type { FinalMessage, ModelError, ModelRequest } from "../../../ports/model.ts"
import type { Performed } from "../conduct/stage.ts"
import { callDigests, promptDigest, requestDigest } from "./turn-digests.ts"
import { callingOf, type Calling } from "./calling.ts"
import { withRecorded, withResults } from "./given-result.ts"
import { sealState, withStates } from "../provider-state.ts"
import { readEarlier } from "../sticky-session.ts"
import type { EffectDeps } from "./effect-deps.ts"
import { requestFor } from "./model-request.ts"

/** Why a call failed is in the journal, and in what its run answers. */
const MAX_FAULT_CHARS = 2_000 // limit: characters of a failed call's message → the rest is cut
const MAX_START_CHARS = 2_000 // limit: characters kept of a reply that is too large → the rest is cut, and the model is told

type Choice = Exclude<Awaited<ReturnType<EffectDeps["choose"]>>, { error: ModelError }>
type Asked = Omit<ModelRequest, "body" | "redactor">

export interface ModelTurn {
  readonly ref: string
  readonly turn: number
  /** What the model is asked. */
  asked(chosen: Choice): Promise<Asked>
  /** `asked`, with what a model needs to send it. [F56] The digest of a request names its pictures by their hashes; their bytes are read only for a
   *  model that takes them. */
  sent(asked: Asked, redactor: Redactor): ModelRequest
  /** `batch`: with which the reply came. `final`: cleaned of secrets. */
  replied(asked: Asked, final: FinalMessage | undefined, redactor: Redactor, batch?: string): Promise<Performed>
  failed(error: ModelError, why: "config" | "unasked" | "asked", redactor?: Redactor, batch?: string): Performed
}

export function modelTurn(props: EffectDeps, run: Run, key: string, id: string): ModelTurn {
  const { request, turns, ref, turn } = requestFor(props, run, key, id)
  const earlier = stepState(run, id).session?.sticky?.chunks ?? []
  // [S9] An approval is bound to this call of this turn, and not to any similar call.
  const seen = run.rules.version
  const { plan } = run
  const recording = run.trial?.recording
  const place = [run.id, id, stepState(run, id).pass, turn]
  const calling = stepState(run, id).tools.includes(EXECUTE_PLAN) ? callingOf(run, id, key) : undefined
  const failed: ModelTurn["failed"] = (e, why, redactor, batch) => ({
    signal: {
      type: "model.failure",
      key,
      at: props.clock.now(),
      dice: props.clock.random(),
      ...defined({ batch }),
      failure: {
        message: start(e.message, MAX_FAULT_CHARS, redactor ?? NO_SECRETS),
        retryable: e.retryable,
        config: why === "config",
        ...(why === "unasked" ? { unasked: true } : {}),
        ...(e.overflow === true ? { overflow: true } : {}),
        ...(e.begun === true ? { begun: true } : {}),
        ...(e.called === true ? { called: true } : {}),
        ...defined({ status: e.status, retryAfter: e.retryAfter, stops: e.stops }),
      },
    },
  })
  return {
    ref,
    turn,
    failed,
    async asked(chosen) {
      const before = await readEarlier(props.blobs, earlier)
      return {
        ...request,
        messages: await withStates(props, ref, withinRoom([...before, ...turns])),
        model: chosen.id,
        ...defined({ thinking: chosen.thinking }),
      }
    },
    sent: (asked, redactor) => ({ ...asked, body: (hash) => props.blobs.get(hash), redactor }),
    async replied(asked, final, redactor, batch) {
      if (!final) return failed({ message: "the model's stream ended without an answer", retryable: true }, "asked", redactor, batch)
      const cut = cutOf(final)
      if (final.error && !cut) return failed(final.error, "asked", redactor, batch)
      // Of a reply that is too large the model sees the start again, so that it knows what it sent.
      const text = cut ? final.text.slice(0, MAX_START_CHARS) : final.text
      const given = await withResults(props, readCalls(final.toolCalls, { taken: text.length, hash: props.hash }), final.toolCalls)
      const toolCalls = await withRecorded(props, { recording, plan }, id, given)
      const taken = toolCalls.slice(0, MAX_CALLS)
      const rules = toolCalls.length > 0 ? await props.rules(seen) : undefined
      const plans = calling ? await plansShown(props, taken, calling) : {}
      const kept = await sealState(props, key, ref, final.state)
      return {
        ...defined({ states: kept && [kept.sealed] }),
        signal: {
          type: "model.reply",
          key,
          at: props.clock.now(),
          ...defined({ batch }),
          digests: callDigests(taken, ({ id: call, name, args }) =>
            props.hash(canonical([place, call, name, args, ...(plans[call] ? [plans[call]?.body] : [])])),
          ),
          ...(Object.keys(plans).length > 0 ? { plans } : {}),
          ...defined({ rules }),
          reply: {
            text,
            thinking: final.thinking,
            toolCalls,
            ...defined({ usage: final.usage, unbilled: final.unbilled }),
            stopReason: cut ? "length" : final.stopReason,
            ...(cut ? { cut } : final.stopReason === "length" ? { limit: asked.maxOutputTokens } : {}),
            ...defined({ responseModel: final.model }),
            system: promptDigest(plan, request.system, props.hash),
            request: requestDigest(plan, canonical({ ...asked, place: null }), props.hash),
            ...defined({ state: kept?.state }),
          },
        },
      }
    },
  }
}

/** [G6] A reply that is too large for the journal, whether it came whole or was not read to its end. */
function cutOf({ text, error }: FinalMessage): Reply["cut"] {
  const size = error?.tooLong ?? text.length
  return size > MAX_REPLY_CHARS ? { size, most: MAX_REPLY_CHARS } : undefined
}

/** [T41] The current plans that these calls want to execute. A plan that cannot be read is not executed. */
async function plansShown(props: EffectDeps, calls: readonly ToolCall[], calling: Calling): Promise<Record<string, PlanShown>> {
  const tool = props.tools.get(EXECUTE_PLAN)
  const shown: Record<string, PlanShown> = {}
  for (const { id, name, args } of tool ? calls : []) {
    const { planId } = args
    if (name !== EXECUTE_PLAN || tool === undefined || typeof planId !== "string") continue
    const { plans } = props.powers(tool, () => undefined, calling)
    const plan = await plans?.get(planId).catch(() => undefined)
    if (plan) shown[id] = { plan: plan.plan, planId: plan.planId, state: plan.state, body: plan.body }
  }
  return shown
}
