// What a tenant has set about itself, as its object answers for it: for how long runs are kept, and which origins may call [H6], [H7].

import type { Quotas } from "../../ports/tenants.ts"
import type { AccountStore } from "./account-store.ts"

export class AccountRpc {
  readonly #account: AccountStore
  readonly #want: (at: number) => void

  constructor(account: AccountStore, want: (at: number) => void) {
    this.#account = account
    this.#want = want
  }

  quotas(): Quotas {
    return this.#account.quotas()
  }

  retention(): number {
    return this.#account.retention()
  }

  putRetention(ms: number): { ok: true } | { ok: false; above: number } {
    const done = this.#account.putRetention(ms)
    if (this.#account.swept() !== undefined) this.#want(Date.now())
    return done
  }

  origins(): string[] {
    return this.#account.origins()
  }

  putOrigins(origins: readonly string[]): void {
    this.#account.putOrigins(origins)
  }
}
