// Stores immutable bodies of one tenant by their SHA-256 (hex). Nothing is ever overwritten [F71].

export interface Blobs {
  /** Stores the body and returns its hash. The body is durable when this resolves. `named` hears of the hash before the body is stored: when the
   *  answer is lost, the body may be there. */
  put(body: Uint8Array, named?: (hash: string) => void): Promise<string>
  /** undefined: there is no such body, or the stored bytes do not have this hash. */
  get(hash: string): Promise<Uint8Array | undefined>
}
