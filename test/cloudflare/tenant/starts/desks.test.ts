// Desks and the tenant's object under any interleaving [H6]: desks and the object die, calls between them are lost before or after they did
// their work, runs start and end, the tenant writes. Never more runs than the quota, never more starts in a minute; and a start that begins
// after a write was answered goes by that write [F71].

import fc from "fast-check"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { StartDesk } from "../../../../src/cloudflare/desks/desk.ts"
import { RunIndex } from "../../../../src/cloudflare/tenant/run-list/run-index.ts"
import { DeskLeases } from "../../../../src/cloudflare/desks/desk-leases.ts"
import { PromisedRuns } from "../../../../src/cloudflare/tenant/starts/promised-runs.ts"
import { StartGate } from "../../../../src/cloudflare/tenant/starts/start-gate.ts"
import { TenantSql } from "../../../../src/cloudflare/tenant/tenant-sql.ts"
import { pause } from "../../../../src/ports/timers.ts"
import type { Desk, DeskReport } from "../../../../src/ports/desks.ts"
import type { PinResult } from "../../../../src/ports/tenant/catalog.ts"
import type { ListedRun } from "../../../../src/ports/tenant/run-list.ts"
import { DEFAULT_QUOTAS } from "../../../../src/ports/tenant/tenants.ts"
import { amount } from "../../../support/amount.ts"
import { sqliteStorage } from "../../../support/cloudflare/sqlite-storage.ts"

const MINUTE_MS = 60_000
const DESKS = 3
const QUOTAS = { ...DEFAULT_QUOTAS, concurrent_runs: 24, starts_per_minute: 60 }

/** What befalls a call: nothing, or it fails before or after its work. */
type Fate = "arrives" | "is lost" | "loses its answer"

class World {
  readonly storage = sqliteStorage()
  readonly live = new Set<string>()
  readonly begun: number[] = []
  readonly desks = new Map<number, StartDesk>()
  fate: () => Fate
  life = 0
  /** The revision of the last write that was answered, and that of the last one that was made. */
  answered = 0
  revision = 0
  ids = 0
  index!: RunIndex
  promises!: PromisedRuns
  gate!: StartGate
  leases!: DeskLeases
  sql!: TenantSql

  constructor(fate: () => Fate) {
    this.fate = fate
    this.wake()
  }

  /** A new life of the tenant's object over the same rows. */
  wake(): void {
    const life = ++this.life
    // A life that is over reads and writes nothing.
    const alive = <A extends readonly unknown[], T>(work: (...args: A) => T): ((...args: A) => T) => {
      return (...args) => {
        if (life !== this.life) throw new Error("the object is dead")
        return work(...args)
      }
    }
    const { storage } = this
    const sql = new TenantSql({
      ...storage,
      sql: { ...storage.sql, exec: alive(storage.sql.exec) },
      transactionSync: alive(storage.transactionSync),
    } as DurableObjectStorage)
    const index = new RunIndex(sql, "t")
    const promises = new PromisedRuns(sql, index)
    const now = (): number => Date.now()
    const leases: DeskLeases = new DeskLeases({
      sql,
      promises,
      gate: () => gate,
      desk: (n) => this.#called(n),
      account: { since: () => 0, isGone: () => false },
      now,
      pause,
      life: String(this.life),
    })
    const gate = new StartGate({
      live: () => index.live(),
      promised: () => [...index.promised(), ...promises.all()],
      startedAfter: (since) => index.startedAfter(since),
      quotas: () => QUOTAS,
      full: () => undefined,
      lent: () => leases.lent(),
      dropped(run) {
        promises.remove(run)
        index.unpromise(run)
      },
      meet: () => false,
      now,
      pause,
    })
    Object.assign(this, { sql, index, promises, gate, leases })
  }

  async across<T>(work: () => T | Promise<T>): Promise<T> {
    const fate = this.fate()
    await pause(2)
    if (fate === "is lost") throw new Error("the call was lost")
    const done = await work()
    await pause(2)
    if (fate === "loses its answer") throw new Error("the answer was lost")
    return done
  }

