// Encrypts values of one kind, each for its own place [T32, N6]. A value can be decrypted only for its tenant, kind and name, so moving its
// row to another name or table makes it useless.

import { messageOf } from "../../../core/text/fault-text.ts"
import type { Vault } from "../../platform/vault.ts"
import { logError } from "../../platform/log.ts"

export class SealedValues {
  readonly #vault: Vault
  readonly #kind: "secret" | "provider" | "connection" | "push"
  readonly #tenant: string

  constructor(vault: Vault, kind: "secret" | "provider" | "connection" | "push", tenant: string) {
    this.#vault = vault
    this.#kind = kind
    this.#tenant = tenant
  }

  /** Throws if the Worker has no key to seal with. */
  seal(name: string, value: string): Promise<ArrayBuffer> {
    return this.#vault.seal(value, this.#place(name))
  }

  /** Throws if the value was sealed under another key or for another place. */
  open(name: string, sealed: ArrayBuffer): Promise<string> {
    return this.#vault.open(sealed, this.#place(name))
  }

  /** Every value that can be opened. A value sealed under another key is logged and left out; it cannot leak, because no code can open it. */
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
