// A run's events in other formats than their own [E3], at a reader's place: what a projection tells of one event it knows from those before.

import { Harness } from "../../core/run/views/harness.ts"
import { PiFlows } from "../../core/run/views/pi-flows.ts"
import type { Plan } from "../../core/run/plan.ts"
import { Projections, type Projection } from "../../engine/run/projections.ts"
import type { EventFormat } from "../../ports/run.ts"
import { PAGE_CHARS } from "./journal-pages.ts"
import type { SqlJournal } from "./journal-sql.ts"

export class RunProjections {
  readonly #kept: Projections

  constructor(journal: SqlJournal) {
    this.#kept = new Projections({ read: (after, limit) => journal.read(after, limit, PAGE_CHARS) })
  }

  /** Wound forward; the caller's own. */
  at(plan: Plan, format: EventFormat, after: number): Projection {
    return this.#kept.at(format, after, () => (format === "harness" ? new Harness() : new PiFlows(plan)))
  }

  /** A reader is likely to come back to here. */
  keep(format: EventFormat, at: number, projection: Projection): void {
    this.#kept.keep(format, at, projection)
  }

  forget(): void {
    this.#kept.forget()
  }
}
