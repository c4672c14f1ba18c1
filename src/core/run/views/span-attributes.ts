// Builds the attributes of a span, by the GenAI semantic conventions [N9].

import { defined } from "../../defined.ts"
import { parseModelRef } from "../../flow/model-ref.ts"
import type { EventOf } from "../event.ts"

export type Attribute = string | number | boolean | readonly string[]

/** The outcome of a wait: its time has passed, its signal came or timed out, or it was withdrawn. */
export function waitEnd(e: EventOf<"step.finished">): string {
  if (e.status !== "complete") return e.source === "step_timeout" ? "expired" : "withdrawn"
  if (e.branch === "timeout") return "expired"
  return Object.hasOwn(e.outputs, "payload") ? "received" : "passed"
}

export const callKey = (e: { readonly step: string; readonly callId: string }): string => `call ${e.step} ${e.callId}`

export const operation = (name: string): Record<string, Attribute> => ({ "gen_ai.operation.name": name })

export const errorType = (failed: boolean, type: string): Record<string, Attribute> => (failed ? { "error.type": type } : {})

export const named = (what: string, model: Attribute | undefined): string => (typeof model === "string" ? `${what} ${model}` : what)

/** `provider/model[:thinking]` [F52]. */
export function modelOf(ref: string | undefined): Record<string, Attribute> {
  const read = ref === undefined ? undefined : parseModelRef(ref)
  if (read === undefined || read.kind === "role") return {}
  return { "gen_ai.request.model": read.id, ...(read.kind === "provider" ? { "gen_ai.provider.name": read.provider } : {}) }
}

export function usageOf(usage: EventOf<"model.replied">["usage"], cost: number | null): Record<string, Attribute> {
  return {
    "gen_ai.usage.input_tokens": usage.input,
    "gen_ai.usage.output_tokens": usage.output,
    ...defined({ "gen_ai.usage.cache_read.input_tokens": usage.cacheRead, "gen_ai.usage.cache_creation.input_tokens": usage.cacheWrite }),
    ...(cost === null ? {} : { "sluice.cost.usd": cost }),
  }
}
