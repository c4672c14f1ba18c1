// Bulks [R42–R45] over a real store and made-up runs: what is done with each run, room, refusals, stops, and kills between any two commits.

import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { BulkStore } from "../../../../src/cloudflare/tenant/bulk/bulk-store.ts"
import { bulkRuns } from "../../../../src/cloudflare/tenant/bulk/bulk-runs.ts"
import { Bulks } from "../../../../src/cloudflare/tenant/bulk/bulks.ts"
import { RunIndex } from "../../../../src/cloudflare/tenant/run-list/run-index.ts"
import { TenantSql } from "../../../../src/cloudflare/tenant/tenant-sql.ts"
import type { JsonObject } from "../../../../src/core/json.ts"
import { isoTime } from "../../../../src/core/text/iso-time.ts"
import type { ForkRequest, ForkResult } from "../../../../src/ports/fork.ts"
import type { RunPort } from "../../../../src/ports/run.ts"
import type { BulkOrder } from "../../../../src/ports/tenant/bulks.ts"
import { sqliteStorage } from "../../../support/cloudflare/sqlite-storage.ts"

const DAY_MS = 86_400_000
const PLACES = 100

/** A tenant's runs, and everything that lives longer than its object. */
class World {
  readonly storage = sqliteStorage()
  readonly forked: ForkRequest[] = []
  readonly canceled: string[] = []
  readonly deleted: string[] = []
  /** New run → its source. */
  readonly made = new Map<string, string>()
  free = PLACES
  called = 0
  answer: ((asked: ForkRequest) => ForkResult | undefined) | undefined
  bulks: Bulks
  store: BulkStore
  index: RunIndex
  told: string[] = []
  /** Steps until the object is gone: a commit, or an answer that does not arrive. */
  kill = Number.POSITIVE_INFINITY
  /** Answers of deletions that do not arrive. */
  lost = 0
  #under: Promise<unknown>[] = []

  constructor() {
    ;({ bulks: this.bulks, store: this.store, index: this.index } = this.#wake())
  }

  /** A new life of the object. */
  wake(kill = Number.POSITIVE_INFINITY): void {
    this.kill = kill
    ;({ bulks: this.bulks, store: this.store, index: this.index } = this.#wake())
  }

  #wake() {
    const life = { isOver: false }
    const step = (): void => {
      if (life.isOver || --this.kill < 0) {
        life.isOver = true
        throw new Error("killed")
      }
    }
    const { storage } = this
    const sql = new TenantSql({
      ...storage,
      sql: storage.sql,
      transactionSync<T>(work: () => T): T {
        step()
        return storage.transactionSync(work)
      },
    } as DurableObjectStorage)
    const store = new BulkStore(sql, "t")
    const index = new RunIndex(sql, "t")
    const limits = () => ({ quota: PLACES, left: this.free, reset: 0 })
    const bulks = new Bulks({
      store,
      tenant: "t",
      runId: (letters) => `run_${letters}`,
      run: (id) => this.#run(id, step),
      source: (id) => index.source(id),
      room: () => ({ concurrent: limits(), starts: limits(), places: this.free }),
      called: () => this.called,
      tell: ({ status, done }) => this.told.push(`${status} ${done}`),
      want: () => undefined,
      later: (work) => void this.#under.push(work.catch(() => undefined)),
    })
    return { bulks, store, index }
  }

  #run(id: string, step: () => void): Pick<RunPort, "cancel" | "remove" | "fork"> {
    const run = {
      cancel: async () => {
        this.canceled.push(id)
        this.add(id, { status: "canceled" }, true)
        step()
        return {}
      },
      remove: async () => {
        const was = this.index.source(id) !== undefined
        if (was) this.deleted.push(id)
        this.storage.sql.exec("DELETE FROM run WHERE id = ?", id)
        step()
        if (this.lost-- > 0) throw new Error("Network connection lost.")
        return was
      },
      fork: async (asked: ForkRequest): Promise<ForkResult> => {
        const refused = this.made.has(id) ? undefined : this.answer?.(asked)
        if (refused) return refused
        if (!this.made.has(id)) this.forked.push(asked)
        this.made.set(id, asked.source)
        step()
        return { ok: true, view: {} } as unknown as ForkResult
      },
    }
    return run as unknown as Pick<RunPort, "cancel" | "remove" | "fork">
  }

