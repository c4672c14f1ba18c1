// Chooses the model that a try of a recorded turn asks [K19]: a named model is resolved as for a start [F52]; otherwise the recorded model is used.

import type { Thinking } from "../../../core/flow/agent.ts"
import { parseModelRef } from "../../../core/flow/model-ref.ts"
import { bareModel } from "../../../core/money/prices.ts"
import { ok, type Result } from "../../../core/result.ts"
import { isRehearsal, resolveModel, type ModelSettings } from "./model-choice.ts"

export interface ModelWish {
  readonly model?: string
  readonly thinking?: Thinking
}

/** `recorded`: the pinned reference of the turn's model. */
export function triedModel(recorded: string, { model, thinking }: ModelWish, settings: ModelSettings): Result<string, string> {
  if (model === undefined) return ok(leveled(recorded, thinking ?? parseModelRef(recorded).thinking))
  const found = resolveModel(model, thinking, settings)
  return found.ok ? ok(leveled(found.value, parseModelRef(found.value).thinking ?? parseModelRef(recorded).thinking)) : found
}

/** The rehearsal model has no thinking levels. */
const leveled = (ref: string, level: Thinking | undefined): string =>
  level === undefined || isRehearsal(ref) ? bareModel(ref) : `${bareModel(ref)}:${level}`
