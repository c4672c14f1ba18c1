// Sessions of people in Workers KV [O13–O15]: what a KV that lags, loses rows, serves deleted ones or is down may change, and what it may not.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { SessionCache } from "../../../src/cloudflare/clients/cache/sign-in-cache.ts"
import { sessionKey, SessionRows } from "../../../src/cloudflare/clients/session-rows.ts"
import type { SignInHolding, SignInRow } from "../../../src/ports/tenant/sign-ins.ts"

const TENANT = "acme"
const HOURS = 12 * 3_600_000
const KEPT_MS = 5_000

/** The tenant's object: its rows count, and nothing else. */
class House {
  readonly rows = new Map<string, SignInRow>()
  readonly revoked = new Set<string>()
  readonly asked: string[] = []

  open(row: SignInRow): SignInHolding | undefined {
    if (this.revoked.has(row.key)) return undefined
    this.rows.set(row.digest, row)
    return this.#holding(row.key)
  }

  readonly room = {
    holding: async (holder: string) => (this.asked.push(`holding ${holder}`), this.#holding(holder)),
    find: async (digest: string) => {
      this.asked.push(`find ${digest}`)
      const row = this.rows.get(digest)
      return row && this.#holding(row.key)
    },
  }

  #holding(holder: string): SignInHolding | undefined {
    if (this.revoked.has(holder)) return undefined
    const key = { name: holder, scopes: [], since: 0 }
    return { key, open: [...this.rows.values()].filter((row) => row.key === holder) }
  }
}

/** KV as the platform promises it: nothing but that a value which it gives was once written. */
class Kv {
  readonly #written = new Map<string, { readonly at: number; readonly text: string | null }[]>()
  mood: "good" | "late" | "lost" | "down" | "full" = "good"
  now = 0
  reads = 0

  readonly binding = {
    get: async (key: string) => {
      this.reads++
      if (this.mood === "down") throw new Error("KV is down")
      if (this.mood === "lost") return null
      const seen = this.now - (this.mood === "late" ? 300_000 : 0)
      const text = this.#written.get(key)?.findLast(({ at }) => at <= seen)?.text ?? null
      return text === null ? null : JSON.parse(text)
    },
    put: async (key: string, text: string) => this.#write(key, text),
    delete: async (key: string) => this.#write(key, null),
  }

  texts(): string[] {
    return [...this.#written].flatMap(([key, list]) => [key, ...list.flatMap(({ text }) => text ?? [])])
  }

  async #write(key: string, text: string | null): Promise<void> {
    if (this.mood === "down" || this.mood === "full") throw new Error("KV takes no writes")
    this.#written.set(key, [...(this.#written.get(key) ?? []), { at: this.now, text }])
  }
}

class World {
  readonly services = new House()
  readonly kv = new Kv()
  readonly isolates = [new SessionCache(), new SessionCache(), new SessionCache()]
  now = 1_000_000
  readonly rows: SessionRows

  constructor(tenant = TENANT) {
    this.rows = new SessionRows({ CACHE: this.kv.binding as never }, tenant)
  }

  pass(ms: number): void {
    this.now += ms
    this.kv.now = this.now
  }

  async open(isolate: number, digest: string, key: string): Promise<boolean> {
    const row = { digest, key, by: "Ada Lovelace", place: "/", until: this.now + HOURS }
    const holding = this.services.open(row)
    const signed = holding && this.isolates[isolate]?.opened(TENANT, digest, holding, { at: this.now, now: this.now })
    if (signed) await this.rows.put(row, this.now)
    return signed !== undefined
  }

  async close(isolate: number, digest: string): Promise<void> {
    this.services.rows.delete(digest)
    this.isolates[isolate]?.ended(TENANT, digest, this.now)
    await this.rows.remove(digest)
  }

  revoke(isolate: number, key: string): void {
    this.services.revoked.add(key)
    for (const row of this.services.rows.values()) if (row.key === key) this.services.rows.delete(row.digest)
    this.isolates[isolate]?.forget(TENANT, key)
  }

  async isGood(isolate: number, digest: string): Promise<boolean> {
    const { room } = this.services
    const sources = { holderOf: (one: string) => this.rows.holderOf(one), room, now: () => this.now }
    return (await this.isolates[isolate]?.find(TENANT, digest, sources)) !== undefined
  }
}

