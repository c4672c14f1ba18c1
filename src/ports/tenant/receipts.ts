// Defines receipts [K40–K42]: their last line, the signing keys, and the result of a verification.

import type { SigningKey, Verified as VerifiedShape } from "../../api/doc/trust.doc.ts"
import type { Shown } from "../../api/rows.ts"

/** The last line of a receipt without its key and signature. */
export interface Seal {
  /** SHA-256 of the first line. */
  readonly header: string
  /** How many events there are. */
  readonly events: number
  /** SHA-256 of the last event. */
  readonly head: string
  /** The time of the last event, in milliseconds. */
  readonly at: number
}
/** The last line of a receipt. The signature covers its JSON without `signature`. */
export interface Footer extends Seal {
  readonly key: string
  readonly signature: string
}

/** A public key in the form of RFC 8037. */
export type PublicKey = Shown<typeof SigningKey>

/** The instance's signing keys. Private keys never leave their object. */
export interface SigningPort {
  /** Signs with the newest key, and makes the first one. Throws a `VaultError` if the instance has no key to seal it with. */
  sign(seal: Seal): Promise<Footer>
  /** All keys that ever signed, oldest first. */
  keys(): Promise<readonly PublicKey[]>
  /** A new key signs from now on; "full": the instance has as many as it may. */
  rotate(): Promise<PublicKey | "full">
  /** What holds of a receipt of this instance. Never rejects over what it is given. */
  verify(receipt: Uint8Array): Promise<Verified>
}

export const CHECKS = ["form", "sequence", "chain", "definitions", "signature", "replay"] as const
export type Check = (typeof CHECKS)[number]

export type Verified = Shown<typeof VerifiedShape>
