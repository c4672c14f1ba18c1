// A tenant's vault, as its object answers for it. `open` is for the Worker's own objects, never for an answer to anybody [T32].

import type { InTurn } from "../../../engine/in-turn.ts"
import type { SecretRow } from "../../../ports/secrets.ts"
import type { ProviderStore } from "../provider-store.ts"
import { forgetSecrets, type Opened } from "../../clients/secret-cache.ts"
import type { SecretStore } from "./secret-store.ts"

export interface SecretDeps {
  readonly tenant: string
  readonly secrets: SecretStore
  readonly providers: ProviderStore
  readonly inTurn: InTurn
}

/** For the Worker's own objects, never for an answer to a caller [T32]. */
export const openedOf = async ({ secrets, providers }: Pick<SecretDeps, "secrets" | "providers">): Promise<Opened> => ({
  vault: await secrets.open(),
  keys: await providers.keys(),
})

export class SecretRpc {
  readonly #deps: SecretDeps

  constructor(deps: SecretDeps) {
    this.#deps = deps
  }

  list(): readonly SecretRow[] {
    return this.#deps.secrets.list()
  }

  put(scope: string, values: readonly string[]): Promise<"ok" | "full"> {
    return this.#changed(() => this.#deps.secrets.put(scope, values))
  }

  remove(scope: string): Promise<boolean> {
    return this.#changed(async () => this.#deps.secrets.remove(scope))
  }

  /** For the executor alone. */
  open(): Promise<Opened> {
    return openedOf(this.#deps)
  }

  #changed<T>(write: () => Promise<T>): Promise<T> {
    return this.#deps.inTurn(write).finally(() => forgetSecrets(this.#deps.tenant))
  }
}
