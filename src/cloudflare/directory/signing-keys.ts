// Stores the keys that sign receipts [K41]: the instance's key, created at first use, and earlier ones. A private key is sealed like a
// secret and never leaves this object; public keys are kept, so that old receipts can be verified.

import { toBase64url } from "../../core/text/base64url.ts"
import { sealText } from "../../engine/receipt/receipt.ts"
import type { Footer, PublicKey, Seal } from "../../ports/tenant/receipts.ts"
import { sha256 } from "../platform/sha256.ts"
import type { Vault } from "../platform/vault.ts"

/** Every key is kept as long as the instance, and the list returns them all. */
export const MAX_SIGNING_KEYS = 100 // limit: keys that ever signed receipts of an instance → 409 `too_many_signing_keys`

const TABLE =
  "CREATE TABLE IF NOT EXISTS signing_key (n INTEGER PRIMARY KEY, kid TEXT NOT NULL, x TEXT NOT NULL, sealed BLOB NOT NULL, created INTEGER NOT NULL)"
const ALGORITHM = { name: "Ed25519" } as const

type Row = { kid: string; x: string; sealed: ArrayBuffer }
interface Signer {
  readonly kid: string
  readonly key: CryptoKey
}

export class SigningKeys {
  readonly #sql: SqlStorage
  readonly #vault: Vault
  /** The newest key, opened. */
  #signer: Promise<Signer> | undefined

  constructor(sql: SqlStorage, vault: Vault) {
    this.#sql = sql
    this.#vault = vault
    sql.exec(TABLE)
  }

  keys(): PublicKey[] {
    return this.#sql.exec<Row>("SELECT kid, x, sealed FROM signing_key ORDER BY n").toArray().map(publicOf)
  }

  async sign(seal: Seal): Promise<Footer> {
    // Two first receipts at once wait for one key.
    this.#signer ??= this.#open().catch((e: unknown) => {
      this.#signer = undefined
      throw e
    })
    const { kid, key } = await this.#signer
    const signature = await crypto.subtle.sign(ALGORITHM, key, new TextEncoder().encode(sealText(seal, kid)))
    const { header, events, head, at } = seal
    return { header, events, head, at, key: kid, signature: toBase64url(new Uint8Array(signature)) }
  }

  /** "full": no further key fits. */
  async rotate(): Promise<PublicKey | "full"> {
    if (this.keys().length >= MAX_SIGNING_KEYS) return "full"
    const made = await this.#make()
    this.#signer = undefined
    return publicOf(made)
  }

  async #open(): Promise<Signer> {
    const [newest] = this.#sql.exec<Row>("SELECT kid, x, sealed FROM signing_key ORDER BY n DESC LIMIT 1").toArray()
    const { kid, sealed } = newest ?? (await this.#make())
    const jwk = JSON.parse(await this.#vault.open(sealed, placeOf(kid))) as JsonWebKey
    return { kid, key: await crypto.subtle.importKey("jwk", jwk, ALGORITHM, false, ["sign"]) }
  }

  async #make(): Promise<Row> {
    const made = (await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"])) as CryptoKeyPair
    const { x = "" } = (await crypto.subtle.exportKey("jwk", made.publicKey)) as JsonWebKey
    const jwk = await crypto.subtle.exportKey("jwk", made.privateKey)
    const kid = `sig_${sha256(x).slice(0, 32)}`
    const sealed = await this.#vault.seal(JSON.stringify(jwk), placeOf(kid))
    this.#sql.exec("INSERT INTO signing_key (kid, x, sealed, created) VALUES (?, ?, ?, ?)", kid, x, sealed, Date.now())
    return { kid, x, sealed }
  }
}

const placeOf = (kid: string): string => `signing key ${kid}`

const publicOf = ({ kid, x }: Pick<Row, "kid" | "x">): PublicKey => ({ kty: "OKP", crv: "Ed25519", x, kid, use: "sig", alg: "EdDSA" })
