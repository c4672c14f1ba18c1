// The architect's sessions in memory, over a tenant's catalog in memory.

import { Staging } from "../../../src/engine/catalog/staging/staging.ts"
import type { Position, StagedRow, StagingStore } from "../../../src/engine/catalog/staging/staging-entry.ts"
import type { ArchitectSessionRow, SessionRow } from "../../../src/ports/tenant/authoring/architect.ts"
import type { Repair } from "../../../src/ports/tenant/authoring/repairs.ts"
import type { Bundle } from "../../../src/ports/tenant/catalog.ts"
import { stocked, world } from "./memory-catalog.ts"

class MemorySessions implements StagingStore {
  readonly #sessions = new Map<string, ArchitectSessionRow>()
  readonly #files = new Map<string, Map<string, StagedRow>>()
  readonly #repairs = new Map<string, Repair>()

  session(id: string): ArchitectSessionRow | undefined {
    return this.#sessions.get(id)
  }
  files(session: string): readonly StagedRow[] {
    return [...(this.#files.get(session)?.values() ?? [])].sort((a, b) => (a.path < b.path ? -1 : 1))
  }
  sessions(below: Position | undefined, limit: number): readonly SessionRow[] {
    const order = (a: Position, b: Position): number => b.created - a.created || (a.id < b.id ? 1 : -1)
    return [...this.#sessions.values()]
      .sort(order)
      .filter((s) => !below || order(below, s) < 0)
      .filter((s) => s.id !== below?.id)
      .slice(0, limit)
      .map((s) => ({ ...s, files: this.files(s.id).filter((f) => f.hash !== null).length }))
  }
  open(): number {
    return [...this.#sessions.values()].filter((s) => s.state === "open").length
  }
  save(session: ArchitectSessionRow, files: readonly StagedRow[] = []): void {
    this.#sessions.set(session.id, session)
    const mine = this.#files.get(session.id) ?? new Map<string, StagedRow>()
    this.#files.set(session.id, mine)
    for (const file of files) mine.set(file.path, file)
  }
  repair(session: string): Repair | undefined {
    return this.#repairs.get(session)
  }
  saveRepair(session: string, repair: Repair): void {
    this.#repairs.set(session, repair)
  }
  clear(session: string): void {
    this.#files.delete(session)
  }
  expire(at: number): void {
    for (const session of this.#sessions.values()) {
      if (session.at >= at) continue
      this.#sessions.delete(session.id)
      this.#files.delete(session.id)
      this.#repairs.delete(session.id)
    }
  }
}

/** `clock.now` is the staging's current time. */
export async function studio(bundle?: Bundle) {
  const w = bundle === undefined ? world() : await stocked(bundle)
  const clock = { now: 1_800_000_000_000 }
  const sessions = new MemorySessions()
  return { ...w, clock, sessions, staging: new Staging(w.catalog.ground, sessions, () => clock.now) }
}
