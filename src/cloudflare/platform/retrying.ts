// Retries a call once if the platform marks the error as retryable.

/** `call` has to take a fresh stub each time, and has to be harmless if made twice. */
export const retrying = <T>(call: () => Promise<T>): Promise<T> =>
  call().catch((e: unknown) => {
    if (isRetryable(e)) return call()
    throw e
  })

/** An overloaded object says `retryable` too; asking it again at once would only add to the load. */
const isRetryable = (e: unknown): boolean =>
  e instanceof Error && "retryable" in e && e.retryable === true && !("overloaded" in e && e.overloaded === true)
