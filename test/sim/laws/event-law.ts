// EventLaw: what must hold of one journal. It gets the events in order, as they become durable, and keeps what it needs of those before: a law
// costs the same at the thousandth event as at the first.

import type { RunEvent } from "../../../src/core/run/event.ts"
import type { Service } from "../platform/service.ts"
import type { StoredRow } from "./stored-journal.ts"

export interface EventLaw {
  /** `row`: what became durable together with the event. */
  take(event: RunEvent, say: (fault: string) => void, row: StoredRow): void
}

/** Whose journal it is. */
export interface Owner {
  readonly service: Service
  readonly tenant: string
  readonly run: string
}

/** Made for each journal. */
export type MakeLaw = (owner: Owner) => EventLaw
