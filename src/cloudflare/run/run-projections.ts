// Converts a run's events to other formats [E3], at a reader's place. A projection needs all earlier events to show the next one.

import { AguiFrames } from "../../protocols/agui/frames.ts"
import { A2aFrames } from "../../protocols/a2a/frames.ts"
import { ChatFrames } from "../../protocols/chat/frames.ts"
import { UiFrames } from "../../protocols/ui/frames.ts"
import { ResponsesFrames } from "../../protocols/responses/frames.ts"
import { Harness } from "../../core/run/views/harness.ts"
import { PiFlows } from "../../core/run/views/pi-flows.ts"
import { PublicEvents } from "../../core/run/views/public.ts"
import type { Plan } from "../../core/run/plan.ts"
import { Projections, type Projection } from "../../engine/run/projections.ts"
import type { EventFormat as NamedFormat } from "../../api/run/runs.ts"
import type { EventFormat } from "../../ports/run.ts"
import { PAGE_CHARS } from "./journal/journal-pages.ts"
import type { SqlJournal } from "./journal/journal-sql.ts"

const FRESH: Readonly<Record<NamedFormat, (plan: Plan) => Projection>> = {
  "pi-flows": (plan) => new PiFlows(plan),
  harness: () => new Harness(),
  chat: () => new ChatFrames(),
  a2a: () => new A2aFrames(),
  ui: () => new UiFrames(),
  responses: () => new ResponsesFrames(),
  agui: (plan) => new AguiFrames(plan),
}

export class RunProjections {
  readonly #kept: Projections

  constructor(journal: SqlJournal) {
    this.#kept = new Projections({ read: (after, limit) => journal.read(after, limit, PAGE_CHARS) })
  }

  /** A projection that has read the events up to `after`. It belongs to the caller. */
  at(plan: Plan, format: EventFormat, after: number): Projection {
    // Public events need no earlier ones.
    return format === "public" ? new PublicEvents(plan) : this.#kept.at(format, after, () => FRESH[format](plan))
  }

  /** Caches a projection for a reader that is likely to continue at this place. */
  keep(format: EventFormat, at: number, projection: Projection): void {
    if (format !== "public") this.#kept.keep(format, at, projection)
  }

  forget(): void {
    this.#kept.forget()
  }
}
