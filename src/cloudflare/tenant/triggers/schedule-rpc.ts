// A tenant's schedules, as its object answers for them [W5]. A row and the alarm for it are one commit.

import type { Fired, ScheduleRow, ScheduleSettings } from "../../../ports/schedules.ts"
import type { ScheduleStore } from "./schedule-store.ts"
import type { Schedules } from "./schedules.ts"

export interface ScheduleDeps {
  readonly scheduleRows: ScheduleStore
  readonly schedules: Schedules
  readonly want: (at: number) => void
}

export class ScheduleRpc {
  readonly #deps: ScheduleDeps

  constructor(deps: ScheduleDeps) {
    this.#deps = deps
  }

  create(id: string, settings: ScheduleSettings): ScheduleRow | "too_many" {
    return this.#timed(this.#deps.scheduleRows.create(id, Date.now(), settings))
  }

  list(): ScheduleRow[] {
    return this.#deps.scheduleRows.list()
  }

  find(id: string): ScheduleRow | undefined {
    return this.#deps.scheduleRows.find(id)
  }

  replace(id: string, settings: ScheduleSettings): ScheduleRow | undefined {
    return this.#timed(this.#deps.scheduleRows.replace(id, settings, Date.now()))
  }

  remove(id: string): boolean {
    return this.#deps.scheduleRows.remove(id)
  }

  fire(id: string, act?: string): Promise<Fired | undefined> {
    return this.#deps.schedules.fire(id, act)
  }

  /** In the turn that wrote the row. */
  #timed<T extends ScheduleRow | "too_many" | undefined>(row: T): T {
    if (typeof row === "object" && row.next !== null) this.#deps.want(row.next)
    return row
  }
}
