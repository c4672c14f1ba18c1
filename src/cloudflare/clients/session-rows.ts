// Stores rows of sessions in Workers KV [O13]: only the holder of a session, under the hash of its cookie, with no name, address or right.
// A row gives no access, and may be late, lost or expired: the tenant's object decides which sessions of the holder are open.

import { z } from "zod"
import { inTime } from "../../ports/timers.ts"
import { jurisdictionOf } from "../platform/jurisdiction.ts"
import type { SignInRow } from "../../ports/tenant/sign-ins.ts"

/** A KV that does not answer in this time has no row. */
const PATIENCE_MS = 1_000
/** KV takes no row that ends sooner (s). */
const LEAST_S = 60

const Row = z.object({ holder: z.string(), place: z.string(), until: z.number() })

export interface SessionKv {
  readonly CACHE: Pick<KVNamespace, "get" | "put" | "delete">
}

export class SessionRows {
  readonly #kv: SessionKv["CACHE"] | undefined
  readonly #tenant: string

  /** A tenant with a jurisdiction has no row in KV, which stores worldwide [N1]. */
  constructor(env: SessionKv, tenant: string) {
    this.#kv = jurisdictionOf(tenant) === undefined ? env.CACHE : undefined
    this.#tenant = tenant
  }

  /** The holder of the session; undefined: KV does not know it, or cannot say. */
  async holderOf(digest: string): Promise<string | undefined> {
    const row = await this.#tried((kv) => kv.get(this.#key(digest), { type: "json", cacheTtl: LEAST_S }))
    return Row.safeParse(row).data?.holder
  }

  async put({ digest, key, place, until }: SignInRow, now: number): Promise<void> {
    if (until - now <= LEAST_S * 1_000) return
    const row = JSON.stringify({ holder: key, place, until } satisfies z.infer<typeof Row>)
    await this.#tried((kv) => kv.put(this.#key(digest), row, { expiration: Math.floor(until / 1_000) }))
  }

  async remove(digest: string): Promise<void> {
    await this.#tried((kv) => kv.delete(this.#key(digest)))
  }

  #key = (digest: string): string => sessionKey(this.#tenant, digest)

  /** KV's faults are no answer. */
  async #tried<T>(use: (kv: SessionKv["CACHE"]) => Promise<T>): Promise<T | undefined> {
    if (this.#kv === undefined) return undefined
    try {
      return await inTime<T | undefined>(use(this.#kv), PATIENCE_MS, () => undefined)
    } catch {
      return undefined
    }
  }
}

export const sessionKey = (tenant: string, digest: string): string => `t/${tenant}/session/${digest}`