const isolate = fc.nat({ max: 2 })
const key = fc.constantFrom("key_a", "key_b")
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("open" as const), isolate, key }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("close" as const), isolate, session: fc.nat({ max: 20 }) }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("use" as const), isolate, session: fc.nat({ max: 20 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.constantFrom(1, 900, 4_999, 5_000, 60_000, 400_000) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("mood" as const), mood: fc.constantFrom("good", "late", "lost", "down", "full") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("revoke" as const), isolate, key }) },
)

describe("sessions in KV", () => {
  test("[O13] [O14] [O15] no session is lost, and none opens 5 s after its end, whatever KV serves", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const world = new World()
        const sessions: { digest: string; key: string; ended?: { at: number; by: number } }[] = []
        for (const one of steps) {
          if (one.do === "pass") world.pass(one.ms)
          else if (one.do === "mood") world.kv.mood = one.mood
          else if (one.do === "open") {
            const digest = `digest-${sessions.length}`
            if (await world.open(one.isolate, digest, one.key)) sessions.push({ digest, key: one.key })
          } else if (one.do === "revoke") {
            world.revoke(one.isolate, one.key)
            for (const session of sessions) if (session.key === one.key) session.ended ??= { at: world.now, by: one.isolate }
          } else {
            const session = sessions[one.session % Math.max(1, sessions.length)]
            if (session === undefined) continue
            if (one.do === "close") {
              await world.close(one.isolate, session.digest)
              // Whoever signs out ends it here, also if it was over elsewhere.
              session.ended = { at: session.ended?.at ?? world.now, by: one.isolate }
              continue
            }
            const isGood = await world.isGood(one.isolate, session.digest)
            if (session.ended === undefined) expect(isGood).toBe(true)
            else if (session.ended.by === one.isolate || world.now - session.ended.at >= KEPT_MS) expect(isGood).toBe(false)
          }
        }
      }),
      { numRuns: 10_000 },
    )
  })

  test("[O14] an isolate asks about a holder once in 5 s, however many of its sessions are used, and reads KV once for each", async () => {
    const world = new World()
    for (let n = 0; n < 50; n++) await world.open(0, `d${n}`, "key_a")
    for (let round = 0; round < 3; round++) for (let n = 0; n < 50; n++) expect(await world.isGood(1, `d${n}`)).toBe(true)
    expect([world.services.asked, world.kv.reads]).toEqual([["holding key_a"], 50])
    world.pass(KEPT_MS)
    for (let n = 0; n < 50; n++) await world.isGood(1, `d${n}`)
    expect([world.services.asked.length, world.kv.reads]).toEqual([2, 50])
  })

  test("[O14] without a row the object is asked by the hash, and a no is remembered for 5 s", async () => {
    const world = new World()
    world.kv.mood = "lost"
    await world.open(0, "d", "key_a")
    expect(await world.isGood(1, "d")).toBe(true)
    for (let n = 0; n < 9; n++) expect(await world.isGood(1, "made up")).toBe(false)
    expect(world.services.asked).toEqual(["find d", "find made up"])
    world.pass(KEPT_MS)
    await world.isGood(1, "made up")
    expect(world.services.asked.length).toBe(3)
  })

  test("[O14] a session that was opened elsewhere a moment after the holder's answer is good at once", async () => {
    const world = new World()
    await world.open(0, "first", "key_a")
    await world.isGood(1, "first")
    world.pass(10)
    await world.open(0, "second", "key_a")
    expect([await world.isGood(1, "second"), await world.isGood(2, "second")]).toEqual([true, true])
  })

  test("[O13] the row names a holder, a place and an end, and no person", async () => {
    const world = new World()
    await world.open(0, "d", "key_a")
    const until = world.now + HOURS
    expect(world.kv.texts()).toEqual([sessionKey(TENANT, "d"), JSON.stringify({ holder: "key_a", place: "/", until })])
  })

  test("[O13] [N1] a tenant with a jurisdiction has no row in KV, and its object is asked at once", async () => {
    const kv = new Kv()
    const rows = new SessionRows({ CACHE: kv.binding as never }, "acme_eu")
    await rows.put({ digest: "d", key: "key_a", by: null, place: "/", until: HOURS }, 0)
    expect([await rows.holderOf("d"), kv.reads, kv.texts()]).toEqual([undefined, 0, []])
  })

  test("[O13] a row that somebody else's hand changed is no row", async () => {
    const kv = new Kv()
    const rows = new SessionRows({ CACHE: kv.binding as never }, TENANT)
    for (const text of ["null", "7", '{"holder":7}', '{"holder":"key_a"}']) {
      await kv.binding.put(sessionKey(TENANT, "d"), text)
      expect(await rows.holderOf("d")).toBe(undefined)
    }
  })
})
