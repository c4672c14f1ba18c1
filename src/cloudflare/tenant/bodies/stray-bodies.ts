// Finds bodies that nobody has ever owned [F71]: a run's object died after it had stored a body and before an event named it. Nothing else knows
// their names, and a note before each put would cost every run a commit. So a run that has lost an effect says when, and some time later a look goes
// through the tenant's bodies in R2, a page at a time. What has no owner is left to the sweep, which looks for owners once more before it deletes.

import { bodyKey, kindOf } from "../../blobs/blobs-r2.ts"
import type { DueWork } from "../tenant-alarm.ts"
import type { TenantSql } from "../tenant-sql.ts"
import type { BodyStore } from "./body-store.ts"

const KEY = "strays"
/** What was on its way to R2 when the object died has arrived by then. */
const WAIT_MS = 300_000
/** A look that began so long after a loss has seen what that left. */
const SETTLED_MS = 240_000
/** The clock of R2 may be so much ahead. */
const SKEW_MS = 10_000
const PAGE = 500

interface Look {
  /** When the next page is due (ms); absent: no look is needed. */
  readonly due?: number
  /** When the newest look began (ms). */
  readonly begun: number
  /** The last key that it has seen; absent: it has not begun, or is over. */
  readonly after?: string
  /** Something was lost after it began. */
  readonly again?: true
}

export interface StrayDeps {
  readonly store: Pick<BodyStore, "unknown" | "left">
  readonly sql: Pick<TenantSql, "write" | "version">
  readonly kv: Pick<SyncKvStorage, "get" | "put">
  readonly tenant: string
  readonly bucket: Pick<R2Bucket, "list">
  /** false: the tenant is being deleted, or is gone. */
  readonly isThere: () => boolean
  readonly now: () => number
  readonly want: (at: number) => void
}

export class StrayBodies implements DueWork {
  readonly name = "strays"
  readonly #deps: StrayDeps
  #read: { readonly version: number; readonly look: Look | undefined } | undefined

  constructor(deps: StrayDeps) {
    this.#deps = deps
  }

  /** An effect was lost at this time (ms). */
  lost(at: number): void {
    const { now, isThere } = this.#deps
    const before = this.#look() ?? { begun: 0 }
    const isSeen = at + SETTLED_MS <= before.begun
    const isComing = before.due !== undefined && (before.after === undefined || before.again === true)
    if (isSeen || isComing || !isThere()) return
    this.#put(before.due === undefined ? { begun: before.begun, due: now() + WAIT_MS } : { ...before, again: true })
  }

  readonly due = (): number | undefined => (this.#deps.isThere() ? this.#look()?.due : undefined)

  readonly mend = (now: number): void => {
    const look = this.#look()
    if (look?.due !== undefined && look.due > now + WAIT_MS) this.#put({ ...look, begun: Math.min(look.begun, now), due: now + WAIT_MS })
  }

  readonly work = async (now: number): Promise<void> => {
    const { store, tenant, bucket } = this.#deps
    const look = this.#look()
    if (look?.due === undefined) return
    const prefix = bodyKey(tenant, "")
    const begun = look.after === undefined ? now : look.begun
    const from = look.after === undefined ? {} : { startAfter: look.after }
    const found = await bucket.list({ prefix, limit: PAGE, include: ["customMetadata"], ...from })
    // One of the future was uploaded before the clock was set back. Whoever owns it says so long before the sweep deletes it.
    const isOld = (at: number): boolean => at < begun || at > now + SKEW_MS
    const old = found.objects.filter((it) => kindOf(it) === "content" && isOld(it.uploaded.getTime()))
    store.left(store.unknown(old.map(({ key }) => key.slice(prefix.length))))
    const last = found.objects.at(-1)?.key
    const isAgain = this.#look()?.again === true
    if (found.truncated && last !== undefined) this.#put({ begun, due: now, after: last, ...(isAgain ? { again: true } : {}) })
    else this.#put({ begun, ...(isAgain ? { due: now + WAIT_MS } : {}) })
  }

  #look(): Look | undefined {
    const { sql, kv } = this.#deps
    // A deletion of the tenant is another version.
    if (this.#read?.version !== sql.version) this.#read = { version: sql.version, look: kv.get<Look>(KEY) }
    return this.#read.look
  }

  /** In a transaction of the tenant's rows: a tenant that is gone gets no key. */
  #put(look: Look): void {
    const { sql, kv, want } = this.#deps
    sql.write(() => kv.put(KEY, look))
    this.#read = { version: sql.version, look }
    if (look.due !== undefined) want(look.due)
  }
}
