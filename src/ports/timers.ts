// Sets all timers of the server: for pauses, for time limits, and for delayed work. A timer is cleared as soon as no one waits, because a
// pending timer keeps a Durable Object in memory.

/** Does the work after `ms`, unless the returned function is called first. */
export function later(work: () => void, ms: number): () => void {
  const timer = setTimeout(work, ms)
  return () => clearTimeout(timer)
}

/** Does the work every `ms`, until the returned function is called. */
export function every(work: () => void, ms: number): () => void {
  const timer = setInterval(work, ms)
  return () => clearInterval(timer)
}

/** A signal that aborts after `ms` even if the work is done, unlike `deadline`. */
export const signalAfter = (ms: number): AbortSignal => AbortSignal.timeout(ms)

/** The work's result, or after `ms` the result or error of `late`. The work itself continues. */
export async function inTime<T>(work: Promise<T>, ms: number, late: () => T): Promise<T> {
  let cancel: (() => void) | undefined
  const over = new Promise<void>((resolve) => (cancel = later(resolve, ms)))
  try {
    return await Promise.race([work, over.then(late)])
  } finally {
    cancel?.()
  }
}

export interface Deadline {
  readonly signal: AbortSignal
  /** The work is done: nothing is aborted any more. */
  end(): void
  /** Time that does not count: the clock begins anew after it. */
  apart<T>(waiting: Promise<T>): Promise<T>
}

/** Aborts after `ms` with an error of this message. */
export function deadline(ms: number, message: string): Deadline {
  const late = new AbortController()
  const begin = (): (() => void) => later(() => late.abort(new Error(message)), ms)
  let cancel: (() => void) | undefined = begin()
  const end = (): void => {
    cancel?.()
    cancel = undefined
  }
  return {
    signal: late.signal,
    end,
    async apart(waiting) {
      cancel?.()
      try {
        return await waiting
      } finally {
        if (cancel !== undefined) cancel = begin()
      }
    },
  }
}

/** Resolves after `ms`, or as soon as the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const done = (): void => {
      cancel()
      signal?.removeEventListener("abort", done)
      resolve()
    }
    const cancel = later(done, ms)
    signal?.addEventListener("abort", done, { once: true })
  })
}
