// Schedules in memory, for the HTTP tests: nothing fires by itself.

import type { Fired, ScheduleRow, ScheduleSettings, SchedulesPort } from "../../../src/ports/tenant/schedules.ts"

export class FakeSchedules implements SchedulesPort {
  readonly rows: ScheduleRow[] = []
  full = false
  fired: Fired = { run: "run_fired", verdict: "started" }

  async create(settings: ScheduleSettings) {
    if (this.full) return "too_many" as const
    const row = { ...settings, id: `sch_${this.rows.length}`, created: 0, next: settings.enabled ? 60_000 : null, last: null }
    this.rows.unshift(row)
    return row
  }
  async list() {
    return this.rows
  }
  async find(id: string) {
    return this.rows.find((row) => row.id === id)
  }
  async replace(id: string, settings: ScheduleSettings) {
    const at = this.rows.findIndex((row) => row.id === id)
    const before = this.rows[at]
    if (!before) return undefined
    const row = { ...settings, id, created: before.created, next: settings.enabled ? 60_000 : null, last: before.last }
    this.rows[at] = row
    return row
  }
  async remove(id: string) {
    const at = this.rows.findIndex((row) => row.id === id)
    if (at >= 0) this.rows.splice(at, 1)
    return at >= 0
  }
  async fire(id: string) {
    return (await this.find(id)) && this.fired
  }
}
