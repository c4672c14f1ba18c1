// Values of one kind, each sealed for its own place [T32, N6]: what is sealed for a tenant under a kind and a name opens nowhere else, so
// a row that is moved to another name, or to another table, opens nothing.

import type { Vault } from "../../platform/vault.ts"
import { logError, messageOf } from "../../platform/log.ts"

export class SealedValues {
  readonly #vault: Vault
  readonly #kind: "secret" | "provider"
  readonly #tenant: string

  constructor(vault: Vault, kind: "secret" | "provider", tenant: string) {
    this.#vault = vault
    this.#kind = kind
    this.#tenant = tenant
  }

  /** Throws when there is nothing to seal with. */
  seal(name: string, value: string): Promise<ArrayBuffer> {
    return this.#vault.seal(value, this.#place(name))
  }

  /** Throws when it was sealed under another key, or elsewhere. */
  open(name: string, sealed: ArrayBuffer): Promise<string> {
    return this.#vault.open(sealed, this.#place(name))
  }

  /** Every one that opens. One that was sealed under another key is left out: nobody holds it, so nobody can tell it. */
  async openAll(rows: readonly { readonly name: string; readonly sealed: ArrayBuffer }[]): Promise<ReadonlyMap<string, string>> {
    const opened = new Map<string, string>()
    for (const { name, sealed } of rows) {
      try {
        opened.set(name, await this.open(name, sealed))
      } catch (e) {
        logError("vault.sealed", { kind: this.#kind, name, message: messageOf(e) })
      }
    }
    return opened
  }

  #place(name: string): string {
    return `${this.#kind} ${this.#tenant}/${name}`
  }
}
