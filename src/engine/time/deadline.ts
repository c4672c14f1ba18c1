// Limits the time of work. Timers are cleared as soon as the work is done, because a pending timer keeps a Durable Object in memory.

/** The work's result, or that of `late` after `ms`. The work itself continues. */
export async function inTime<T>(work: Promise<T>, ms: number, late: () => T): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))
  try {
    return await Promise.race([work, over.then(late)])
  } finally {
    clearTimeout(timer)
  }
}

export interface Deadline {
  readonly signal: AbortSignal
  /** The work is done: nothing is aborted any more. */
  end(): void
  /** Time that does not count: the clock begins anew after it. */
  apart<T>(waiting: Promise<T>): Promise<T>
}

/** Aborts after `ms` with an error of this message. Unlike `AbortSignal.timeout`, its timer can be cleared. */
export function deadline(ms: number, message: string): Deadline {
  const late = new AbortController()
  const begin = () => setTimeout(() => late.abort(new Error(message)), ms)
  let timer: ReturnType<typeof begin> | undefined = begin()
  const end = (): void => {
    clearTimeout(timer)
    timer = undefined
  }
  return {
    signal: late.signal,
    end,
    async apart(waiting) {
      clearTimeout(timer)
      try {
        return await waiting
      } finally {
        if (timer !== undefined) timer = begin()
      }
    },
  }
}

/** Resolves after `ms`, or as soon as the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const done = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener("abort", done, { once: true })
  })
}
