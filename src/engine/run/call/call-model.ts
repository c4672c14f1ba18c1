// Calls a model, from the request to the reply that the kernel gets, or hands the call to the run above [R33].
//
// The run is read only before the first await, because it has changed by the time an answer arrives.

import type { Effect } from "../../../core/run/begin.ts"
import type { Redactor } from "../../../core/secrets/redact.ts"
import type { Run } from "../../../core/run/state.ts"
import { messageOf } from "../../../core/text/fault-text.ts"
import type { FinalMessage, Stop } from "../../../ports/model.ts"
import type { Performed } from "../conduct/stage.ts"
import { cleanDelta, cleanReply } from "../arrival.ts"
import { handing } from "./batched-call.ts"
import type { EffectDeps } from "./effect-deps.ts"
import { placeOf, stopping } from "./paced-call.ts"
import { modelTurn } from "./model-turn.ts"

type ModelCall = Extract<Effect, { do: "call-model" }>

export async function callModel(props: EffectDeps, run: Run, { key, step: id, batch }: ModelCall, stop: Stop): Promise<Performed> {
  const call = modelTurn(props, run, key, id)
  const hand = batch ? handing(props, run, key, id) : undefined
  const place = placeOf(props, run, key, id)
  const { ref, turn } = call
  let redactor: Redactor | undefined
  let isAsked = false
  try {
    const chosen = await props.choose(ref)
    redactor = await props.redactor()
    const shown = redactor.stream()
    if ("error" in chosen) return call.failed(chosen.error, chosen.error.retryable ? "unasked" : "config", redactor)
    const asked = await call.asked(chosen)
    const sent = call.sent(asked, redactor)
    if (hand) return await hand(call, chosen, sent)
    const gate = chosen.gate?.({ ...place.call, maxOutput: asked.maxOutputTokens })
    const turnOf = await gate?.pass(place.patience, stop)
    if (turnOf && turnOf !== "now") return { signal: { type: "model.paced", key, ...turnOf } }
    props.asking(ref)
    isAsked = true
    let final: FinalMessage | undefined
    const { model } = chosen
    for await (const chunk of model.play?.(sent, stop) ?? model.reply(sent, stop.signal)) {
      if (chunk.type === "final") final = await cleanReply(chunk, redactor)
      const delta = chunk.type === "text" ? await cleanDelta(chunk.text, shown) : chunk.error ? "" : shown.end()
      if (delta !== "") props.delta(id, turn, delta)
    }
    await gate?.done(final)
    return await call.replied(asked, gate ? stopping(final) : final, redactor)
  } catch (e) {
    return call.failed({ message: messageOf(e, "the model could not be called"), retryable: true }, isAsked ? "asked" : "unasked", redactor)
  }
}
