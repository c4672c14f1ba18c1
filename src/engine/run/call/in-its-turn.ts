// Makes a model whose calls wait for their turn [R26]: of a try, a backtest or a summary, where nothing else can be done meanwhile.

import type { FinalMessage, Model, ModelRequest } from "../../../ports/model.ts"
import type { ModelGate, PacedCall } from "../../../ports/tenant/pacing.ts"

/** A wait is asked about again after so long. */
const PATIENCE_MS = 10_000

export function inItsTurn(
  model: Model,
  gate: ((call: PacedCall) => ModelGate) | undefined,
  place: Omit<PacedCall, "bytes" | "maxOutput">,
): Model {
  if (!gate) return model
  return {
    async *reply(request, signal) {
      const own = gate({ ...place, bytes: bytesOf(request), maxOutput: request.maxOutputTokens })
      while ((await own.pass(PATIENCE_MS, signal)) !== "now") if (signal.aborted) break
      let final: FinalMessage | undefined
      for await (const chunk of model.reply(request, signal)) {
        if (chunk.type === "final") final = chunk
        yield chunk
      }
      await own.done(final)
    },
  }
}

/** About: pictures are not counted, and what a provider adds is not known. */
const bytesOf = ({ system, messages, tools }: ModelRequest): number => JSON.stringify([system, messages, tools]).length
