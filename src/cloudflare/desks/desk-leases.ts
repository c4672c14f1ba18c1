// DeskLeases: records the leases of a tenant's desks (ports/desks.ts) in its object. Never exceeds a quota: a place counts as taken from
// the lease that grants it until its run has ended, or until the desk returns it. A lost desk keeps its places for as long as a run that
// took one may not have reported. A write that starts depend on is answered when every lease has been recalled, or has expired [F71].
// Everything is in rows: leases outlive this object's memory.

import { inTime } from "../../ports/timers.ts"
import { LEASE_MS, type Desk, type DeskAnswer, type DeskLease, type DeskReport, type DeskStarts } from "../../ports/desks.ts"
import type { ListedRun } from "../../ports/tenant/run-list.ts"

/** From so many starts in WINDOW_MS on, a tenant has desks. */
const BUSY_STARTS = 12 // limit: starts in 5 s → the tenant's next starts go to its desks
const WINDOW_MS = 5_000
/** Starts a second that one desk answers. */
const STARTS_PER_DESK = 100
const MAX_DESKS = 16
/** A desk holds at most this part of what is left, shared by all desks, so that a tenant near its quota is not refused for what desks hold. */
const SHARE = 4
const MAX_HELD = 64 // limit: places that a desk holds → it asks for more
/** A desk that does not answer is not waited for longer; its lease is. */
const RECALL_MS = 1_000 // limit: milliseconds that a write waits for a desk → it waits for the end of its lease
/** As long as the gate keeps the place of a run that has not reported. */
const UNREPORTED_MS = 30_000

type Row = {
  readonly n: number
  readonly epoch: string
  /** The last lease, and the last one that was recalled. */
  readonly lease: number
  readonly recalled: number
  readonly held: number
  readonly until: number
  /** Places of leases that are lost: runs may have them. */
  readonly lost: number
  readonly lost_until: number
}

const NEW: Omit<Row, "n" | "epoch"> = { lease: 0, recalled: 0, held: 0, until: 0, lost: 0, lost_until: 0 }

export interface LeasesDeps {
  /** The rows of the tenant's object: each write of what starts depend on is another version. */
  readonly sql: {
    readonly version: number
    read<Read extends Record<string, SqlStorageValue>>(query: string): readonly Read[]
    write(work: (sql: Pick<SqlStorage, "exec">) => void): void
  }
  readonly gate: () => { room(): DeskLease["limits"] & { readonly places: number }; began(run: string, at: number): void }
  readonly promises: { add(row: ListedRun): void }
  readonly desk: (n: number) => Pick<Desk, "flush" | "recall">
  readonly account: { since(): number | undefined; isGone(of: { readonly tenancy?: number }): boolean }
  readonly now: () => number
  readonly pause: (ms: number) => Promise<void>
  /** Different in each life of this object. */
  readonly life: string
}

export class DeskLeases {
  readonly #deps: LeasesDeps
  #rows: Map<number, Row> | undefined
  /** The version of the tenant that no lease is older than. */
  #settled = 0
  #settling: Promise<void> | undefined
  readonly #recalling = new Set<number>()
  #window = { since: 0, starts: 0, before: 0 }

  constructor(deps: LeasesDeps) {
    this.#deps = deps
  }

  /** So many starts have come. */
  saw(starts: number): void {
    const now = this.#deps.now()
    const { since, starts: seen } = this.#window
    if (now - since >= WINDOW_MS) this.#window = { since: now, starts, before: now - since < 2 * WINDOW_MS ? seen : 0 }
    else this.#window = { ...this.#window, starts: seen + starts }
  }

  /** How many desks the tenant's starts are spread over; undefined: it starts too little for that. */
  count(): number | undefined {
    const { since, starts, before } = this.#window
    const age = this.#deps.now() - since
    const busy = age >= 2 * WINDOW_MS ? 0 : age >= WINDOW_MS ? starts : Math.max(starts, before)
    if (busy < BUSY_STARTS) return undefined
    return Math.min(MAX_DESKS, Math.ceil(busy / (WINDOW_MS / 1_000) / STARTS_PER_DESK))
  }

  /** Places that desks hold, or may have given to runs that have not reported. */
  lent(): number {
    const now = this.#deps.now()
    let sum = 0
    for (const row of this.#all().values()) {
      if (row.until + UNREPORTED_MS > now) sum += row.held
      if (row.lost_until > now) sum += row.lost
    }
    return sum
  }

  /** The first half of a report: who has begun. The reports of runs are recorded after it, and the lease continues after them, all in one
   *  turn. */
  heard(report: DeskReport): void {
    const { desk, epoch, lease, free } = report
    const before = this.#of(desk, epoch)
    // While it is being recalled, the desk may still use what it has.
    const held = this.#recalling.has(desk) ? before.held : lease > before.recalled ? Math.min(free, before.held) : 0
    this.#all().set(desk, { ...before, held })
    this.#begin(report)
    this.saw(report.started.length)
  }

