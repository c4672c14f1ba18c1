// Describes a column of the playground: the changes to the recorded turn, and the result.

import { defined } from "../../src/core/defined.ts"
import type { Thinking } from "../../src/core/flow/agent.ts"
import type { Json } from "../../src/core/json.ts"

export const LEVELS = ["off", "low", "medium", "high"] as const

/** A model's reply in a turn, as the API returns it. */
export interface ColumnAnswer {
  readonly model: string
  readonly thinking: Thinking | null
  readonly reply: {
    readonly text: string
    readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly args: Readonly<Record<string, Json>> }[]
  }
  readonly usage: { readonly input: number; readonly output: number }
  readonly cost: number | null
  readonly ms: number
}

/** The body of a try. */
export interface TurnWish {
  readonly model?: string
  readonly prompt?: string
  readonly thinking?: Thinking
}

export interface Column {
  readonly id: number
  readonly name: string
  /** Empty: as recorded. */
  readonly model: string
  readonly prompt: "recorded" | "draft" | "live" | "own"
  /** Of `own`. */
  readonly text: string
  readonly thinking?: Thinking
}

export interface Texts {
  readonly draft: string | undefined
  readonly live: string
}

/** The maximum number of columns beside the recorded one. */
export const MAX_COLUMNS = 3

/** The request of a column. */
export function wishOf({ model, prompt, text, thinking }: Column, { draft, live }: Texts): TurnWish {
  const words = prompt === "draft" ? (draft ?? live) : prompt === "live" ? live : prompt === "own" ? text : undefined
  return { ...(model.trim() === "" ? {} : { model: model.trim() }), ...defined({ prompt: words, thinking }) }
}

export type Alike = "same" | "arguments" | "other" | "none"

/** Compares an answer's calls with the recorded ones. Call ids come from the provider, so they are ignored. */
export function alike(recorded: Pick<ColumnAnswer, "reply"> | null, said: Pick<ColumnAnswer, "reply">): Alike {
  const before = recorded?.reply.toolCalls ?? []
  const now = said.reply.toolCalls
  if (now.length === 0 && before.length > 0) return "none"
  if (before.length !== now.length || before.some(({ name }, at) => now[at]?.name !== name)) return "other"
  return before.every(({ args }, at) => sorted(args) === sorted(now[at]?.args)) ? "same" : "arguments"
}

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  ) ?? ""

/** `86 % cheaper`; undefined: nothing to compare, or hardly a difference. */
export function costWords(recorded: number | null | undefined, now: number | null): string | undefined {
  if (recorded === null || recorded === undefined || now === null || recorded === 0) return undefined
  const percent = Math.round((1 - now / recorded) * 100)
  if (percent === 0) return undefined
  return percent > 0 ? `${percent}% cheaper` : `${-percent}% more expensive`
}
