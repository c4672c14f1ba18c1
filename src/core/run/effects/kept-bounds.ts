// How much a staged run keeps [K32]: a question that a person can read, and an answer that fits into a row of the journal.

/** A run and its children together keep at most this many calls, with this many characters of arguments. */
export const MAX_KEPT = 500
export const MAX_KEPT_CHARS = 1_000_000
