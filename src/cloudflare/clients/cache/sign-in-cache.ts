// Caches sessions in the isolate [O14]: their holder, which never changes, and for 5 s the tenant object's answer about the holder, as long
// as it has a valid key [S18]. One answer serves all sessions of a holder.

import type { SignInHolding, Signed, SignInsRoom } from "../../../ports/tenant/sign-ins.ts"
import { MOMENT_MS, RecentAnswers } from "../../platform/recent-answers.ts"
import { perIsolate } from "../../../ports/isolate.ts"

const MAX_HOLDERS = 1_000
const MAX_SESSIONS = 5_000 // limit: sessions in memory → the cache is emptied

interface Sources {
  /** The row in KV. */
  readonly holderOf: (digest: string) => Promise<string | undefined>
  readonly room: Pick<SignInsRoom, "holding" | "find">
  readonly now: () => number
}

interface Moment {
  /** When the object was asked. */
  readonly at: number
  readonly now: number
}

export class SessionCache {
  /** By `TENANT/HOLDER`. */
  readonly #holdings = new RecentAnswers<SignInHolding | undefined>(MOMENT_MS, MAX_HOLDERS)
  /** By `TENANT/DIGEST`. */
  readonly #holders = new Map<string, string>()
  readonly #over = new RecentAnswers<true>(MOMENT_MS, MAX_SESSIONS)

  /** The session, if it is open and its key valid. */
  async find(tenant: string, digest: string, { holderOf, room, now }: Sources): Promise<Signed | undefined> {
    const name = `${tenant}/${digest}`
    if (this.#over.recent(name, now())) return undefined
    const holder = this.#holders.get(name) ?? (await holderOf(digest))
    let wasAsked = false
    if (holder !== undefined) {
      const known = await this.#holdings.get(`${tenant}/${holder}`, {
        now,
        ask() {
          wasAsked = true
          return room.holding(holder)
        },
        isGood: (holding) => holding !== undefined,
        keeps: (holding) => holding !== undefined,
      })
      const found = opened(known, digest, now())
      if (found) return this.#known(name, found, now())
    }
    // Not in KV, or not in an answer from before: it may have been opened elsewhere since.
    const at = now()
    const holding = wasAsked ? undefined : await room.find(digest)
    const found = opened(holding, digest, now())
    if (found && holding) this.#take(`${tenant}/${found.row.key}`, holding, { at, now: now() })
    else this.#over.take(name, { at, make: () => true }, now())
    return found && this.#known(name, found, now())
  }

  /** This isolate has opened a session: the holder's answer has it. */
  opened(tenant: string, digest: string, holding: SignInHolding, { at, now }: Moment): Signed | undefined {
    const found = opened(holding, digest, now)
    if (found) this.#take(`${tenant}/${found.row.key}`, holding, { at, now })
    return found && this.#known(`${tenant}/${digest}`, found, now)
  }

  /** This isolate has ended a session: it is over at once. */
  ended(tenant: string, digest: string, now: number): void {
    const name = `${tenant}/${digest}`
    const holder = this.#holders.get(name)
    this.#holders.delete(name)
    this.#over.take(name, { at: now, make: () => true }, now)
    if (holder !== undefined) this.forget(tenant, holder)
    else this.forget(tenant)
  }

  /** `holder` absent: all holders of the tenant. */
  forget(tenant: string, holder?: string): void {
    this.#holdings.forget((name) => (holder === undefined ? name.startsWith(`${tenant}/`) : name === `${tenant}/${holder}`))
  }

  #take(name: string, holding: SignInHolding, { at, now }: Moment): void {
    this.#holdings.take(name, { at, make: () => holding }, now)
  }

  #known(name: string, found: Signed, now: number): Signed | undefined {
    // Ended here while the object was asked.
    if (this.#over.recent(name, now)) return undefined
    if (this.#holders.size >= MAX_SESSIONS) this.#holders.clear()
    this.#holders.set(name, found.row.key)
    return found
  }
}

function opened(holding: SignInHolding | undefined, digest: string, now: number): Signed | undefined {
  const row = holding?.open.find((one) => one.digest === digest && now < one.until)
  return holding && row && { row, key: holding.key }
}

/** This isolate's cache. */
export const sessions = perIsolate(() => new SessionCache())

/** `keyId` absent: all sessions of the tenant. */
export const forgetSessions = (tenant: string, keyId?: string): void => sessions().forget(tenant, keyId)
