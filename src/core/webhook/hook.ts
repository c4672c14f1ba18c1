// Defines a hook [W1]: the flow that a delivery starts, the permitted senders, and how a delivery becomes the run's task and inputs.

import type { Json } from "../json.ts"
import type { Amount } from "../money/amount.ts"
import type { EffectsMode } from "../tool/policy/effects-modes.ts"
import type { TriggerStart } from "../start/start-schema.ts"
import type { GivenFiles } from "../run/given-file.ts"

export const HOOK_KINDS = ["github", "stripe", "slack", "standard", "hmac", "token"] as const
/** The signature scheme; `token` is a shared secret instead of a signature. */
export type HookKind = (typeof HOOK_KINDS)[number]

/** Templates over a delivery. */
export interface Mapping {
  readonly task?: string
  /** Values that are not text are used unchanged. */
  readonly inputs?: Readonly<Record<string, Json>>
  /** [F55] Path in the workspace → a file whose text, base64 or key is a template. */
  readonly files?: GivenFiles
  /** [P1] */
  readonly thread?: string
}

export interface HookSettings {
  readonly flow: string
  readonly kind: HookKind
  /** A scope of the vault. Any of its values is accepted, so a secret can be rotated. */
  readonly secret: string
  /** The header with the proof for `hmac` and `token`, in lowercase. The other kinds have fixed headers. */
  readonly header?: string
  readonly mapping: Mapping
  /** A filter over the body; a delivery that does not pass starts nothing. */
  readonly filter?: string
  /** [W3] A template for the id of a delivery, for `hmac` and `token`. */
  readonly dedupe?: string
  readonly autonomous: boolean
  /** [K30] */
  readonly effects?: EffectsMode
  readonly budget?: Amount
  /** [R1] Its keys are templates that see the trigger alone. */
  readonly start?: TriggerStart
  readonly enabled: boolean
}

/** The header that authenticates the sender. */
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

/** Kinds whose hooks configure the proof header and the delivery id themselves. */
export const isOwnKind = (kind: HookKind): boolean => kind === "hmac" || kind === "token"
