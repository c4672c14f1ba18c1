// Sweeps bodies that lost an owner [F71]: deletes their copies in KV immediately, because a read makes a new copy, and the bodies in R2
// after the grace period if they have no owner. It deletes only old content bodies: a new put makes a body young, and protects an old one
// first (blobs/blobs-r2.ts). A sweep that is interrupted or late continues by its rows.

import { failedOf } from "../../../engine/at-once.ts"
import { bodyKey, kindOf } from "../../blobs/blobs-r2.ts"
import type { DueWork } from "../tenant-alarm.ts"
import { GRACE_MS, type BodyStore, type LeftBody } from "./body-store.ts"

/** Bodies in one round; the platform allows 1,000 calls. */
const AT_ONCE = 100
/** After a time in which nothing here was awake, runs report first what they own. */
const LATE_MS = 900_000

export interface BodySweepDeps {
  readonly store: BodyStore
  readonly tenant: string
  readonly bucket: Pick<R2Bucket, "head" | "delete">
  /** Absent: it never had any of them. */
  readonly cache?: Pick<KVNamespace, "delete">
  /** The hashes of definitions that no row names: those of packages and built-ins. */
  readonly definitions: () => Promise<ReadonlySet<string>>
  readonly now: () => number
}

export class BodySweep implements DueWork {
  readonly name = "bodies"
  readonly #deps: BodySweepDeps

  constructor(deps: BodySweepDeps) {
    this.#deps = deps
  }

  readonly due = (): number | undefined => this.#deps.store.earliest()

  readonly mend = (now: number): void => this.#deps.store.mend(now)

  readonly work = async (now: number): Promise<void> => {
    const { store } = this.#deps
    const copied = store.due(now, true, AT_ONCE)
    if (copied.length > 0) await this.#copiesLeave(copied)
    const left = store.due(now, false, AT_ONCE)
    const late = left.filter(({ due }) => now - due > LATE_MS)
    if (late.length > 0) return store.postpone(hashesOf(late), now + LATE_MS)
    if (left.length === 0) return
    const owned = store.owned(hashesOf(left))
    const free = left.filter(({ hash }) => !owned.has(hash))
    const definitions = free.length === 0 ? owned : await this.#deps.definitions()
    store.done(hashesOf(left).filter((hash) => owned.has(hash) || definitions.has(hash)))
    const failed = await failedOf(
      free.filter(({ hash }) => !definitions.has(hash)),
      ({ hash }) => store.going(hash, () => this.#leave(hash)),
    )
    if (failed[0]) throw failed[0].error
  }

  async #copiesLeave(left: readonly LeftBody[]): Promise<void> {
    const { store, tenant, cache, now } = this.#deps
    const failed = await failedOf(left, async ({ hash }) => cache?.delete(bodyKey(tenant, hash)))
    const not = new Set(failed.map(({ item }) => item.hash))
    const gone = hashesOf(left).filter((hash) => !not.has(hash))
    if (gone.length > 0) store.postpone(gone, now() + GRACE_MS)
    if (failed[0]) throw failed[0].error
  }

  async #leave(hash: string): Promise<void> {
    const { store, tenant, bucket, cache, now } = this.#deps
    const key = bodyKey(tenant, hash)
    const there = await bucket.head(key)
    if (there === null || kindOf(there) === "definition") return store.done([hash])
    const young = there.uploaded.getTime() + GRACE_MS
    if (young > now()) return store.postpone([hash], young)
    // The copy first: once the body is gone, nothing names the copy's key.
    await cache?.delete(key)
    // Meanwhile somebody may have held it, or reported it.
    if (!store.isDue(hash, now()) || store.owned([hash]).has(hash)) return
    await bucket.delete(key)
    store.done([hash])
  }
}

const hashesOf = (left: readonly LeftBody[]): string[] => left.map(({ hash }) => hash)
