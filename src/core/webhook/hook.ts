// A hook [W1]: which flow a delivery starts, who may send it, and what of it becomes the run's task and inputs.

import type { Json } from "../json.ts"
import type { Amount } from "../money/amount.ts"

export const HOOK_KINDS = ["github", "stripe", "slack", "standard", "hmac", "token"] as const
/** Whose way of signing it is; `token` is a shared word, not a signature. */
export type HookKind = (typeof HOOK_KINDS)[number]

/** Templates over a delivery. */
export interface Mapping {
  readonly task?: string
  /** Values that are not text are used as they are. */
  readonly inputs?: Readonly<Record<string, Json>>
}

export interface HookSettings {
  readonly flow: string
  readonly kind: HookKind
  /** The vault's scope: any of its values counts, so a secret can be rotated. */
  readonly secret: string
  /** Where an `hmac` or a `token` stands; lower case. The other kinds have theirs. */
  readonly header?: string
  readonly mapping: Mapping
  /** Over the body; a delivery that does not pass starts nothing. */
  readonly filter?: string
  /** [W3] `hmac` and `token`: what tells one delivery from another. */
  readonly dedupe?: string
  readonly autonomous: boolean
  readonly budget?: Amount
  readonly enabled: boolean
}

/** The header that proves who sends. */
export function proofHeader({ kind, header }: Pick<HookSettings, "kind" | "header">): string {
  switch (kind) {
    case "github":
      return "x-hub-signature-256"
    case "stripe":
      return "stripe-signature"
    case "slack":
      return "x-slack-signature"
    case "standard":
      return "webhook-signature"
    case "hmac":
      return header ?? "x-signature"
    case "token":
      return header ?? "authorization"
  }
}

/** Kinds whose hooks say themselves where the proof stands and what a delivery is told by. */
export const isOwnKind = (kind: HookKind): boolean => kind === "hmac" || kind === "token"