  add(id: string, { status = "failed", view = {} }: { status?: string; view?: JsonObject } = {}, over = false): void {
    const ended = ["succeeded", "failed", "canceled"].includes(status) ? 2_000 : undefined
    const sql = new TenantSql(this.storage)
    const shown = { id, flow: "f", status, created: isoTime(1_000), seq: over ? 9 : 1, tags: [], trigger: { kind: "api" }, ...view }
    new RunIndex(sql, "t").note({ id, flow: "f", status, created: 1_000, ...(ended === undefined ? {} : { ended }), view: shown })
  }

  runs(count: number): string[] {
    const ids = Array.from({ length: count }, (_, i) => `run_${i}`)
    for (const id of ids) this.add(id)
    return ids
  }

  begin(order: Omit<BulkOrder, "by">, runs: readonly string[], id = "bulk_1"): void {
    this.store.add(id, { by: "ana", ...order }, runs, Date.now())
  }

  /** One ring of the alarm, when it is due. */
  async ring(): Promise<boolean> {
    const due = this.bulks.due()
    if (due === undefined || due > Date.now() + DAY_MS) return false
    vi.setSystemTime(Math.max(Date.now(), due))
    await this.bulks.work(Date.now())
    await Promise.all(this.#under.splice(0))
    return true
  }

  async rest(): Promise<void> {
    for (let n = 0; n < 5_000 && (await this.ring()); n++);
  }

  items(id = "bulk_1") {
    const found = this.store.items(id, { limit: 200 })
    if (!found || "badCursor" in found) throw new Error("no items")
    return found.data
  }
  get bulk() {
    return this.store.find("bulk_1")
  }
}

let world: World
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: 1_800_000_000_000 })
  world = new World()
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe("what is done with each run", () => {
  test("[R44] again: with the definitions of now, as the source's effects, tagged with the bulk; what goes on is skipped", async () => {
    const [a = "", b = "", c = "", d = ""] = world.runs(4)
    world.add(b, { status: "running" }, true)
    world.add(c, { status: "queued" }, true)
    world.begin({ action: "again", again: { tags: ["mended"], budget: { usd: 1 } } }, [a, b, c, d, "run_gone"])
    await world.rest()
    expect(world.forked).toMatchObject([
      {
        source: a,
        by: "ana",
        effects: "source",
        again: true,
        lined: true,
        patch: { revision: "latest" },
        from: {},
        tags: ["mended", "bulk_1"],
        budget: { usd: 1 },
      },
      { source: d },
    ])
    expect(world.items()).toEqual([
      { run: a, outcome: "done", new: world.forked[0]?.run },
      { run: b, outcome: "skipped", reason: "it goes on" },
      { run: c, outcome: "skipped", reason: "it waits for room and has not begun" },
      { run: d, outcome: "done", new: world.forked[1]?.run },
      { run: "run_gone", outcome: "skipped", reason: "it was deleted" },
    ])
    expect(world.bulk).toMatchObject({ status: "done", count: 5, done: 2, skipped: 3, failed: 0 })
    expect(world.told.at(-1)).toBe("done 2")
  })

  test("[R42] fork `failed`: at the step that failed the run, or at the beginning if it never opened", async () => {
    world.add("run_1", { view: { error: { step: "pay", source: "tool", message: "m" } } })
    world.add("run_2", { view: { error: { step: "never", source: "engine", message: "m" } } })
    world.add("run_3", { view: { error: { source: "engine", message: "m" } } })
    world.answer = ({ from }) =>
      "step" in from && from.step === "never" ? { ok: false, code: "not_forkable", why: { there: ["pay"], what: "step" } } : undefined
    world.begin({ action: "fork", fork: { from: "failed", effects: "staged" } }, ["run_1", "run_2", "run_3"])
    await world.rest()
    // Their ids are made side by side.
    const forked = world.forked.toSorted((a, b) => (a.source < b.source ? -1 : 1))
    expect(forked.map(({ source, from, effects }) => [source, from, effects])).toEqual([
      ["run_1", { step: "pay" }, "staged"],
      ["run_2", {}, "staged"],
      ["run_3", {}, "staged"],
    ])
  })

  test("[R44] cancel and delete: what ended is not canceled, and what goes on is not deleted", async () => {
    const [a = "", b = ""] = world.runs(2)
    world.add(b, { status: "waiting" }, true)
    world.begin({ action: "cancel" }, [a, b])
    world.begin({ action: "delete" }, [a, b], "bulk_2")
    await world.ring()
    expect([world.canceled, world.deleted]).toEqual([[b], [a]])
    await world.rest()
    expect(world.items().map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ["skipped", "it had ended"],
      ["done", undefined],
    ])
    expect(world.items("bulk_2").map(({ outcome }) => outcome)).toEqual(["done", "skipped"])
  })

  test("[R44] a refusal fails the run with its reason, and no other one", async () => {
    world.runs(3)
    world.answer = ({ source }) =>
      source === "run_1" ? { ok: false, code: "invalid", errors: [{ pointer: "/patch/inputs", message: "needs `a`" }] } : undefined
    world.begin({ action: "fork", fork: {} }, ["run_0", "run_1", "run_2"])
    await world.rest()
    expect(world.items()[1]).toEqual({ run: "run_1", outcome: "failed", reason: "/patch/inputs needs `a`" })
    expect(world.bulk).toMatchObject({ status: "done", done: 2, failed: 1 })
  })
})

