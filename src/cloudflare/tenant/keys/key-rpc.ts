// A tenant's keys, as its object answers for them [H1]. A key of a tenant that is no more opens nothing, whatever its row says.

import type { KeyRow, NewKey } from "../../../ports/tenants.ts"
import type { AccountStore } from "../account-store.ts"
import type { KeyStore, KnownKey } from "./key-store.ts"
import type { KeyWatch } from "./key-watch.ts"

export interface KeyDeps {
  readonly keys: KeyStore
  readonly account: AccountStore
  /** Where keys are in use. */
  readonly watch: KeyWatch
  readonly want: (at: number) => void
}

export class KeyRpc {
  readonly #deps: KeyDeps

  constructor(deps: KeyDeps) {
    this.#deps = deps
  }

  verify(digest: string): KnownKey | undefined {
    const key = this.#deps.keys.verify(digest)
    const since = this.#deps.account.since()
    return key === undefined || since === undefined ? undefined : { ...key, since }
  }

  /** Asked in one turn: a revocation finds the row, or the key is gone already. */
  watch(key: string, run: string): boolean {
    if (!this.holds(key)) return false
    this.#deps.watch.watch(key, run)
    return true
  }

  holds(id: string): boolean {
    return this.#deps.keys.holds(id) && this.#deps.account.since() !== undefined
  }

  create(key: NewKey, act?: string): Promise<(KeyRow & { key: string }) | "too_many"> {
    return this.#deps.keys.create(key, act)
  }

  list(): KeyRow[] {
    return this.#deps.keys.list()
  }

  revoke(id: string): boolean {
    const { keys, watch, want } = this.#deps
    const gone = keys.revoke(id)
    const now = Date.now()
    if (gone && watch.revoke(id, now)) want(now)
    return gone
  }
}
