// Defines effects of runs [K31–K35] for HTTP routes and other runs.

import type { EffectRow } from "../../core/run/effects/ledger.ts"

export interface EffectLine extends EffectRow {
  /** The name under which the service may know that it has had the request. */
  readonly idempotency_key: string
}

/** An open effect in a run's report to its tenant. */
export interface OpenLine extends Pick<EffectRow, "key" | "state" | "tool" | "target" | "at"> {}

interface Gone {
  readonly ok: false
  readonly code: "not_found"
}
interface Lost {
  readonly ok: false
  readonly code: "definitions_lost"
  readonly why: string
}

export interface EffectsPort {
  /** In the order of the calls; undefined: there is no such run. */
  effects(): Promise<readonly EffectLine[] | undefined>
  /** [K34] The first word counts. */
  resolveEffect(
    key: string,
    happened: boolean,
    by: string,
  ): Promise<
    | { readonly ok: true; readonly effect: EffectLine }
    | { readonly ok: false; readonly code: "not_uncertain"; readonly effect: EffectLine }
    | Gone
    | Lost
  >
  /** [K35] `keys` absent: all that can be taken back. Idempotent. */
  undo(
    keys: readonly string[] | undefined,
    by: string,
  ): Promise<
    | { readonly ok: true; readonly keys: readonly string[] }
    | { readonly ok: false; readonly code: "run_not_over" }
    | { readonly ok: false; readonly code: "unknown_keys"; readonly keys: readonly string[] }
    | Gone
    | Lost
  >
}

export interface Settled {
  readonly state: "confirmed" | "failed" | "uncertain" | "refused" | "discarded"
  readonly reason?: string
}

/** The calls from the run whose person decides to the children that kept effects [K32]. */
export interface FamilyEffects {
  /** Resolves when the effect is settled, or soon with `under_way`: ask again. A repeat returns the same. */
  carryOut(key: string, by: string): Promise<Settled | { readonly state: "under_way" }>
  /** Nobody will choose what is left. Idempotent. */
  discard(): Promise<void>
}
