// Stores the response to a request with an Idempotency-Key for the next request with that key [H4].

/** [H4] The record of one Idempotency-Key, in the object named after (tenant, key). */
export interface IdempotencyPort {
  begin(digest: string): Promise<
    /** `again`: an earlier attempt began, and how far it got is unknown. */
    | { readonly state: "new"; readonly again?: true }
    | { readonly state: "replay"; readonly answer: StoredAnswer }
    | { readonly state: "conflict" }
    | { readonly state: "busy" }
  >
  /** Stores the answer for at least 24 hours. null (for a refusal) forgets the key. */
  end(digest: string, answer: StoredAnswer | null): Promise<void>
}
export interface StoredAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}
