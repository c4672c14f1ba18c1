// Reads the line of starts: which wait, for what, and which runs hold a key.

import type { starts } from "../api/run/starts.ts"
import type * as shapes from "../api/doc/run/starts.doc.ts"
import type { StartRow } from "../api/doc/run/starts.doc.ts"
import { listed, Paged } from "./transport/paged.ts"
import { Part } from "./transport/part.ts"

export interface StartsOf {
  readonly flow?: string
  readonly pool?: string
  readonly key?: string
  readonly hook?: string
  readonly schedule?: string
  readonly api_key?: string
  readonly state?: StartRow["state"] | readonly StartRow["state"][]
  readonly limit?: number
}

export class StartsClient extends Part<typeof starts, typeof shapes> {
  /** Oldest first. */
  list({ state, ...of }: StartsOf = {}): Paged<StartRow> {
    return new Paged(this.transport, "/v1/starts", { ...of, state: listed(state) })
  }
}
