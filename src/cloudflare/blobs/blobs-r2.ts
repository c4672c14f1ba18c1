// Blobs of one tenant in R2, key `t/TENANT/blob/HASH` [F71]. A read tries this isolate's memory, then KV (the same key; blobs are immutable, so
// KV cannot return an outdated body), then R2, which is strongly consistent and authoritative. A body from KV or R2 is used only if its
// SHA-256 matches its name. KV stores data worldwide, so no data of a tenant with a jurisdiction is ever in it [N1].
//
// A body that is there already is not put again: a put costs as much as twelve questions, and is an fsync on a local server. Only a tenant's
// deletion removes bodies, after which the tenant's name may come back; so what this isolate remembers is a reason to ask R2, never an answer.

import { toHex } from "../../core/text/hex.ts"
import { Lru } from "../../engine/lru.ts"
import { isHash, sha256 } from "../../engine/sha256.ts"
import type { Blobs } from "../../ports/blobs.ts"
import type { Invocation } from "../platform/invocation.ts"
import { bucketOf, jurisdictionOf, type Ground } from "../platform/jurisdiction.ts"

export interface BlobEnv extends Omit<Ground, "TENANT"> {
  readonly CACHE: KVNamespace
}

// An isolate has 128 MB, shared by all of its objects.
const MEMORY_BYTES = 16 * 1024 * 1024
const MEMORY_EACH = 2 * 1024 * 1024
const KV_EACH = 1024 * 1024
// Blobs are immutable, so any time is correct. KV caches a missing key for the same time; R2 answers meanwhile.
const KV_SECONDS = 86_400
/** So long after a tenant's deletion KV may still answer with its bodies; an isolate that has them in its memory may live as long. */
export const CACHED_MS = KV_SECONDS * 1_000

const memory = new Lru<Uint8Array>(MEMORY_BYTES, (body) => body.byteLength + 200, MEMORY_EACH)

/** Keys that this isolate has put into R2 or read from there: about 2 MB. */
const seen = new Lru<true>(10_000)

/** The object whose bodies these are. */
interface Owner {
  /** [J16] */
  readonly invocation: Pick<Invocation, "body">
  /** Whether the owner knows that the body is in R2. It must not know so any longer than bodies are kept. */
  readonly isStored?: (hash: string) => boolean
}

/** `later` keeps the isolate alive for background work (`ctx.waitUntil`). Without it that work may be cut short, which is harmless. */
export function r2Blobs(env: BlobEnv, tenant: string, later: (work: Promise<unknown>) => void = () => {}, owner?: Owner): Blobs {
  // With a "/" in its name, a tenant could reach the keys of another tenant.
  if (!/^[A-Za-z0-9_-]+$/.test(tenant)) throw new Error(`"${tenant}" is not a tenant's name`)
  const keyOf = (hash: string): string => `t/${tenant}/blob/${hash}`
  const bucket = (): R2Bucket => bucketOf(env, tenant)
  const kv = jurisdictionOf(tenant) === undefined ? env.CACHE : undefined
  const spare = spareOperations()
  return {
    async put(bytes) {
      // Copied first, because the caller may change its buffer while the body is being stored under its hash.
      const body = bytes.slice()
      const hash = await sha256(body)
      if (owner?.isStored?.(hash) === true) return hash
      const key = keyOf(hash)
      await owner?.invocation.body()
      if (seen.get(key) === undefined || !(await isThere(bucket(), key, hash))) {
        // R2 verifies the digest, so it refuses a body that was cut short in transit.
        await bucket().put(key, body, { sha256: hash })
        seen.set(key, true)
      }
      memory.set(key, body)
      return hash
    },
    async get(hash) {
      if (!isHash(hash)) return undefined
      const key = keyOf(hash)
      const near = memory.get(key)
      if (near) return near.slice()
      await owner?.invocation.body()
      const cache = kv && spare() ? kv : undefined
      const body = (cache && (await fromKv(cache, key, hash))) ?? (await fromR2(bucket(), cache, key, hash, later))
      if (body) memory.set(key, body.slice())
      return body
    },
  }
}

/** The platform allows 1,000 operations of KV in one invocation, and a catalog may have 5,000 bodies: the first ones of a burst use the
 *  cache, twice for a body that it lacks, and the others come from R2. */
function spareOperations(): () => boolean {
  let used = 0
  let since = 0
  return () => {
    const now = Date.now()
    if (now - since > BURST_MS) {
      since = now
      used = 0
    }
    used += 1
    return used <= MOST_CACHED
  }
}
const BURST_MS = 30_000
const MOST_CACHED = 400

/** KV is only a cache: if it fails, R2 answers. */
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
  if (body) seen.set(key, true)
  if (cache && body && body.byteLength <= KV_EACH) later(cache.put(key, body).catch(() => undefined))
  return body
}

/** By the digest that R2 verified when the body was put. */
async function isThere(bucket: R2Bucket, key: string, hash: string): Promise<boolean> {
  const digest = (await bucket.head(key))?.checksums.sha256
  return digest !== undefined && toHex(new Uint8Array(digest)) === hash
}

const verified = async (body: Uint8Array, hash: string): Promise<Uint8Array | undefined> =>
  (await sha256(body)) === hash ? body : undefined
