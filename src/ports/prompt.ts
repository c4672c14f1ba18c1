// Describes the prompt of a model's turn, as read from a run [J21].

export interface PromptRow {
  readonly kind:
    | "tools"
    | "context"
    | "skill"
    | "agent"
    | "search"
    | "rules"
    | "task"
    | "summary"
    | "reply"
    | "results"
    | "message"
    | "earlier"
  /** Of the agent or the skill. */
  readonly name?: string
  /** The file of the catalog that it comes from. */
  readonly source?: string
  /** Of the conversation: the turn that it belongs to, from 0. */
  readonly turn?: number
  /** Of results: the tools. */
  readonly names?: readonly string[]
  /** Tools, or the rows that one row stands for. */
  readonly count?: number
  readonly characters: number
  readonly tokens: number
  /** How many of these tokens came from the provider's cache. */
  readonly cached: number
  /** null: the price is not known, or the turn has no reply yet. */
  readonly usd: number | null
}

export interface PromptSeen {
  readonly step: string
  readonly pass: number
  readonly turn: number
  /** The event with which the turn was begun. */
  readonly seq: number
  readonly model: string
  /** Digests of the request and of its system prompt; null before the reply. */
  readonly request: string | null
  readonly system: string | null
  readonly revision: number | null
  readonly usage: { readonly input: number; readonly output: number; readonly cached: number; readonly cache_written: number } | null
  readonly usd: number | null
  readonly layers: readonly PromptRow[]
  readonly tools: readonly { readonly name: string; readonly rule: string; readonly characters: number; readonly tokens: number }[]
  /** Of the layer that was asked for. */
  readonly text?: string
  readonly cut?: boolean
}
