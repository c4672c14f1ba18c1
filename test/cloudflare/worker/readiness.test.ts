import { describe, expect, test } from "vitest"
import { readiness, type ReadyEnv } from "../../../src/cloudflare/worker/readiness.ts"
import { conditionOf } from "../../../src/http/middleware/condition.ts"

const full = new Error("database or disk is full: SQLITE_FULL")

function env({ holds = true, answers = async (): Promise<unknown> => true, hasRoom = async (): Promise<unknown> => true } = {}) {
  let asked = 0
  const object = { answers, hasRoom, vaultHolds: async () => (asked++, holds) }
  const space = { idFromName: () => "id", get: () => object }
  const one = { CACHE: { get: async () => null }, BLOBS: { head: async () => null }, TENANT: space, DIRECTORY: space }
  return { one: one as unknown as ReadyEnv, asked: () => asked }
}

describe("readiness", () => {
  test("[N7] a full disk is named", async () => {
    const { one } = env({ answers: () => Promise.reject(full) })
    expect(await readiness(one, () => 0)()).toEqual({ kv: true, r2: true, tenant: false, disk: false })
  })

  test.each([
    ["says so", async () => false, false],
    ["fails as well", () => Promise.reject(new Error("internal error; reference = x")), false],
    ["works", async () => true, undefined],
  ])("[N7] when something does not answer and does not say why, a write is tried: it %s", async (_, hasRoom, disk) => {
    const { one } = env({ answers: () => Promise.reject(new Error("internal error; reference = x")), hasRoom })
    expect(await readiness(one, () => 0)()).toEqual({ kv: true, r2: true, tenant: false, ...(disk === undefined ? {} : { disk }) })
  })

  test("[N7] while all answer, nothing is written", async () => {
    const { one } = env({ hasRoom: () => Promise.reject(new Error("it was asked")) })
    expect(await readiness(one, () => 0)()).toEqual({ kv: true, r2: true, tenant: true })
  })

  test("[N7] another VAULT_KEY is named, and asked for again; one that holds is asked for once", async () => {
    let now = 0
    const changed = env({ holds: false })
    const ready = readiness(changed.one, () => now)
    expect(await ready()).toEqual({ kv: true, r2: true, tenant: true, vault: false })
    now += 2_000
    await ready()
    expect(changed.asked()).toBe(2)
    const same = env()
    const again = readiness(same.one, () => now)
    expect(await again()).toEqual({ kv: true, r2: true, tenant: true })
    now += 2_000
    await again()
    expect(same.asked()).toBe(1)
  })
})

describe("a condition of the server", () => {
  test.each([
    ["SQLite", full],
    ["the system", new Error("ENOSPC: no space left on device, write")],
    ["the store of bodies", new Error("write(fd, …): No space left on device")],
  ])("[N7] a full disk, as %s says it, is 503 disk_full with Retry-After", async (_, error) => {
    expect(await conditionOf(error, async () => true)).toMatchObject({ code: "disk_full", headers: { "retry-after": "30" } })
  })

  test("[N7] a secret of another VAULT_KEY is 503 vault_changed with what to do, and data of another format 503 other_format; any other fault is none", async () => {
    const error = Object.assign(new Error("the secret of acme/x cannot be opened: store it again"), { name: "VaultChangedError" })
    expect(await conditionOf(error, async () => true)).toMatchObject({
      code: "vault_changed",
      detail: expect.stringContaining("the old one opens everything again"),
    })
    const other = Object.assign(new Error("the run t/r is of format 2: deploy another"), { name: "OtherFormatError" })
    expect(await conditionOf(other, async () => true)).toEqual({
      code: "other_format",
      detail: "The run t/r is of format 2: deploy another.",
    })
    expect(await conditionOf(new Error("the disk of the argument is full of words"), async () => false)).toBeUndefined()
  })

  test("[N7] what the platform does not explain is disk_full if the disk takes no write", async () => {
    const error = new Error("internal error; reference = 0a1b2c")
    expect(await conditionOf(error, async () => false)).toMatchObject({ code: "disk_full" })
    expect(await conditionOf(error, async () => true)).toBeUndefined()
  })
})
