// Sets all timers of the server: for pauses, for work that may take only so long, and for work that is done later. They are cleared as soon as
// nobody waits: one that runs on keeps a Durable Object in memory.

/** Does the work after `ms`, unless the function that it returns is called before. */
export function later(work: () => void, ms: number): () => void {
  const timer = setTimeout(work, ms)
  return () => clearTimeout(timer)
}

/** Does the work every `ms`, until the function that it returns is called. */
export function every(work: () => void, ms: number): () => void {
  const timer = setInterval(work, ms)
  return () => clearInterval(timer)
}

/** Aborted after `ms`, whatever became of the work: a `deadline` ends with it. */
export const signalAfter = (ms: number): AbortSignal => AbortSignal.timeout(ms)

/** The work's result, or what `late` gives or throws after `ms`. The work itself goes on. */
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
