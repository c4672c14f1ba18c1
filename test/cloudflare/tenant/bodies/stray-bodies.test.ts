// When the bodies of a tenant are looked through for those that nobody owns [F71]: once for each loss, page by page, whatever dies in between.

import { expect, test } from "vitest"
import { BodyStore } from "../../../../src/cloudflare/tenant/bodies/body-store.ts"
import { StrayBodies } from "../../../../src/cloudflare/tenant/bodies/stray-bodies.ts"
import { TenantSql } from "../../../../src/cloudflare/tenant/tenant-sql.ts"
import { sqliteStorage } from "../../../support/cloudflare/sqlite-storage.ts"

const MINUTE = 60_000

function house(bodies: readonly string[], kind = "content") {
  const storage = sqliteStorage()
  const state = { now: 1_000_000_000, uploaded: 0, isThere: true, lists: 0 }
  const now = (): number => state.now
  const sql = new TenantSql(storage)
  const store = new BodyStore(sql, now, { want: () => undefined, isCopied: false })
  const bucket = {
    async list({ prefix = "", startAfter = "" }: R2ListOptions) {
      state.lists++
      const keys = bodies.map((hash) => prefix + hash).filter((key) => key > startAfter)
      const objects = keys.slice(0, 2).map((key) => ({ key, customMetadata: { kind }, uploaded: new Date(state.uploaded) }))
      return { objects, truncated: keys.length > 2 }
    },
  } as unknown as R2Bucket
  /** Another life of the object. */
  const wake = (): StrayBodies =>
    new StrayBodies({ store, sql, kv: storage.kv, tenant: "t", bucket, isThere: () => state.isThere, now, want: () => undefined })
  const left = (): string[] => sql.read<{ hash: string }>("SELECT hash FROM body_left ORDER BY hash").map(({ hash }) => hash)
  return { state, store, wake, left }
}

test("[F71] each page is seen once, also by the next life, and what has an owner stays", async () => {
  const { state, store, wake, left } = house(["a", "b", "c", "d", "e"])
  store.own("run_1", ["b", "e"])
  store.left(["c"])
  wake().lost(state.now)
  expect(wake().due()).toBe(state.now + 5 * MINUTE)
  state.now += 5 * MINUTE
  for (let n = 0; n < 3; n++) await wake().work(state.now)
  expect([left(), wake().due(), state.lists]).toEqual([["a", "c", "d"], undefined, 3])
})

test("[F71] a loss that a look has seen begins no other, and one during a look begins one after it", async () => {
  const { state, wake } = house(["a", "b", "c"])
  wake().lost(state.now)
  const first = state.now
  state.now += 5 * MINUTE
  await wake().work(state.now)
  wake().lost(first)
  wake().lost(state.now)
  await wake().work(state.now)
  expect(wake().due()).toBe(state.now + 5 * MINUTE)
  state.now += 5 * MINUTE
  await wake().work(state.now)
  await wake().work(state.now)
  wake().lost(first)
  expect(wake().due()).toBeUndefined()
})

test("[F71] definitions, and what was stored since the look began, are not its business", async () => {
  for (const [kind, age] of [
    ["definition", 0],
    ["content", 1],
  ] as const) {
    const { state, wake, left } = house(["a"], kind)
    wake().lost(state.now)
    state.now += 5 * MINUTE
    state.uploaded = state.now + age
    await wake().work(state.now)
    expect([left(), state.lists]).toEqual([[], 1])
  }
})

test("[F71] a clock that is set back brings no look forward, and hides nothing that was stored before", async () => {
  const { state, wake, left } = house(["a"])
  wake().lost(state.now)
  state.uploaded = state.now
  state.now -= 10 * MINUTE
  const strays = wake()
  strays.mend(state.now)
  expect(strays.due()).toBe(state.now + 5 * MINUTE)
  state.now += 5 * MINUTE
  await strays.work(state.now)
  expect(left()).toEqual(["a"])
})

test("[N3] a tenant that is being deleted is not looked through", () => {
  const { state, wake } = house([])
  wake().lost(state.now)
  state.isThere = false
  expect(wake().due()).toBeUndefined()
  const other = house([])
  other.state.isThere = false
  other.wake().lost(state.now)
  other.state.isThere = true
  expect(other.wake().due()).toBeUndefined()
})
