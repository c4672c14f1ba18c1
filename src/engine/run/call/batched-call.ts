// Hands a model call to the run of the map above [R33], and hears what became of it in a batch [R34].

import { openCallOf } from "../../../core/run/batch/open-call.ts"
import { parseModelRef } from "../../../core/flow/model-ref.ts"
import { stepState, type Run } from "../../../core/run/state.ts"
import type { BatchedWord, HandedCall } from "../../../ports/batched-calls.ts"
import type { ModelError, ModelRequest } from "../../../ports/model.ts"
import type { Performed } from "../conduct/stage.ts"
import { cleanReply } from "../arrival.ts"
import type { EffectDeps } from "./effect-deps.ts"
import { modelTurn, type ModelTurn } from "./model-turn.ts"

type Choice = Exclude<Awaited<ReturnType<EffectDeps["choose"]>>, { error: ModelError }>

/** Hexadecimal digits of a call's name: providers take at most 64 characters. */
const ID_LENGTH = 40

/** The same after a crash, and another one after each failed try. */
const nameOf = ({ hash }: Pick<EffectDeps, "hash">, run: Run, key: string, step: string): string =>
  hash(`${run.id} ${key} ${stepState(run, step).session?.failures ?? 0}`).slice(0, ID_LENGTH)

/** Read from the run before the first await. */
export function handing(
  props: EffectDeps,
  run: Run,
  key: string,
  step: string,
): (call: ModelTurn, chosen: Choice, sent: ModelRequest) => Promise<Performed> {
  const [id, above, from] = [nameOf(props, run, key, step), run.batch, run.id]
  return async (call, chosen, sent) => {
    const body = await chosen.batched?.()?.body(sent)
    if (!above || !body) return call.failed({ message: `${call.ref} is no longer a model with a batch API`, retryable: false }, "config")
    if (!body.ok) return call.failed(body.error, body.error.retryable ? "unasked" : "config", sent.redactor)
    const ref = parseModelRef(call.ref)
    const handed: HandedCall = {
      ...body.value,
      id,
      step: above.step,
      pass: above.pass,
      run: from,
      key,
      provider: ref.kind === "provider" ? ref.provider : "",
      model: chosen.id,
    }
    if (await props.handOver?.(above.run, handed)) return { signal: { type: "model.batched", key } }
    return call.failed({ message: "the map that takes the calls of this run has ended", retryable: false }, "config")
  }
}

/** `not yet`: the call is still on its way up. undefined: nobody waits for this word. Rejects if something cannot be read now. */
export async function heardOf(props: EffectDeps, run: Run, word: BatchedWord): Promise<Performed | "not yet" | undefined> {
  const { key, batch, outcome } = word
  const open = openCallOf(run, key)
  if (!open || nameOf(props, run, key, open.step) !== word.id) return undefined
  if (open.batch) return "not yet"
  const call = modelTurn(props, run, key, open.step)
  const redactor = await props.redactor()
  if (outcome.kind === "lost")
    return call.failed({ message: "the provider does not report on this call of its batch", retryable: true }, "asked", redactor, batch)
  if (outcome.kind !== "answer") {
    const message = `the provider ${outcome.kind === "expired" ? "did not answer this call in time" : "canceled this call"}`
    return call.failed({ message, retryable: true }, "unasked", redactor, batch)
  }
  const chosen = await props.choose(call.ref)
  if ("error" in chosen) return chosen.error.retryable ? "not yet" : call.failed(chosen.error, "config", redactor, batch)
  const model = chosen.batched?.()
  if (!model)
    return call.failed({ message: `${call.ref} is no longer a model with a batch API`, retryable: false }, "config", redactor, batch)
  const asked = await call.asked(chosen)
  const final = await model.reply(call.sent(asked, redactor), outcome)
  return call.replied(asked, await cleanReply(final, redactor), redactor, batch)
}
