// How much of a journal is taken in hand at once.

/** Events are handed on in pages of about this size: an RPC answer has at most 32 MiB, and a slow reader's page stays in memory. */
export const PAGE_CHARS = 4 * 1024 * 1024
/** Events looked at in one go where a journal is read through. */
export const READ_AT_ONCE = 500
