// Stores immutable bodies of one tenant by their SHA-256 (hex). Nothing is ever overwritten [F71].

export interface Blobs {
  /** Stores the body and returns its hash. The body is durable when this resolves. */
  put(body: Uint8Array): Promise<string>
  /** undefined: there is no such body, or the stored bytes do not have this hash. */
  get(hash: string): Promise<Uint8Array | undefined>
}