describe("room", () => {
  test("[R44] ten at a time, and a tenth of the places stays free", async () => {
    const ids = world.runs(40)
    world.begin({ action: "again" }, ids)
    await world.ring()
    expect(world.forked).toHaveLength(10)
    world.free = 12
    await world.ring()
    expect(world.forked).toHaveLength(13)
    world.free = 9
    const before = Date.now()
    expect(world.bulks.due()).toBe(before + 2_000)
    await world.ring()
    expect(world.forked).toHaveLength(13)
    world.free = PLACES
    await world.rest()
    expect(world.forked).toHaveLength(40)
  })

  test("[R44] what starts nothing does not wait for room, and bulks share the ten", async () => {
    const ids = world.runs(30)
    world.free = 0
    world.begin({ action: "again" }, ids.slice(0, 10))
    world.begin({ action: "delete" }, ids.slice(10), "bulk_2")
    await world.ring()
    expect([world.forked.length, world.deleted.length]).toEqual([0, 5])
    await world.ring()
    await world.ring()
    expect(world.deleted.length).toBeGreaterThanOrEqual(15)
  })

  test("[R44] without room a start is tried again for a day, and others go on meanwhile", async () => {
    world.runs(3)
    const why = { ok: false, code: "quota", message: "no room", retry: 1, limits: {} } as unknown as Extract<
      ForkResult,
      { code: "refused" }
    >["why"]
    world.answer = ({ source }) => (source === "run_0" ? { ok: false, code: "refused", why } : undefined)
    world.begin({ action: "again" }, ["run_0", "run_1", "run_2"])
    const began = Date.now()
    await world.ring()
    expect(world.items().map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ["waiting", "no room"],
      ["done", undefined],
      ["done", undefined],
    ])
    await world.rest()
    expect(world.items()[0]).toMatchObject({ outcome: "failed", reason: "it could not be done within a day: no room" })
    expect(Date.now() - began).toBeGreaterThan(DAY_MS)
    expect(Date.now() - began).toBeLessThan(DAY_MS + 700_000)
  })
})

