// Blobs of one tenant over R2, key `t/TENANT/blob/HASH` [F71]. Reading: this isolate's memory → KV (the same key, immutable, so that
// its delay cannot show an old body) → R2, strongly consistent and the only truth. What comes from outside is believed only when
// its SHA-256 is the name it was asked by. KV lies everywhere: nothing of a tenant with a jurisdiction is ever in it [N1].

import { Lru } from "../../engine/lru.ts"
import { isHash, sha256 } from "../../engine/sha256.ts"
import type { Blobs } from "../../ports/blobs.ts"
import { bucketOf, jurisdictionOf, type Ground } from "../platform/jurisdiction.ts"

export interface BlobEnv extends Omit<Ground, "TENANT"> {
  readonly CACHE: KVNamespace
}

// An isolate has 128 MB, shared by all objects of a class in it.
const MEMORY_BYTES = 16 * 1024 * 1024
const MEMORY_EACH = 2 * 1024 * 1024
const KV_EACH = 1024 * 1024
// Immutable, so as long as KV likes; a missing key is cached as long, and then R2 answers.
const KV_SECONDS = 86_400

const memory = new Lru<Uint8Array>(MEMORY_BYTES, (body) => body.byteLength + 200, MEMORY_EACH)

/** `later` keeps the isolate alive for work nobody waits for (`ctx.waitUntil`); without it that work may be cut short, harmlessly. */
export function r2Blobs(env: BlobEnv, tenant: string, later: (work: Promise<unknown>) => void = () => {}): Blobs {
  // A "/" would let one tenant's name reach into another's keys.
  if (!/^[A-Za-z0-9_-]+$/.test(tenant)) throw new Error(`"${tenant}" is no tenant's name`)
  const keyOf = (hash: string): string => `t/${tenant}/blob/${hash}`
  const bucket = (): R2Bucket => bucketOf(env, tenant)
  const cache = jurisdictionOf(tenant) === undefined ? env.CACHE : undefined
  return {
    async put(bytes) {
      // A copy first: what is stored under a hash must not change because the caller goes on using its buffer.
      const body = bytes.slice()
      const hash = await sha256(body)
      const key = keyOf(hash)
      // R2 checks the digest itself: a body cut short on the way is refused, not stored.
      await bucket().put(key, body, { sha256: hash })
      memory.set(key, body)
      return hash
    },
    async get(hash) {
      if (!isHash(hash)) return undefined
      const key = keyOf(hash)
      const near = memory.get(key)
      if (near) return near.slice()
      const body = (cache && (await fromKv(cache, key, hash))) ?? (await fromR2(bucket(), cache, key, hash, later))
      if (body) memory.set(key, body.slice())
      return body
    },
  }
}

/** KV is a cache: when it fails, R2 is asked. */
async function fromKv(cache: KVNamespace, key: string, hash: string): Promise<Uint8Array | undefined> {
  const found = await cache.get(key, { type: "arrayBuffer", cacheTtl: KV_SECONDS }).catch(() => null)
  return found ? verified(new Uint8Array(found), hash) : undefined
}

async function fromR2(
  bucket: R2Bucket,
  cache: KVNamespace | undefined,
  key: string,
  hash: string,
  later: (work: Promise<unknown>) => void,
): Promise<Uint8Array | undefined> {
  const object = await bucket.get(key)
  const body = object ? await verified(new Uint8Array(await object.arrayBuffer()), hash) : undefined
  if (cache && body && body.byteLength <= KV_EACH) later(cache.put(key, body).catch(() => undefined))
  return body
}

const verified = async (body: Uint8Array, hash: string): Promise<Uint8Array | undefined> =>
  (await sha256(body)) === hash ? body : undefined
