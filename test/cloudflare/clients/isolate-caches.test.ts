// What an isolate caches of a tenant's object while other isolates make changes: a change made elsewhere takes effect within 5 s, even if the
// object is slow or does not answer. Each isolate here is a separate module instance; the test sets the clock.

import { expect, test, vi } from "vitest"
import type { Rules } from "../../../src/core/tool/policy/policy.ts"
import type { Opened } from "../../../src/ports/secrets.ts"
import type { KnownKey } from "../../../src/ports/tenant/tenants.ts"

const SECOND = 1_000
const DEAF = new Error("the object does not answer")

/** The caches of one isolate, which share nothing with those of any other. */
async function isolate() {
  vi.resetModules()
  const [keys, rules, secrets] = await Promise.all([
    import("../../../src/cloudflare/clients/cache/key-cache.ts"),
    import("../../../src/cloudflare/clients/cache/rules-cache.ts"),
    import("../../../src/cloudflare/platform/secret-cache.ts"),
  ])
  return { ...keys, ...rules, ...secrets }
}

/** A tenant's object and a clock. A read returns the value at the time when the question arrives; the answer takes `slow` ms. */
class Source<T> {
  now = 0
  asked = 0
  deaf = false
  slow = 0
  #value: T
  constructor(value: T) {
    this.#value = value
  }
  set(value: T): void {
    this.#value = value
  }
  readonly ask = async (): Promise<T> => {
    this.asked++
    if (this.deaf) throw DEAF
    const read = this.#value
    this.now += this.slow
    return read
  }
  readonly clock = (): number => this.now
}

const KEY: KnownKey = { id: "k1", name: "ci", scopes: ["runs:read"], expires: null, since: 1 }
const rulesOf = (version: number): Rules => ({ version, policy: {}, scopes: [] }) as unknown as Rules
const opened = (value: string): Opened => ({ vault: { s: [value] }, keys: {} })

const CALLER = { tenant: "t", name: "ci", scopes: ["runs:read"], keyId: "k1", since: 1 }

async function keySource(key: KnownKey | undefined) {
  const here = await isolate()
  const source = new Source<KnownKey | undefined>(key)
  return { here, source, check: () => here.cachedKey("t", "digest", source.ask, source.clock) }
}

test("[H1] [S18] a key revoked in one isolate is refused there at once, and in another 5 s later at the latest", async () => {
  const [one, two] = [await isolate(), await isolate()]
  const source = new Source<KnownKey | undefined>(KEY)
  const check = (where: typeof one) => where.cachedKey("t", "digest", source.ask, source.clock)
  expect([await check(one), await check(two), source.asked]).toEqual([CALLER, CALLER, 2])
  source.set(undefined)
  one.forgetKeys("t", "k1")
  expect(await check(one)).toBeUndefined()
  source.now = 5 * SECOND - 1
  expect([await check(two), source.asked]).toEqual([CALLER, 3])
  source.now = 5 * SECOND
  expect([await check(two), source.asked]).toEqual([undefined, 4])
})

test("[S18] using a cached key does not make it younger, and a slow answer is as old as its question", async () => {
  const { source, check } = await keySource(KEY)
  source.slow = 3 * SECOND
  await check()
  source.set(undefined)
  for (const at of [3, 4]) {
    source.now = at * SECOND
    expect(await check()).toEqual(CALLER)
  }
  source.now = 5 * SECOND
  expect(await check()).toBeUndefined()
})

test("[H1] a refusal is not cached: a key created a moment later is valid at once", async () => {
  const { source, check } = await keySource(undefined)
  expect([await check(), await check(), source.asked]).toEqual([undefined, undefined, 2])
  source.set(KEY)
  expect(await check()).toEqual(CALLER)
})

test("[S18] a cached key is not extended if the object does not answer", async () => {
  const { source, check } = await keySource(KEY)
  await check()
  source.set(undefined)
  source.deaf = true
  source.now = 5 * SECOND - 1
  expect(await check()).toEqual(CALLER)
  source.now = 5 * SECOND
  await expect(check()).rejects.toBe(DEAF)
  await expect(check()).rejects.toBe(DEAF)
  source.deaf = false
  expect(await check()).toBeUndefined()
})

test("[S18] an answer to a question from before a revocation is not cached", async () => {
  const { here, source, check } = await keySource(KEY)
  const asked = here.cachedKey(
    "t",
    "digest",
    async () => {
      const read = await source.ask()
      source.set(undefined)
      here.forgetKeys("t", "k1")
      return read
    },
    source.clock,
  )
  expect(await asked).toEqual(CALLER)
  expect(await check()).toBeUndefined()
})

test("[H1] a cached key ends when it expires, not 5 s later", async () => {
  const { source, check } = await keySource({ ...KEY, expires: 2 * SECOND })
  await check()
  source.set(undefined)
  source.now = 2 * SECOND - 1
  expect(await check()).toEqual({ ...CALLER, keyUntil: 2 * SECOND })
  source.now = 2 * SECOND
  expect(await check()).toBeUndefined()
})

test("[S18] an open stream's key is checked every second, and is not extended if the object does not answer", async () => {
  const here = await isolate()
  const source = new Source(true)
  const holds = () => here.stillHolds("t", "k1", source.ask, source.clock)
  expect([await holds(), await holds(), source.asked]).toEqual([true, true, 1])
  source.set(false)
  source.now = SECOND - 1
  expect(await holds()).toBe(true)
  source.deaf = true
  source.now = SECOND
  await expect(holds()).rejects.toBe(DEAF)
  source.deaf = false
  expect([await holds(), await holds(), source.asked]).toEqual([false, false, 3])
})

