// The body of a file is deleted after its last owner is gone, and never before [F71]: random owners put, share, copy and leave bodies while the sweep
// is at work, is interrupted, or comes late.

import fc from "fast-check"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { bodyKey, r2Blobs } from "../../../../src/cloudflare/blobs/blobs-r2.ts"
import { BodyStore, GRACE_MS } from "../../../../src/cloudflare/tenant/bodies/body-store.ts"
import { BodySweep } from "../../../../src/cloudflare/tenant/bodies/body-sweep.ts"
import { RunIndex } from "../../../../src/cloudflare/tenant/run-list/run-index.ts"
import { SessionStore } from "../../../../src/cloudflare/tenant/sessions/session-store.ts"
import { TenantSql } from "../../../../src/cloudflare/tenant/tenant-sql.ts"
import { amount } from "../../../support/amount.ts"
import { sqliteStorage } from "../../../support/cloudflare/sqlite-storage.ts"

const HOUR = 3_600_000
const START = Date.UTC(2026, 5, 1)

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: START }))
afterEach(() => void vi.useRealTimers())

interface Stored {
  readonly body: Uint8Array
  readonly uploaded: Date
  readonly customMetadata: Record<string, string>
}

/** R2 with the members that bodies need. Each answer comes after a few turns, and may fail. */
function bucketAnd(turns: () => number) {
  const stored = new Map<string, Stored>()
  const state = { fails: 0 }
  const wait = async (): Promise<void> => {
    for (let n = turns(); n > 0; n--) await Promise.resolve()
    if (state.fails > 0 && --state.fails === 0) throw new Error("R2 does not answer")
  }
  const bucket = {
    async put(key: string, body: Uint8Array, options: { onlyIf?: Headers; customMetadata?: Record<string, string> }) {
      await wait()
      if (options.onlyIf && stored.has(key)) return null
      stored.set(key, { body, uploaded: new Date(), customMetadata: options.customMetadata ?? {} })
      return {}
    },
    async head(key: string) {
      await wait()
      const found = stored.get(key)
      return found ? { ...found, checksums: { sha256: await crypto.subtle.digest("SHA-256", found.body as BufferSource) } } : null
    },
    async get(key: string) {
      const found = stored.get(key)
      return found ? { ...found, arrayBuffer: async () => found.body.slice().buffer } : null
    },
    async delete(key: string) {
      await wait()
      stored.delete(key)
    },
  }
  return { bucket: bucket as unknown as R2Bucket, stored, state }
}

interface Owner {
  readonly named: Set<string>
  /** All that it ever put or named. */
  readonly had: Set<string>
  /** Named and not reported. */
  readonly owed: Set<string>
}

let tenants = 0

function house(turns: () => number = () => 0) {
  const tenant = `bodies-${++tenants}`
  const storage = sqliteStorage()
  const { bucket, stored, state } = bucketAnd(turns)
  const copies = new Map<string, string>()
  const cache = {
    get: async () => null,
    put: async () => undefined,
    delete: async (key: string) => void copies.delete(key),
  } as unknown as KVNamespace
  const owners = new Map<string, Owner>()
  const now = (): number => Date.now()
  const life = () => {
    const sql = new TenantSql(storage)
    const store = new BodyStore(sql, now, { want: () => undefined, isCopied: true })
    const sweep = new BodySweep({
      store,
      tenant,
      bucket,
      cache,
      definitions: async () => new Set(),
      now,
    })
    return { store, sweep, runs: new RunIndex(sql, tenant), sessions: new SessionStore(sql, now, (hashes) => store.left(hashes)) }
  }
  const is = { ...life() }
  const blobs = r2Blobs({ BLOBS: bucket, CACHE: cache } as never, tenant, undefined, { retain: (hash) => is.store.retain(hash) })
  const definitions = r2Blobs({ BLOBS: bucket, CACHE: cache } as never, tenant)
  const row = (id: string) => ({ id, flow: "f", status: "running", created: START, view: { seq: 1 } })
  return {
    is,
    blobs,
    definitions,
    bucket,
    cache,
    stored,
    state,
    owners,
    copies,
    key: (hash: string) => bodyKey(tenant, hash),
    has: (hash: string) => stored.has(bodyKey(tenant, hash)),
    evict: () => void Object.assign(is, life()),
    begin(id: string) {
      owners.set(id, { named: new Set(), had: new Set(), owed: new Set() })
      is.runs.note(row(id))
    },
    report() {
      for (const [id, { owed }] of owners) {
        if (owed.size > 0) is.store.own(id, [...owed])
        owed.clear()
      }
    },
    remove(id: string) {
      const owner = owners.get(id)
      owners.delete(id)
      is.runs.remove(id)
      is.store.gone(id, owner && [...owner.had])
    },
    /** As the alarm does. */
    async ring(most = 40) {
      for (let n = 0; n < most && (is.sweep.due() ?? Infinity) <= Date.now(); n++) await is.sweep.work(Date.now())
    },
  }
}

const text = (n: number): Uint8Array => new TextEncoder().encode(`text ${n}`)
const pass = (ms: number): void => void vi.setSystemTime(Date.now() + ms)

