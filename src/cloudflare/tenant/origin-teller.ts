// Tells the directory which origins the tenant lists [H7], so that a preflight, which has no key, is answered. The tenant's own row is written
// first: until the directory has heard of it, the alarm tries again.

import type { DirectoryNamespace } from "../platform/stubs.ts"
import { directoryStub } from "../platform/stubs.ts"
import { idOf } from "../platform/jurisdiction.ts"
import type { AccountStore } from "./account-store.ts"
import type { DueWork } from "./tenant-alarm.ts"

export class OriginTeller implements DueWork {
  readonly name = "origins"
  readonly #account: AccountStore
  readonly #env: DirectoryNamespace
  readonly #tenant: string

  constructor(account: AccountStore, env: DirectoryNamespace, tenant: string) {
    this.#account = account
    this.#env = env
    this.#tenant = tenant
  }

  readonly due = (): number | undefined => (this.#untold() === undefined ? undefined : 0)

  readonly work = async (): Promise<void> => {
    const origins = this.#untold()
    if (origins === undefined) return
    await directoryStub(this.#env).putOrigins(idOf(this.#tenant), origins)
    this.#account.toldOrigins(origins)
  }

  /** At once, if it can be. */
  tell(): Promise<void> {
    return this.work().catch(() => undefined)
  }

  /** Of a tenant that is being deleted the directory forgets them. */
  #untold(): readonly string[] | undefined {
    return this.#account.since() === undefined ? undefined : this.#account.untoldOrigins()
  }
}
