// Receipts: verify one, and the public keys that verify them without a server.

import type { SigningKey, Verified } from "../api/doc/trust.doc.ts"
import type { Transport } from "./transport.ts"

export class Receipts {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }
  /** What holds of a receipt of this instance; at most 16 MiB. */
  verify(receipt: string): Promise<Verified> {
    return this.#transport.json("POST", "/v1/receipts/verify", { body: receipt, type: "text/plain" })
  }
  /** Every key that ever signed, oldest first. */
  async keys(): Promise<readonly SigningKey[]> {
    const found: { readonly keys: readonly SigningKey[] } = await this.#transport.json("GET", "/.well-known/sluice-keys.json")
    return found.keys
  }
  /** For the instance's admin key: a new key signs from now on. */
  rotate(): Promise<SigningKey> {
    return this.#transport.json("POST", "/v1/signing-keys")
  }
}