/** Hours of alarms that ring in time. */
async function hours(at: ReturnType<typeof house>, count: number): Promise<void> {
  for (let n = 0; n < count * 6; n++) {
    pass(HOUR / 6)
    at.report()
    await at.ring()
  }
}

test("[F71] the body of a deleted run is gone within a day, and a body that another run has is not", async () => {
  const at = house()
  for (const id of ["a", "b"]) at.begin(id)
  const [own, shared] = [await at.blobs.put(text(1)), await at.blobs.put(text(2))]
  for (const hash of [own, shared]) at.owners.get("a")?.had.add(hash)
  at.is.store.own("a", [own, shared])
  at.is.store.own("b", [shared])
  at.copies.set(at.key(own), "text 1")
  at.remove("a")
  await at.ring()
  expect(at.copies.size).toBe(0)
  await hours(at, 6)
  expect([at.has(own), at.has(shared)]).toEqual([false, true])
  at.is.store.gone("b")
  await hours(at, 6)
  expect(at.has(shared)).toBe(false)
  expect(at.is.sweep.due()).toBeUndefined()
})

test("[J25] what was said in a sticky session goes with it, and stays while a run has the same", async () => {
  const at = house()
  const [said, also] = [await at.blobs.put(text(10)), await at.blobs.put(text(11))]
  const claim = { agent: "a", id: "s", by: "run_1/a/1" }
  for (const chunk of [said, also]) {
    at.is.sessions.claim(claim)
    at.is.sessions.giveBack(claim, { chunk, bytes: 6, tainted: false, private: false })
  }
  at.begin("r")
  at.is.store.own("r", [also])
  at.is.sessions.remove("a", "s")
  await hours(at, 6)
  expect([at.has(said), at.has(also)]).toEqual([false, true])
})

test("[F71] a body that is a definition too is never deleted, whichever was first", async () => {
  const at = house()
  at.begin("a")
  const first = await at.definitions.put(text(20))
  await at.blobs.put(text(20))
  const later = await at.blobs.put(text(21))
  await at.definitions.put(text(21))
  at.is.store.own("a", [first, later])
  at.is.store.gone("a")
  await hours(at, 12)
  expect([first, later].map(at.has)).toEqual([true, true])
})

test("[F71] a body stays until its copy is deleted: afterwards nothing names the copy", async () => {
  const at = house()
  at.begin("a")
  const own = await at.blobs.put(text(30))
  at.is.store.own("a", [own])
  at.is.store.gone("a")
  await at.ring()
  pass(GRACE_MS)
  const { delete: leave } = at.cache
  at.cache.delete = () => Promise.reject(new Error("KV does not answer"))
  await expect(at.ring()).rejects.toThrow("KV does not answer")
  expect(at.has(own)).toBe(true)
  at.cache.delete = leave
  await at.ring()
  expect(at.has(own)).toBe(false)
})

test("[F71] a sweep that comes late lets runs report first", async () => {
  const at = house()
  for (const id of ["a", "b"]) at.begin(id)
  const shared = await at.blobs.put(text(40))
  at.is.store.own("a", [shared])
  at.is.store.gone("a")
  await at.ring()
  // Nothing here was awake for a night, and the run that has the body has not reported it.
  pass(12 * HOUR)
  await at.ring()
  at.is.store.own("b", [shared])
  await hours(at, 6)
  expect(at.has(shared)).toBe(true)
})

test("[F71] who puts a body at the moment of its deletion waits, and puts it again", async () => {
  const at = house()
  at.begin("a")
  at.begin("b")
  const own = await at.blobs.put(text(50))
  at.is.store.own("a", [own])
  at.is.store.gone("a")
  await at.ring()
  pass(GRACE_MS)
  let release = (): void => undefined
  const asked = new Promise<void>((seen) => {
    const { delete: remove } = at.bucket
    at.bucket.delete = async (key) => {
      seen()
      await new Promise<void>((done) => (release = done))
      return remove(key)
    }
  })
  const rings = at.ring()
  await asked
  const { put } = at.bucket
  const { retain } = BodyStore.prototype
  const acts = new Promise<void>((done) => {
    at.is.store.retain = function held(hash) {
      done()
      return retain.call(this, hash)
    }
    at.bucket.put = (async (...args: Parameters<typeof put>) => {
      const stored = await put(...args)
      done()
      return stored
    }) as typeof put
  })
  const puts = at.blobs.put(text(50))
  await acts
  release()
  await Promise.all([rings, puts])
  expect(at.has(own)).toBe(true)
})

test("[J10] a sweep that was interrupted after a deletion leaves what was put since", async () => {
  const at = house()
  at.begin("a")
  const own = await at.blobs.put(text(60))
  at.is.store.own("a", [own])
  at.is.store.gone("a")
  await at.ring()
  pass(GRACE_MS)
  // The body is deleted, and the row that says it is due is not.
  at.stored.delete(at.key(own))
  await at.blobs.put(text(60))
  at.evict()
  await at.ring()
  expect(at.has(own)).toBe(true)
})