  /** The lease continues, if the desk wants it to and nothing speaks against it. */
  granted({ desk, epoch, lease, wants }: DeskReport): Pick<DeskAnswer, "lease" | "recalled"> {
    const { gate, now, sql } = this.#deps
    // [N3] Of a deleted tenant nothing is kept.
    if (this.#deps.account.since() === undefined) return { recalled: lease }
    const row = this.#of(desk, epoch)
    const answer = { recalled: row.recalled }
    if (this.#recalling.has(desk)) return (this.#put(row), answer)
    if (!wants) return (this.#put({ ...row, held: 0, until: 0 }), answer)
    // No lease is out that the last writes would have to recall.
    if (this.#leased().length === 0) this.#settled = sql.version
    const { places, ...limits } = gate().room()
    const desks = this.count() ?? 1
    const share = Math.min(MAX_HELD, Math.floor((places + row.held) / SHARE / desks))
    const next: Row = { ...row, lease: row.lease + 1, held: Math.max(row.held, share), until: now() + LEASE_MS }
    this.#put(next)
    return { ...answer, lease: this.#leaseOf(next, limits, desks) }
  }

  /** A write must be answered later: leases from before it are out. */
  get isStale(): boolean {
    return this.#settled !== this.#deps.sql.version && this.#leased().length > 0
  }

  /** Resolves when no lease is older than the last write. */
  async settle(): Promise<void> {
    while (this.isStale) await (this.#settling ??= this.#recallAll().finally(() => (this.#settling = undefined)))
    this.#settled = this.#deps.sql.version
  }

  /** All places come back, for a start that found none. false: there were none. */
  async recall(): Promise<boolean> {
    if (this.#leased().every(({ held }) => held === 0)) return false
    await (this.#settling ??= this.#recallAll().finally(() => (this.#settling = undefined)))
    return true
  }

  /** Before a list: what the desks have not reported yet. */
  async flush(): Promise<void> {
    const { desk, now } = this.#deps
    const recent = [...this.#all().values()].filter(({ until }) => until + UNREPORTED_MS > now())
    await Promise.all(recent.map(({ n }) => inTime(desk(n).flush(), RECALL_MS, () => undefined).catch(() => undefined)))
  }

  /** The tenant is deleted. */
  forget(): void {
    this.#rows = undefined
  }

  async #recallAll(): Promise<void> {
    const version = this.#deps.sql.version
    await Promise.all(this.#leased().map((row) => this.#recallOne(row)))
    this.#settled = version
  }

  async #recallOne({ n, lease, until }: Row): Promise<void> {
    const { desk, now, pause } = this.#deps
    this.#change(n, () => ({ recalled: lease }))
    this.#recalling.add(n)
    const said = await inTime<DeskStarts | undefined>(desk(n).recall(lease), RECALL_MS, () => undefined)
      .catch(() => undefined)
      .finally(() => this.#recalling.delete(n))
    if (said === undefined) {
      // It uses nothing of this lease once it has expired; runs that it gave places to may report after that.
      await pause(Math.min(LEASE_MS, Math.max(0, until - now())))
      this.#lose(n, lease, until + UNREPORTED_MS)
      return
    }
    this.#begin(said)
    this.#put({ ...this.#of(n, said.epoch), held: 0, until: 0 })
  }

  #lose(n: number, lease: number, lostUntil: number): void {
    this.#change(n, (row) =>
      row.lease === lease
        ? { held: 0, until: 0, lost: (row.lost_until > this.#deps.now() ? row.lost : 0) + row.held, lost_until: lostUntil }
        : {},
    )
  }

  #begin({ started, promises }: DeskStarts): void {
    const { account, gate } = this.#deps
    // A desk outlives its tenant, and then serves the next one of that name.
    for (const row of promises) if (!account.isGone(row)) this.#deps.promises.add(row)
    for (const run of started) if (!account.isGone(run)) gate().began(run.run, run.at)
  }

  /** The row of the desk; if it has lost its memory, what it held is lost. */
  #of(n: number, epoch: string): Row {
    const row = this.#all().get(n)
    if (row?.epoch === epoch) return row
    const fresh: Row = { n, epoch, ...NEW }
    if (!row) return fresh
    const now = this.#deps.now()
    const lost = (row.lost_until > now ? row.lost : 0) + (row.until + UNREPORTED_MS > now ? row.held : 0)
    return { ...row, epoch, held: 0, until: 0, recalled: row.lease, lost, lost_until: now + UNREPORTED_MS }
  }

  #leased(): readonly Row[] {
    const now = this.#deps.now()
    return [...this.#all().values()].filter(({ until }) => until > now)
  }

  #all(): Map<number, Row> {
    return (this.#rows ??= new Map(this.#deps.sql.read<Row>("SELECT * FROM desk").map((row) => [row.n, row])))
  }

  #change(n: number, to: (row: Row) => Partial<Row>): void {
    const row = this.#all().get(n)
    if (row) this.#put({ ...row, ...to(row) })
  }

  #put(row: Row): void {
    this.#all().set(row.n, row)
    this.#deps.sql.write((sql) =>
      sql.exec(
        "INSERT OR REPLACE INTO desk (n, epoch, lease, recalled, held, until, lost, lost_until) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        row.n,
        row.epoch,
        row.lease,
        row.recalled,
        row.held,
        row.until,
        row.lost,
        row.lost_until,
      ),
    )
  }

  #leaseOf({ lease, held }: Row, limits: DeskLease["limits"], desks: number): DeskLease {
    return { number: lease, ground: `${this.#deps.life}.${this.#deps.sql.version}`, places: held, limits, desks }
  }
}
