// Tracks the bodies in R2 that this run owns according to its journal, and those not yet reported to the tenant. A body is owned from its
// put on, even if no event names it later. A stored key marks the reported part of the journal, so a run that wakes reads only the rest;
// without the key it reports everything again.

import { defined } from "../../core/defined.ts"
import type { RunEvent } from "../../core/run/event.ts"
import { namedBodies } from "../../core/run/named-bodies.ts"
import type { ListedRun } from "../../ports/tenant/run-list.ts"
import { fault } from "./run-fault.ts"
import type { SqlJournal } from "./journal/journal-sql.ts"
import { PAGE_CHARS, READ_AT_ONCE } from "./journal/journal-pages.ts"

const TOLD = "bodies_told"
/** Bodies that the tenant has heard of before an event named them: few, and perhaps none ever will. */
const UNNAMED = "bodies_unnamed"
/** A run that goes on tells by then what it owns; a body without owner is kept for much longer. */
const LATE_MS = 600_000
/** After so many events without a body the place is kept too. */
const FAR = 500

export class RunBodies {
  readonly #kv: SyncKvStorage
  readonly #journal: Pick<SqlJournal, "read" | "last">
  /** Hash → since when it is owed (ms). */
  readonly #owed = new Map<string, number>()
  readonly #told = new Set<string>()
  /** Stored in this life, and named by no event. */
  readonly #unnamed = new Set<string>()
  /** When the run last lost an effect, which may have stored a body that no event will name (ms); undefined: it has not, or has told so. */
  #lost: number | undefined
  /** The events up to here are in `owed` or were told; undefined: the journal was not read yet. */
  #upTo: number | undefined

  constructor(kv: SyncKvStorage, journal: Pick<SqlJournal, "read" | "last">) {
    this.#kv = kv
    this.#journal = journal
  }

  /** The body is stored. */
  put(hash: string): void {
    if (this.#told.has(hash)) return
    this.#unnamed.add(hash)
    this.#owe(hash)
  }

  /** An event names the body, which this life has seen or reads from the journal. */
  #name(hash: string): void {
    this.#unnamed.delete(hash)
    this.#owe(hash)
  }

  #owe(hash: string): void {
    if (!this.#told.has(hash) && !this.#owed.has(hash)) this.#owed.set(hash, Date.now())
  }

  committed(events: readonly RunEvent[]): void {
    const [first, last] = [events[0], events.at(-1)]
    if (!first || !last || first.seq !== (this.#upTo ?? 0) + 1) return
    for (const event of events) this.#heard(event, (hash) => this.#name(hash))
    this.#upTo = last.seq
  }

  /** Changes when the run has to report, although nothing else of it has changed. */
  late(now: number): string {
    const [oldest] = this.#owed.values()
    return oldest === undefined || now - oldest < LATE_MS ? "" : `bodies ${Math.floor(now / LATE_MS)}`
  }

  /** The report with the bodies that the tenant has not heard of. */
  withBodies(row: ListedRun): ListedRun {
    this.#read()
    const bodies = [...this.#owed.keys()]
    return { ...row, ...(bodies.length === 0 ? {} : { bodies }), ...defined({ lost: this.#lost }) }
  }

  /** The report has arrived. */
  told({ bodies = [], ended, lost }: Pick<ListedRun, "bodies" | "ended" | "lost">): void {
    const unnamed = bodies.filter((hash) => this.#unnamed.has(hash))
    // First the row: if it cannot be written, they are reported again.
    if (unnamed.length > 0) this.#kv.put(UNNAMED, [...this.#keptUnnamed(), ...unnamed])
    for (const hash of bodies) {
      this.#owed.delete(hash)
      this.#told.add(hash)
    }
    if (lost === this.#lost) this.#lost = undefined
    const upTo = this.#upTo ?? 0
    const isFar = upTo - Number(this.#kv.get(TOLD) ?? 0) >= FAR
    if (ended === undefined && this.#owed.size === 0 && (bodies.length > 0 || isFar)) this.#kv.put(TOLD, upTo)
  }

  /** All bodies that the run has ever named, and when it last lost an effect; undefined: the journal cannot be read. */
  owned(): Pick<ListedRun, "bodies" | "lost"> {
    const found = new Set([...this.#owed.keys(), ...this.#keptUnnamed()])
    try {
      this.#walk(0, (hash) => found.add(hash))
      return { bodies: [...found], ...defined({ lost: this.#lost }) }
    } catch (e) {
      fault("bodies", e)
      return {}
    }
  }

  #keptUnnamed(): readonly string[] {
    return this.#kv.get<readonly string[]>(UNNAMED) ?? []
  }

  /** The run is erased. */
  forget(): void {
    this.#unnamed.clear()
    this.#owed.clear()
    this.#told.clear()
    this.#lost = undefined
    this.#upTo = undefined
  }

  #read(): void {
    const last = this.#journal.last()
    if (this.#upTo !== undefined && this.#upTo >= last) return
    const from = this.#upTo ?? Number(this.#kv.get(TOLD) ?? 0)
    this.#walk(from, (hash) => this.#name(hash))
    this.#upTo = last
  }

  #walk(from: number, visit: (hash: string) => void): void {
    for (let at = from; ;) {
      const events = this.#journal.read(at, READ_AT_ONCE, PAGE_CHARS)
      for (const event of events) this.#heard(event, visit)
      const last = events.at(-1)
      if (!last) return
      at = last.seq
    }
  }

  #heard(event: RunEvent, visit: (hash: string) => void): void {
    for (const hash of namedBodies(event)) visit(hash)
    if (event.type === "action.lost") this.#lost = event.at
  }
}