test("[T30] rules changed elsewhere take effect within 5 s, at once for a run that has seen them", async () => {
  const here = await isolate()
  const source = new Source(rulesOf(1))
  const version = async (seen: number) => (await here.currentRules("t", seen, source.ask, source.clock)).version
  expect([await version(0), await version(1), source.asked]).toEqual([1, 1, 1])
  source.set(rulesOf(2))
  source.now = 5 * SECOND - 1
  expect(await version(1)).toBe(1)
  expect(await version(2)).toBe(2)
  source.set(rulesOf(3))
  source.now = 10 * SECOND - 1
  expect(await version(2)).toBe(3)
})

test("[T30] a slow answer is as old as its question, and nothing is extended if the object does not answer", async () => {
  const here = await isolate()
  const source = new Source(rulesOf(1))
  const version = async () => (await here.currentRules("t", 0, source.ask, source.clock)).version
  source.slow = 3 * SECOND
  expect(await version()).toBe(1)
  source.slow = 0
  source.set(rulesOf(2))
  source.now = 5 * SECOND - 1
  expect(await version()).toBe(1)
  source.deaf = true
  source.now = 5 * SECOND
  await expect(version()).rejects.toBe(DEAF)
  await expect(version()).rejects.toBe(DEAF)
  source.deaf = false
  expect(await version()).toBe(2)
})

test("[T30] another tenant's rules are its own", async () => {
  const here = await isolate()
  const [mine, theirs] = [new Source(rulesOf(1)), new Source(rulesOf(7))]
  expect((await here.currentRules("t", 0, mine.ask, mine.clock)).version).toBe(1)
  expect((await here.currentRules("u", 0, theirs.ask, theirs.clock)).version).toBe(7)
})

test("[T30] an answer to a question from before a change in this isolate is not cached", async () => {
  const here = await isolate()
  const source = new Source(rulesOf(1))
  const late = async () => {
    const read = await source.ask()
    source.set(rulesOf(2))
    here.forgetRules("t")
    return read
  }
  await here.currentRules("t", 0, late, source.clock)
  expect((await here.currentRules("t", 0, source.ask, source.clock)).version).toBe(2)
})

async function vaultSource() {
  const here = await isolate()
  const source = new Source(opened("first-value"))
  const open = here.cachedSecrets("t", source.ask, source.clock)
  return { here, source, open, value: async (fresh?: boolean) => (await open(fresh)).secrets.get("s")?.[0] }
}

test("[T32] a changed value takes effect at once in this isolate, elsewhere within 5 s, or at once if a fresh value is asked for", async () => {
  const { here, source, open, value } = await vaultSource()
  expect([await value(), await value(), source.asked]).toEqual(["first-value", "first-value", 1])
  source.set(opened("second-value"))
  source.now = 5 * SECOND - 1
  expect(await value()).toBe("first-value")
  source.now = 5 * SECOND
  expect(await value()).toBe("second-value")
  expect((await open()).redactor.text("say second-value")).not.toContain("second-value")
  source.set(opened("third-value"))
  expect(await value(true)).toBe("third-value")
  source.set(opened("fourth-value"))
  here.forgetSecrets("t")
  expect(await value()).toBe("fourth-value")
})

test("[T32] a slow answer is as old as its question, and nothing is extended if the object does not answer", async () => {
  const { source, value } = await vaultSource()
  source.slow = 3 * SECOND
  await value()
  source.slow = 0
  source.set(opened("second-value"))
  source.now = 5 * SECOND - 1
  expect(await value()).toBe("first-value")
  source.deaf = true
  source.now = 5 * SECOND
  await expect(value()).rejects.toBe(DEAF)
  await expect(value()).rejects.toBe(DEAF)
  source.deaf = false
  expect(await value()).toBe("second-value")
})

test("[T32] an answer to a question from before a change in this isolate is not cached", async () => {
  const { here, source, value } = await vaultSource()
  const late = here.cachedSecrets(
    "t",
    async () => {
      const read = await source.ask()
      source.set(opened("second-value"))
      here.forgetSecrets("t")
      return read
    },
    source.clock,
  )
  await late()
  expect(await value()).toBe("second-value")
})

test("[T32] a vault carried by a start lasts only as long as in its source isolate, and replaces nothing newer", async () => {
  const from = await vaultSource()
  const value = async (there: Awaited<ReturnType<typeof isolate>>, source = from.source) =>
    (await there.cachedSecrets("t", source.ask, source.clock)()).secrets.get("s")?.[0]
  expect(from.here.carriedSecrets("t", from.source.clock)).toBeUndefined()
  await from.value()
  from.source.now = 2 * SECOND
  const carried = from.here.carriedSecrets("t", from.source.clock)
  if (!carried) throw new Error("nothing is carried")

  const [to, wiser, changed] = [await isolate(), await isolate(), await isolate()]
  to.takeSecrets("t", carried, from.source.clock)
  from.source.set(opened("second-value"))
  const asked = from.source.asked
  expect([await value(to), from.source.asked]).toEqual(["first-value", asked])
  // This isolate has a newer vault.
  expect(await value(wiser)).toBe("second-value")
  wiser.takeSecrets("t", carried, from.source.clock)
  expect(await value(wiser)).toBe("second-value")
  // A secret has changed in this isolate since then.
  changed.forgetSecrets("t", 1 * SECOND)
  changed.takeSecrets("t", carried, from.source.clock)
  expect(await value(changed)).toBe("second-value")

  from.source.now = 5 * SECOND
  expect(await value(to)).toBe("second-value")
  expect(from.here.carriedSecrets("t", from.source.clock)).toBeUndefined()
  const late = await isolate()
  late.takeSecrets("t", carried, from.source.clock)
  expect(late.carriedSecrets("t", from.source.clock)).toBeUndefined()
})
