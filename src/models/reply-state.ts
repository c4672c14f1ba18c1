// Collects the data that a provider wants back with its own reply [J20], as text for the engine to keep: thinking with its signature,
// encrypted reasoning, marks on text and calls, in the order of the reply. `origin` names the provider, its address and the model; the data
// is sent to no other.

import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider"
import { defined } from "../core/defined.ts"
import { isObject } from "../core/json.ts"
import { MAX_STATE_CHARS, type ChatExtras } from "./chat-extras.ts"

/** One part of a reply. A text is a length, since the message itself holds it. */
export type KeptPart =
  | { readonly type: "reasoning"; readonly text: string; readonly meta: SharedV4ProviderMetadata }
  | { readonly type: "text"; readonly length: number; readonly meta?: SharedV4ProviderMetadata }
  | { readonly type: "call"; readonly meta?: SharedV4ProviderMetadata }

export interface ReplyState {
  readonly origin: string
  readonly parts?: readonly KeptPart[]
  readonly extras?: ChatExtras
}

export function writeState(state: ReplyState): string | undefined {
  const text = JSON.stringify(state)
  return text.length > MAX_STATE_CHARS ? undefined : text
}

/** Reads a stored state; undefined: there is none, or it belongs to another provider or model. */
export function readState(text: string | undefined, origin: string): ReplyState | undefined {
  if (text === undefined) return undefined
  const state: unknown = JSON.parse(text)
  // Only `writeState` writes it, and the seal keeps it unchanged.
  return isObject(state) && state["origin"] === origin ? (state as unknown as ReplyState) : undefined
}

interface Open {
  readonly type: "reasoning" | "text" | "call"
  readonly texts: string[]
  length: number
  meta: SharedV4ProviderMetadata
}

/** Collects the parts of one reply from the library's stream. */
export class ReplyParts {
  readonly #parts: Open[] = []
  readonly #byId = new Map<string, Open>()
  #size = 0

  take(part: LanguageModelV4StreamPart): void {
    // What is too large to be kept need not be held.
    if (this.#size > MAX_STATE_CHARS) return
    switch (part.type) {
      case "reasoning-start":
        return this.#begin(`r${part.id}`, "reasoning", part.providerMetadata)
      case "text-start":
        return this.#begin(`t${part.id}`, "text", part.providerMetadata)
      case "reasoning-delta":
        this.#size += part.delta.length
        this.#byId.get(`r${part.id}`)?.texts.push(part.delta)
        return this.#mark(`r${part.id}`, part.providerMetadata)
      case "text-delta": {
        const open = this.#byId.get(`t${part.id}`)
        if (open) open.length += part.delta.length
        return this.#mark(`t${part.id}`, part.providerMetadata)
      }
      case "reasoning-end":
        return this.#mark(`r${part.id}`, part.providerMetadata)
      case "text-end":
        return this.#mark(`t${part.id}`, part.providerMetadata)
      case "tool-call":
        return part.providerExecuted === true ? undefined : this.#begin(`c${part.toolCallId}`, "call", part.providerMetadata)
      default:
        return
    }
  }

  /** undefined: the provider wants nothing back, or more than is kept. */
  kept(): readonly KeptPart[] | undefined {
    if (this.#size > MAX_STATE_CHARS) return undefined
    const parts = this.#parts.flatMap((part): KeptPart[] => {
      const meta = wanted(part)
      if (part.type === "reasoning") return meta ? [{ type: "reasoning", text: part.texts.join(""), meta }] : []
      const marked = defined({ meta })
      return [part.type === "text" ? { type: "text", length: part.length, ...marked } : { type: "call", ...marked }]
    })
    return parts.some((part) => part.meta !== undefined) ? parts : undefined
  }

  #begin(id: string, type: Open["type"], meta: SharedV4ProviderMetadata | undefined): void {
    const open: Open = { type, texts: [], length: 0, meta: {} }
    this.#parts.push(open)
    this.#byId.set(id, open)
    this.#mark(id, meta)
  }

  #mark(id: string, meta: SharedV4ProviderMetadata | undefined): void {
    const open = this.#byId.get(id)
    if (!open || meta === undefined) return
    this.#size += JSON.stringify(meta).length
    for (const [provider, marks] of Object.entries(meta)) open.meta[provider] = { ...open.meta[provider], ...marks }
  }
}

/** The marks to send back. An item's id means nothing to a provider that stores nothing, and reasoning without its encrypted content is then
 *  an id alone, which OpenAI answers with 400. */
function wanted({ type, meta }: Open): SharedV4ProviderMetadata | undefined {
  const entries = Object.entries(meta).flatMap(([provider, marks]): [string, SharedV4ProviderMetadata[string]][] => {
    const given = Object.entries(marks).filter(([name, value]) => isGiven(value) && (type === "reasoning" || name !== "itemId"))
    const isLost = type === "reasoning" && "itemId" in marks && !isGiven(marks["reasoningEncryptedContent"])
    return given.length === 0 || isLost ? [] : [[provider, Object.fromEntries(given)]]
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null