type Step =
  | { readonly do: "begin" }
  | { readonly do: "put"; readonly run: number; readonly text: number; readonly names: boolean }
  | { readonly do: "copy"; readonly run: number; readonly from: number }
  | { readonly do: "remove"; readonly run: number }
  | { readonly do: "say"; readonly session: number; readonly text: number }
  | { readonly do: "forget"; readonly session: number }
  | { readonly do: "define"; readonly text: number }
  | { readonly do: "evict" }
  | { readonly do: "fail"; readonly at: number }
  | { readonly do: "pass"; readonly minutes: number }
  | { readonly do: "sleep"; readonly hours: number }

const which = fc.nat({ max: 4 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant("begin" as const) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("put" as const), run: which, text: which, names: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("copy" as const), run: which, from: which }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("remove" as const), run: which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("say" as const), session: which, text: which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("forget" as const), session: which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("define" as const), text: fc.integer({ min: 4, max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("evict" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("fail" as const), at: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("pass" as const), minutes: fc.integer({ min: 1, max: 300 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("sleep" as const), hours: fc.integer({ min: 1, max: 20 }) }) },
)

test("[F71] random owners: a body is there as long as anybody has it, and gone a day later", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), fc.infiniteStream(fc.nat({ max: 3 })), async (steps, turns) => {
      const at = house(() => Number(turns.next().value))
      const ids: string[] = []
      const said = new Map<number, Set<string>>()
      const defined = new Set<string>()
      const left = new Set<string>()
      const ofRun = (n: number): readonly [string, Owner] | undefined => {
        const live = ids.filter((id) => at.owners.has(id))
        const id = live[n % Math.max(1, live.length)]
        const owner = id === undefined ? undefined : at.owners.get(id)
        return id !== undefined && owner ? [id, owner] : undefined
      }
      const holds = (): void => {
        const wanted = [
          ...[...at.owners.values()].flatMap(({ named }) => [...named]),
          ...[...said.values()].flatMap((of) => [...of]),
          ...defined,
        ]
        for (const hash of wanted) expect(at.has(hash), "a body that somebody has").toBe(true)
      }
      const working: Promise<unknown>[] = []
      const act = async (what: Step): Promise<void> => {
        switch (what.do) {
          case "begin":
            ids.push(`run_${ids.length}`)
            return at.begin(ids.at(-1) ?? "")
          case "put": {
            const found = ofRun(what.run)
            // A step may fail after its body was put.
            const hash = found && (await at.blobs.put(text(what.text)).catch(() => undefined))
            if (!found || hash === undefined) return
            if (what.names) found[1].named.add(hash)
            found[1].owed.add(hash)
            return void found[1].had.add(hash)
          }
          case "copy": {
            const [to, from] = [ofRun(what.run), ofRun(what.from)]
            for (const hash of from?.[1].named ?? []) {
              to?.[1].named.add(hash)
              to?.[1].owed.add(hash)
              to?.[1].had.add(hash)
            }
            return
          }
          case "remove": {
            const found = ofRun(what.run)
            for (const hash of found?.[1].had ?? []) left.add(hash)
            return found && at.remove(found[0])
          }
          case "say": {
            const claim = { agent: "a", id: `s${what.session}`, by: `${crypto.randomUUID()}/a/1` }
            const hash = await at.blobs.put(text(what.text)).catch(() => undefined)
            if (hash === undefined || !at.is.sessions.claim(claim).ok) return
            at.is.sessions.giveBack(claim, { chunk: hash, bytes: 1, tainted: false, private: false })
            said.set(what.session, (said.get(what.session) ?? new Set()).add(hash))
            return
          }
          case "forget":
            at.is.sessions.remove("a", `s${what.session}`)
            for (const hash of said.get(what.session) ?? []) left.add(hash)
            return void said.delete(what.session)
          case "define": {
            const hash = await at.definitions.put(text(what.text)).catch(() => undefined)
            return void (hash !== undefined && defined.add(hash))
          }
          case "evict":
            await Promise.all(working.splice(0))
            return at.evict()
          case "fail":
            at.state.fails = what.at
            return
          case "pass":
            for (let left = what.minutes; left > 0; left -= 10) {
              await Promise.all(working.splice(0))
              at.report()
              pass(Math.min(left, 10) * 60_000)
              working.push(at.ring().catch(() => undefined))
            }
            return
          case "sleep":
            await Promise.all(working.splice(0))
            pass(what.hours * HOUR)
            // The alarms of the tenant and of its runs are all late; the tenant's rings first.
            await at.ring().catch(() => undefined)
            return at.report()
        }
      }
      for (const one of steps) {
        await act(one)
        holds()
      }
      await Promise.all(working)
      holds()
      at.state.fails = 0
      await hours(at, 24)
      holds()
      const had = new Set([...at.owners.values()].flatMap((owner) => [...owner.had]))
      for (const of of said.values()) for (const hash of of) had.add(hash)
      for (const hash of left) if (!had.has(hash) && !defined.has(hash)) expect(at.has(hash), "a body that nobody has").toBe(false)
    }),
    { numRuns: amount(300, 80) },
  )
}, 60_000)
