// Calls a model, from the request to the reply that the kernel gets.
//
// The run is read only before the first await, because it has changed by the time an answer arrives.

import { defined } from "../../../core/defined.ts"
import { canonical } from "../../../core/json.ts"
import type { Effect } from "../../../core/run/begin.ts"
import { MAX_CALLS, MAX_REPLY_CHARS, readCalls } from "../../../core/run/session/calls.ts"
import { withinRoom } from "../../../core/run/session/request-room.ts"
import { start } from "../../../core/secrets/beginning.ts"
import { NO_SECRETS, type Redactor } from "../../../core/secrets/redact.ts"
import type { ToolCall } from "../../../core/run/event-parts.ts"
import type { PlanShown, Reply } from "../../../core/run/signal.ts"
import { stepState, type Run } from "../../../core/run/state.ts"
import { EXECUTE_PLAN } from "../../../core/tool/toolkits.ts"
import { messageOf } from "../../../core/text/fault-text.ts"
import type { FinalMessage, ModelError, Stop } from "../../../ports/model.ts"
import type { Performed } from "../conduct/stage.ts"
import { cleanDelta, cleanReply } from "../arrival.ts"
import { callDigests, promptDigest, requestDigest } from "./turn-digests.ts"
import { callingOf, type Calling } from "./calling.ts"
import { withResults } from "./given-result.ts"
import { sealState, withStates } from "../provider-state.ts"
import { readEarlier } from "../sticky-session.ts"
import type { EffectDeps } from "./effect-deps.ts"
import { requestFor } from "./model-request.ts"

/** Why a call failed is in the journal, and in what its run answers. */
const MAX_FAULT_CHARS = 2_000 // limit: characters of a failed call's message → the rest is cut
const MAX_START_CHARS = 2_000 // limit: characters kept of a reply that is too large → the rest is cut, and the model is told

type ModelCall = Extract<Effect, { do: "call-model" }>

export async function callModel(props: EffectDeps, run: Run, { key, step: id }: ModelCall, stop: Stop): Promise<Performed> {
  const { request, turns, ref, turn } = requestFor(props, run, key, id)
  const earlier = stepState(run, id).session?.sticky?.chunks ?? []
  // [S9] An approval is bound to this call of this turn, and not to any similar call.
  const seen = run.rules.version
  const { plan } = run
  const place = [run.id, id, stepState(run, id).pass, turn]
  const calling = stepState(run, id).tools.includes(EXECUTE_PLAN) ? callingOf(run, id, key) : undefined
  let redactor: Redactor | undefined
  let isAsked = false
  const failed = (e: ModelError, why: "config" | "unasked" | "asked" = "asked"): Performed => ({
    signal: {
      type: "model.failure",
      key,
      at: props.clock.now(),
      dice: props.clock.random(),
      failure: {
        message: start(e.message, MAX_FAULT_CHARS, redactor ?? NO_SECRETS),
        retryable: e.retryable,
        config: why === "config",
        ...(why === "unasked" ? { unasked: true } : {}),
        ...(e.overflow === true ? { overflow: true } : {}),
        ...(e.begun === true ? { begun: true } : {}),
        ...(e.called === true ? { called: true } : {}),
        ...defined({ status: e.status, retryAfter: e.retryAfter }),
      },
    },
  })
  try {
    const chosen = await props.choose(ref)
    redactor = await props.redactor()
    const shown = redactor.stream()
    if ("error" in chosen) return failed(chosen.error, chosen.error.retryable ? "unasked" : "config")
    const before = await readEarlier(props.blobs, earlier)
    const asked = {
      ...request,
      messages: await withStates(props, ref, withinRoom([...before, ...turns])),
      model: chosen.id,
      ...defined({ thinking: chosen.thinking }),
    }
    props.asking(ref)
    isAsked = true
    let final: FinalMessage | undefined
    // [F56] The digest of a request names its pictures by their hashes; their bytes are read only for a model that takes them.
    const sent = { ...asked, body: (hash: string) => props.blobs.get(hash), redactor }
    const { model } = chosen
    for await (const chunk of model.play?.(sent, stop) ?? model.reply(sent, stop.signal)) {
      if (chunk.type === "final") final = await cleanReply(chunk, redactor)
      const delta = chunk.type === "text" ? await cleanDelta(chunk.text, shown) : chunk.error ? "" : shown.end()
      if (delta !== "") props.delta(id, turn, delta)
    }
    if (!final) return failed({ message: "the model's stream ended without an answer", retryable: true })
    const cut = cutOf(final)
    if (final.error && !cut) return failed(final.error)
    // Of a reply that is too large the model sees the start again, so that it knows what it sent.
    const text = cut ? final.text.slice(0, MAX_START_CHARS) : final.text
    const toolCalls = await withResults(props, readCalls(final.toolCalls, { taken: text.length, hash: props.hash }), final.toolCalls)
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
  } catch (e) {
    return failed({ message: messageOf(e, "the model could not be called"), retryable: true }, isAsked ? "asked" : "unasked")
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
