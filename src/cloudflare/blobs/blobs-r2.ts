// Stores blobs of a tenant in R2, key `t/TENANT/blob/HASH` [F71]. A read tries this isolate's memory, then KV (the same key; blobs are
// immutable, so KV cannot return an outdated body), then R2, which is strongly consistent and authoritative. A body from KV or R2 is used
// only if its SHA-256 matches its name. KV stores data worldwide, so no data of a tenant with a jurisdiction is ever in it [N1].
//
// A stored body is not put again: a put costs as much as twelve reads, and is an fsync on a local server.
//
// A body is a definition, which stays until its tenant is deleted, or the content of a run, a session, a reference or a workspace. Its
// metadata in R2 says which; a body that is both is a definition. Content is deleted some time after its last owner has gone
// (tenant/bodies/body-store.ts). So older content is put again before it is reused, because a deletion checks its age.

import { defined } from "../../core/defined.ts"
import { toHex } from "../../core/text/hex.ts"
import { Lru } from "../../engine/lru.ts"
import { isHash, sha256 } from "../../engine/sha256.ts"
import type { Blobs } from "../../ports/blobs.ts"
import type { Invocation } from "../platform/invocation.ts"
import { bucketOf, jurisdictionOf, type JurisdictionEnv } from "../platform/jurisdiction.ts"
import { perIsolate } from "../../ports/isolate.ts"

export interface BlobEnv extends Omit<JurisdictionEnv, "TENANT"> {
  readonly CACHE: KVNamespace
}

// An isolate has 128 MB, shared by all of its objects.
const MEMORY_BYTES = 16 * 1024 * 1024 // limit: bytes of bodies in an isolate's memory → the oldest leaves
const MEMORY_EACH = 2 * 1024 * 1024 // limit: bytes of a body in memory → it is not kept in memory
const KV_EACH = 1024 * 1024 // limit: bytes of a body in KV → it is in R2 only
// Blobs are immutable, so any time is correct. KV caches a missing key for the same time; R2 answers meanwhile.
const KV_SECONDS = 86_400
/** The time for which KV or an isolate's memory may still have a tenant's bodies after its deletion. */
export const CACHED_MS = KV_SECONDS * 1_000

const memory = perIsolate(() => new Lru<Uint8Array>(MEMORY_BYTES, (body) => body.byteLength + 200, MEMORY_EACH))

/** Keys of definitions and of content that this isolate has put into R2 or found there: about 2 MB each. */
const definitions = perIsolate(() => new Lru<true>(10_000))
const contents = perIsolate(() => new Lru<true>(10_000))

/** The age up to which content is never deleted, even without owners. */
export const YOUNG_MS = 3_600_000

/** The owner of the bodies that are put. */
export interface BodyOwner {
  /** [J16] */
  readonly invocation?: Pick<Invocation, "body">
  /** Whether the owner knows that the body is in R2. It must not know so any longer than bodies are kept. */
  readonly isStored?: (hash: string) => boolean
  /** What is put is content: resolves when nobody deletes this body any more, for the time in which its owner reports it. */
  readonly retain?: (hash: string) => Promise<unknown>
}

const KIND = "kind"
type Kind = "definition" | "content"

/** The key of a body in R2 and KV. */
export const bodyKey = (tenant: string, hash: string): string => `t/${tenant}/blob/${hash}`

export const kindOf = ({ customMetadata }: Pick<R2Object, "customMetadata">): Kind =>
  customMetadata?.[KIND] === "definition" ? "definition" : "content"

