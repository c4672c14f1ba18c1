import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { r2Blobs } from "../../../src/cloudflare/blobs/blobs-r2.ts"
import { sha256 } from "../../../src/engine/sha256.ts"
import { blobsContract } from "../../contract/blobs.ts"

let tenants = 0
const fresh = (): string => `blobs-${++tenants}`
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

blobsContract("R2 behind KV and memory", () => r2Blobs(env, fresh()))

/** Stores a body directly in R2 and KV, so this isolate's memory does not have it. */
async function stored(tenant: string, text: string, at: { r2?: string; kv?: string }): Promise<string> {
  const hash = await sha256(text)
  if (at.r2 !== undefined) await env.BLOBS.put(`t/${tenant}/blob/${hash}`, at.r2)
  if (at.kv !== undefined) await env.CACHE.put(`t/${tenant}/blob/${hash}`, at.kv)
  return hash
}

/** The bucket, with a list of what it was asked. */
function counted(): { readonly bucket: R2Bucket; readonly calls: string[] } {
  const calls: string[] = []
  const bucket = new Proxy(env.BLOBS, {
    get(of, name) {
      const member: unknown = Reflect.get(of, name)
      if (typeof member !== "function") return member
      return (...args: unknown[]): unknown => {
        calls.push(String(name))
        return Reflect.apply(member, of, args)
      }
    },
  })
  return { bucket, calls }
}

describe("blobs: the path of a body", () => {
  test("[F71] a read from R2 fills KV for the next isolate", async () => {
    const tenant = fresh()
    const hash = await stored(tenant, "cold", { r2: "cold" })
    const work: Promise<unknown>[] = []
    expect(await r2Blobs(env, tenant, (w) => work.push(w)).get(hash)).toEqual(bytes("cold"))
    await Promise.all(work)
    expect(await env.CACHE.get(`t/${tenant}/blob/${hash}`)).toBe("cold")
  })

  test("[F71] a body in KV is read without R2", async () => {
    const tenant = fresh()
    const hash = await stored(tenant, "warm", { kv: "warm" })
    expect(await r2Blobs(env, tenant).get(hash)).toEqual(bytes("warm"))
  })

  test("[F71] a wrong body in KV is not used: R2 is authoritative", async () => {
    const tenant = fresh()
    const hash = await stored(tenant, "true", { r2: "true", kv: "forged" })
    expect(await r2Blobs(env, tenant).get(hash)).toEqual(bytes("true"))
  })

  test("[F74] a body in R2 that does not match its hash is not returned", async () => {
    const tenant = fresh()
    const hash = await stored(tenant, "whole", { r2: "whol" })
    expect(await r2Blobs(env, tenant).get(hash)).toBeUndefined()
    await r2Blobs(env, tenant).put(bytes("whole"))
    expect(await r2Blobs(env, tenant).get(hash)).toEqual(bytes("whole"))
  })

  test("[F71] a body that R2 has is asked for and not put again", async () => {
    const { bucket, calls } = counted()
    const blobs = r2Blobs({ BLOBS: bucket, CACHE: env.CACHE }, fresh())
    await blobs.put(bytes("same"))
    await blobs.put(bytes("same"))
    await blobs.put(bytes("other"))
    expect(calls).toEqual(["put", "head", "put"])
  })

  test("[F71] also one that another isolate has put, once it was read from R2; a copy in KV says nothing", async () => {
    const { bucket, calls } = counted()
    const tenant = fresh()
    const at = { BLOBS: bucket, CACHE: env.CACHE }
    const key = (hash: string): string => `t/${tenant}/blob/${hash}`
    const [there, copied] = [await sha256("there"), await stored(tenant, "copied", { kv: "copied" })]
    await env.BLOBS.put(key(there), "there", { sha256: there, customMetadata: { kind: "definition" } })
    for (const hash of [there, copied]) await r2Blobs(at, tenant).get(hash)
    expect(calls).toEqual(["get"])
    for (const text of ["there", "copied"]) await r2Blobs(at, tenant).put(bytes(text))
    expect(calls).toEqual(["get", "head", "put"])
  })

  test("[N3] what this isolate remembers of a deleted tenant is no reason to leave out a body of the next one with its name", async () => {
    const tenant = fresh()
    const hash = await r2Blobs(env, tenant).put(bytes("kept"))
    await env.BLOBS.delete(`t/${tenant}/blob/${hash}`)
    await r2Blobs(env, tenant).put(bytes("kept"))
    expect(await (await env.BLOBS.get(`t/${tenant}/blob/${hash}`))?.text()).toBe("kept")
  })

  test("[F71] what its owner knows to be there is not asked for", async () => {
    const { bucket, calls } = counted()
    const known = new Set<string>()
    const owner = { invocation: { body: () => undefined }, isStored: (hash: string) => known.has(hash) }
    const blobs = r2Blobs({ BLOBS: bucket, CACHE: env.CACHE }, fresh(), () => {}, owner)
    known.add(await blobs.put(bytes("mine")))
    expect([...known]).toEqual([await blobs.put(bytes("mine"))])
    expect(calls).toEqual(["put"])
  })

  test("[F71] of a burst only the first 400 bodies are looked for in KV", async () => {
    let asked = 0
    const get = async (): Promise<null> => {
      asked += 1
      return null
    }
    const counting = { get, put: async () => undefined } as unknown as KVNamespace
    const blobs = r2Blobs({ BLOBS: env.BLOBS, CACHE: counting }, fresh())
    for (let i = 0; i < 450; i++) await blobs.get(await sha256(`none ${i}`))
    expect(asked).toBe(400)
    const now = Date.now()
    vi.spyOn(Date, "now").mockReturnValue(now + 31_000)
    await blobs.get(await sha256("later"))
    expect(asked).toBe(401)
    vi.restoreAllMocks()
  })

  test("[F71] a failure of KV only costs time", async () => {
    const tenant = fresh()
    const hash = await stored(tenant, "slow", { r2: "slow" })
    const broken = {
      BLOBS: env.BLOBS,
      CACHE: { get: () => Promise.reject(new Error("KV")), put: () => Promise.reject(new Error("KV")) } as unknown as KVNamespace,
    }
    const work: Promise<unknown>[] = []
    expect(await r2Blobs(broken, tenant, (w) => work.push(w)).get(hash)).toEqual(bytes("slow"))
    await expect(Promise.all(work)).resolves.toBeDefined()
  })

  test("[F71] bodies over 1 MiB stay out of KV", async () => {
    const tenant = fresh()
    const text = "x".repeat(1024 * 1024 + 1)
    const hash = await stored(tenant, text, { r2: text })
    const work: Promise<unknown>[] = []
    expect((await r2Blobs(env, tenant, (w) => work.push(w)).get(hash))?.byteLength).toBe(text.length)
    expect(work).toEqual([])
  })

  test("[N1] a tenant's name cannot reach another tenant's keys", () => {
    for (const tenant of ["", "a/blob", "../b", "a/../b", "ä"]) expect(() => r2Blobs(env, tenant)).toThrow(/not a tenant's name/)
  })
})