describe("stopping and keeping", () => {
  test("[R45] a stop begins no more; what was begun is finished", async () => {
    const ids = world.runs(25)
    world.begin({ action: "again" }, ids)
    await world.ring()
    world.store.stop("bulk_1")
    await world.rest()
    expect(world.bulk).toMatchObject({ status: "stopped", done: 10, count: 25 })
    expect(world.items().filter(({ outcome }) => outcome === "waiting")).toHaveLength(15)
    expect(world.forked).toHaveLength(10)
  })

  test("[R45] what may have been done before a stop is asked until it is known", async () => {
    world.begin({ action: "delete" }, world.runs(12))
    world.lost = 3
    await world.ring()
    world.store.stop("bulk_1")
    await world.rest()
    expect(world.bulk).toMatchObject({ status: "stopped", done: 10, count: 12 })
    expect(world.deleted).toHaveLength(10)
  })

  test("[R45] a bulk is kept for a week, and of more than a hundred the oldest leave; one under way stays", async () => {
    world.runs(1)
    world.free = 0
    world.begin({ action: "again" }, ["run_0"], "bulk_old")
    for (let n = 0; n < 101; n++) {
      vi.setSystemTime(Date.now() + 1)
      world.begin({ action: "cancel" }, [], `bulk_${n}`)
    }
    const ids = (limit: number) => {
      const found = world.store.list({ limit })
      return "badCursor" in found ? [] : found.data.map(({ id }) => id)
    }
    expect(world.store.find("bulk_0")).toBeUndefined()
    expect(world.store.find("bulk_1")).toBeDefined()
    expect(ids(2)).toEqual(["bulk_100", "bulk_99"])
    vi.setSystemTime(Date.now() + 7 * DAY_MS)
    await world.bulks.work(Date.now())
    expect(ids(200)).toEqual(["bulk_old"])
  })

  test("[R42] the runs are fixed when it is asked for, without children and tests", () => {
    world.runs(3)
    world.add("run_child", { view: { parent: { run: "run_0", step: "s", index: 0, depth: 1 } } })
    world.add("run_test", { view: { trigger: { kind: "test" } } })
    const sql = new TenantSql(world.storage)
    const ids = (wanted: Parameters<typeof bulkRuns>[1]) => bulkRuns(sql, wanted).runs.map(({ id }) => id)
    expect(ids({ filter: { status: ["failed"] } })).toEqual(["run_2", "run_1", "run_0"])
    expect(ids({ filter: { trigger: ["api", "child", "test"] } })).toEqual(["run_2", "run_1", "run_0"])
    expect(ids({ runs: ["run_1", "run_child", "run_test", "run_none", "run_0", "run_1"] })).toEqual(["run_1", "run_0"])
  })
})

test("[R44] while callers start runs, a bulk acts on one run at a time and rests between; otherwise on ten", async () => {
  const ids = world.runs(12)
  world.begin({ action: "again" }, ids)
  world.answer = () => {
    vi.setSystemTime(Date.now() + 50)
    return undefined
  }
  world.called = Date.now()
  await world.ring()
  expect(world.forked).toHaveLength(1)
  expect(world.bulks.due()).toBe(Date.now() + 300)
  // Nobody starts anything for a second.
  vi.setSystemTime(Date.now() + 1_000)
  await world.ring()
  expect(world.forked).toHaveLength(11)
  expect(world.bulks.due()).toBeLessThanOrEqual(Date.now())
  await world.rest()
  expect(world.bulk).toMatchObject({ status: "done", done: 12 })
})

test("[R44] 200 runs again, with kills between any two commits: each ends, and no source twice", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined)
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(60), { maxLength: 20 }),
      fc.constantFrom("again", "fork", "delete", "cancel"),
      async (kills, action) => {
        world = new World()
        const ids = world.runs(200)
        if (action === "cancel") for (const id of ids) world.add(id, { status: "running" }, true)
        world.begin({ action }, ids)
        for (const kill of kills) {
          world.wake(kill)
          for (let n = 0; world.kill >= 0 && n < 200; n++) if (!(await world.ring().catch(() => true))) break
        }
        world.wake()
        await world.rest()
        expect(world.bulk).toMatchObject({ status: "done", done: 200, skipped: 0, failed: 0 })
        const started = action === "again" || action === "fork"
        expect([...world.made.values()].toSorted()).toEqual(started ? ids.toSorted() : [])
        expect(world.deleted.toSorted()).toEqual(action === "delete" ? ids.toSorted() : [])
        if (started) expect(world.items().every(({ new: made }) => world.made.has(made ?? ""))).toBe(true)
      },
    ),
    { numRuns: 15 },
  )
})