/** `later` keeps the isolate alive for background work (`ctx.waitUntil`). Without it that work may be cut short, which is harmless. */
export function r2Blobs(env: BlobEnv, tenant: string, later: (work: Promise<unknown>) => void = () => {}, owner?: BodyOwner): Blobs {
  // With a "/" in its name, a tenant could reach the keys of another tenant.
  if (!/^[A-Za-z0-9_-]+$/.test(tenant)) throw new Error(`"${tenant}" is not a tenant's name`)
  const keyOf = (hash: string): string => bodyKey(tenant, hash)
  const { retain } = owner ?? {}
  const bucket = (): R2Bucket => bucketOf(env, tenant)
  const kv = jurisdictionOf(tenant) === undefined ? env.CACHE : undefined
  const spare = spareOperations()
  return {
    async put(bytes, named) {
      // Copied first, because the caller may change its buffer while the body is being stored under its hash.
      const body = bytes.slice()
      const hash = await sha256(body)
      if (owner?.isStored?.(hash) === true) return hash
      named?.(hash)
      const key = keyOf(hash)
      await owner?.invocation?.body()
      await (retain ? putContent(bucket(), key, body, { hash, retain }) : putDefinition(bucket(), key, body, hash))
      memory().set(key, body)
      return hash
    },
    async get(hash) {
      if (!isHash(hash)) return undefined
      const key = keyOf(hash)
      const near = memory().get(key)
      if (near) return near.slice()
      await owner?.invocation?.body()
      const cache = kv && spare() ? kv : undefined
      const body = (cache && (await fromKv(cache, key, hash))) ?? (await fromR2(bucket(), cache, key, hash, later))
      if (body) memory().set(key, body.slice())
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
const BURST_MS = 30_000 // limit: milliseconds of a burst of reads → KV is used again
const MOST_CACHED = 400 // limit: bodies of a burst that are looked for in KV → R2 answers

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
  if (object && body && kindOf(object) === "definition") definitions().set(key, true)
  if (cache && body && body.byteLength <= KV_EACH) later(cache.put(key, body).catch(() => undefined))
  return body
}

/** A tenant's name may come back after its deletion, so what this isolate remembers is a reason to ask R2, never an answer. A body of which it
 *  knows nothing is put without asking. */
async function putDefinition(bucket: R2Bucket, key: string, body: Uint8Array, hash: string): Promise<void> {
  if (definitions().get(key) === undefined || (await found(bucket, key, hash))?.kind !== "definition")
    await putAs("definition", bucket, key, body, hash)
  definitions().set(key, true)
}

/** A body that is old may be without owner, and about to be deleted. */
async function putContent(bucket: R2Bucket, key: string, body: Uint8Array, { hash, retain }: Held): Promise<void> {
  const isKnown = definitions().get(key) !== undefined || contents().get(key) !== undefined
  if (isKnown || !(await putAs("content", bucket, key, body, hash, ABSENT))) {
    const before = await found(bucket, key, hash)
    if (before?.kind === "definition") {
      definitions().set(key, true)
      return
    }
    if (before === undefined || before.at <= Date.now() - YOUNG_MS) {
      if (before) await retain(hash)
      await putAs("content", bucket, key, body, hash)
    }
  }
  contents().set(key, true)
}

interface Held {
  readonly hash: string
  readonly retain: (hash: string) => Promise<unknown>
}

const ABSENT = { "if-none-match": "*" }

/** R2 verifies the digest, so it refuses a body that was cut short in transit. false: the condition does not hold. */
async function putAs(
  kind: Kind,
  bucket: R2Bucket,
  key: string,
  body: Uint8Array,
  hash: string,
  condition?: Readonly<Record<string, string>>,
): Promise<boolean> {
  const put = { sha256: hash, customMetadata: { [KIND]: kind }, ...defined({ onlyIf: condition && new Headers(condition) }) }
  return (await bucket.put(key, body, put)) !== null
}

/** By the digest that R2 verified when the body was put. */
async function found(bucket: R2Bucket, key: string, hash: string): Promise<{ readonly kind: Kind; readonly at: number } | undefined> {
  const there = await bucket.head(key)
  const digest = there?.checksums.sha256
  const isWhole = digest !== undefined && toHex(new Uint8Array(digest)) === hash
  return there && isWhole ? { kind: kindOf(there), at: there.uploaded.getTime() } : undefined
}

const verified = async (body: Uint8Array, hash: string): Promise<Uint8Array | undefined> =>
  (await sha256(body)) === hash ? body : undefined