  #called(n: number): Pick<Desk, "flush" | "recall"> {
    return {
      flush: () => this.across(() => this.desk(n).flush()),
      recall: (upTo) => this.across(() => this.desk(n).recall(upTo)),
    }
  }

  desk(n: number): StartDesk {
    const before = this.desks.get(n)
    if (before) return before
    const made = new StartDesk({
      number: n,
      epoch: `${n}/${this.ids++}`,
      tenant: {
        report: (report) => this.across(() => this.#report(report)),
        pin: () => this.across(() => this.pinned()),
        verify: async () => undefined,
        open: async () => ({ vault: {}, keys: {} }),
        rules: () => Promise.reject(new Error("nobody asks")),
      },
      clean: async (said) => said,
      later: (work) => void work.catch(() => undefined),
      meet: () => false,
      now: () => Date.now(),
      pause,
    })
    this.desks.set(n, made)
    return made
  }

  #report(report: DeskReport) {
    this.leases.heard(report)
    for (const row of report.notes) this.noted(row)
    return { ...this.leases.granted(report), noted: report.notes.map(() => ({ retention: 1 })) }
  }

  noted(row: ListedRun): void {
    this.index.note(row)
    this.promises.remove(row.id)
    this.gate.note(row.id, this.index.isOver(row.id))
  }

  pinned(): PinResult {
    const pins = { revision: this.revision, flow: { id: "f", hash: "" }, agents: {}, skills: {}, models: {} }
    return { ok: true, pins, flow: { id: "f", autonomous: false, task_required: false, inputs: {} }, rehearsed: false }
  }

  /** A start over a desk, or over the tenant's object if the desk cannot say. */
  async start(n: number): Promise<string | undefined> {
    const run = `run_${this.ids++}`
    const [least, before] = [this.answered, Date.now()]
    const start = { run, kind: "api" } as const
    const said = await this.across(() =>
      this.desk(n).pin({ flow: "f" }, { rehearse: false, start, row: { trigger: { kind: "api" } } }, false),
    ).catch(() => "ask" as const)
    const { life } = this
    const pinned =
      said !== "ask"
        ? said.pinned
        : await this.#direct(run).catch((e: unknown) => {
            if (life === this.life) throw e
            return undefined
          })
    if (!pinned?.ok || Date.now() - before > 20_000) return undefined
    expect(pinned.pins.revision).toBeGreaterThanOrEqual(least)
    this.live.add(run)
    this.begun.push(Date.now())
    this.check()
    void this.#tell(run, n, {})
    return run
  }

  async #direct(run: string): Promise<PinResult | undefined> {
    if (!this.gate.take(run).ok && !(await this.leases.recall())) return undefined
    if (!this.gate.take(run).ok) return undefined
    this.leases.saw(1)
    const view = { id: run, seq: 0 }
    this.promises.add({ id: run, flow: "f", status: "running", created: Date.now(), view })
    return this.pinned()
  }

  /** A run reports until its report is there. */
  async #tell(run: string, n: number, end: { ended?: number }): Promise<void> {
    const seq = end.ended === undefined ? 1 : 2
    const row: ListedRun = { id: run, flow: "f", status: "running", created: Date.now(), ...end, view: { id: run, seq } }
    for (let i = 0; ; i++) {
      const told = i === 0 ? this.across(() => this.desk(n).note(row)) : this.across(() => this.noted(row))
      // A desk that dies never answers.
      const isThere = await Promise.race([told.then(() => true), pause(1_500).then(() => false)]).catch(() => false)
      if (isThere) return
    }
  }

  end(run: string, n: number): void {
    this.live.delete(run)
    void this.#tell(run, n, { ended: Date.now() })
  }

  async write(): Promise<void> {
    this.sql.write((rows) => (rows.exec("DELETE FROM file WHERE id = ''"), this.revision++))
    const { revision, life } = this
    await this.leases.settle().catch((e: unknown) => {
      if (life === this.life) throw e
    })
    // A write whose object died was not answered.
    if (life === this.life) this.answered = Math.max(this.answered, revision)
  }

  check(): void {
    const now = Date.now()
    expect(this.live.size).toBeLessThanOrEqual(QUOTAS.concurrent_runs)
    expect(this.begun.filter((at) => at > now - MINUTE_MS).length).toBeLessThanOrEqual(QUOTAS.starts_per_minute)
  }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const act = fc.oneof(
  { weight: 12, arbitrary: fc.record({ do: fc.constant("start" as const), n: fc.nat(DESKS - 1), count: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("end" as const), n: fc.nat(DESKS - 1), count: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("time" as const), n: fc.integer({ min: 1, max: 4_000 }), count: fc.constant(1) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("write" as const), n: fc.constant(0), count: fc.constant(1) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("desk dies" as const), n: fc.nat(DESKS - 1), count: fc.constant(1) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("object dies" as const), n: fc.constant(0), count: fc.constant(1) }) },
)

test("[H6] [F71] quotas are never passed, and no start is pinned by what an answered write has replaced", async () => {
  let overDesks = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { minLength: 20, maxLength: 60 }),
      fc.nat(),
      fc.constantFrom(0, 0, 0.05, 0.25),
      async (acts, seed, loss) => {
        let state = seed % 2_147_483_647
        const dice = (): number => (state = (state * 48_271 + 11) % 2_147_483_647) / 2_147_483_647
        const world = new World(() => (dice() >= loss ? "arrives" : dice() < 0.5 ? "is lost" : "loses its answer"))
        const faults: unknown[] = []
        const work = (done: Promise<unknown>): void => void done.catch((e: unknown) => faults.push(e))
        for (const { do: what, n, count } of acts) {
          for (let i = 0; i < count; i++) {
            if (what === "start") work(world.start(n))
            const [first] = world.live
            if (what === "end" && first !== undefined) world.end(first, n)
          }
          if (what === "write") work(world.write())
          if (what === "desk dies") world.desks.delete(n)
          if (what === "object dies") world.wake()
          await vi.advanceTimersByTimeAsync(what === "time" ? n : 20)
          expect(faults).toEqual([])
        }
        overDesks += [...world.desks.values()].length
        // Whatever was lost, everything is in order again.
        world.fate = () => "arrives"
        await vi.advanceTimersByTimeAsync(10_000)
        for (const run of world.live) world.end(run, 0)
        await vi.advanceTimersByTimeAsync(2 * MINUTE_MS)
        expect(faults).toEqual([])
        world.gate.sweep()
        expect(world.gate.room().places).toBe(Math.min(QUOTAS.concurrent_runs, QUOTAS.starts_per_minute))
        vi.clearAllTimers()
      },
    ),
    { numRuns: amount(150, 40) },
  )
  expect(overDesks).toBeGreaterThan(0)
})

test("[J14] a desk whose tenant does not answer takes 2,000 reports, and the next run brings its own", async () => {
  const world = new World(() => "arrives")
  world.fate = () => "is lost"
  const row = (id: number): ListedRun => ({ id: `r${id}`, flow: "f", status: "succeeded", created: 1, ended: 2, view: { seq: 2 } })
  const refused: unknown[] = []
  // A hundred are on their way.
  for (let i = 0; i <= 2_100; i++)
    void world
      .desk(0)
      .note(row(i))
      .catch((e: unknown) => refused.push(e))
  await Promise.resolve()
  await Promise.resolve()
  expect(refused.map(String)).toEqual([expect.stringContaining("too many reports")])
  vi.clearAllTimers()
})
