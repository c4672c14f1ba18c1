// Defines the results of steps that a tenant keeps for equal passes of other runs [R39]. Its object owns them: none leaves the tenant.

import type { KeptPass } from "../../core/run/cached/kept-pass.ts"

export interface PassToKeep {
  readonly digest: string
  readonly flow: string
  readonly step: string
  /** When it goes (ms). */
  readonly until: number
  readonly kept: KeptPass
}

export interface CachedPasses {
  /** The result of an equal pass that another run asked at `since` (ms) or later. */
  find(wish: { readonly digest: string; readonly run: string; readonly since: number }): Promise<KeptPass | undefined>
  /** The newest result of a digest stays. Nothing happens where the storage is full or the run is gone. */
  keep(pass: PassToKeep): Promise<void>
  /** Forgets the results of a flow, or of one of its steps. */
  forget(flow: string, step?: string): Promise<void>
}
