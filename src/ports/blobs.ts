// Immutable bodies by SHA-256 (hex), scoped to one tenant. The same body has the same name; nothing is ever overwritten [F71].

export interface Blobs {
  /** Stores the body and answers its hash. Durable when it resolves. */
  put(body: Uint8Array): Promise<string>
  /** undefined when there is none, or when what is stored does not have this hash. */
  get(hash: string): Promise<Uint8Array | undefined>
}
