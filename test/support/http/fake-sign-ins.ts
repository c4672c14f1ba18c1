// Sessions in memory, for the HTTP tests.

import type { Caller } from "../../../src/ports/services.ts"
import { SESSION_MS, signInId, type SignInsPort } from "../../../src/ports/tenant/sign-ins.ts"

export class FakeSignIns implements SignInsPort {
  readonly open_ = new Map<string, { readonly caller: Caller; readonly place: string }>()
  #n = 0

  isOpen(digest: string): boolean {
    return [...this.open_.values()].some(({ caller }) => caller.signIn?.digest === digest)
  }
  async open(by: Caller, name: string | undefined, place: string) {
    const value = `ss_${by.tenant}_${this.#n++}`
    const caller = { ...by, name: name ?? by.name, signIn: { digest: `digest of ${value}`, key: by.name, until: Date.now() + SESSION_MS } }
    this.open_.set(value, { caller, place })
    return { value, caller }
  }
  async callerOf(value: string, place: string) {
    const found = this.open_.get(value)
    return found?.place === place ? found.caller : undefined
  }
  async close({ signIn }: Caller) {
    const [value] = [...this.open_].find(([, { caller }]) => caller.signIn?.digest === signIn?.digest) ?? []
    return value !== undefined && signIn !== undefined && this.open_.delete(value)
  }
  async list({ tenant }: Caller) {
    return [...this.open_.values()].flatMap(({ caller: { tenant: own, name, signIn } }) =>
      own === tenant && signIn
        ? [{ id: signInId(signIn.digest), by: name, key: signIn.key, key_id: null, created: 0, until: signIn.until }]
        : [],
    )
  }
  async end({ tenant }: Caller, id: string) {
    const [value] =
      [...this.open_].find(([, { caller }]) => caller.tenant === tenant && caller.signIn && signInId(caller.signIn.digest) === id) ?? []
    return value !== undefined && this.open_.delete(value)
  }
}
