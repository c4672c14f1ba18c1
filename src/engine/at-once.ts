// Runs the same work for many items, a few at a time. A Worker may have 6 outgoing connections open at once; more would only queue.

export const CONNECTIONS = 6 // limit: outgoing connections of an object → the next waits

/** Returns results in the order of `items`. The first failure rejects, and no further work begins. */
export async function atOnce<T, R>(items: readonly T[], work: (item: T) => Promise<R>, width: number = CONNECTIONS): Promise<R[]> {
  const results: R[] = []
  let next = 0
  let failed = false
  const lane = async (): Promise<void> => {
    while (next < items.length && !failed) {
      const i = next++
      const item = items[i]
      if (item === undefined) continue
      try {
        results[i] = await work(item)
      } catch (e) {
        failed = true
        throw e
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane))
  return results
}

export interface Failed<T> {
  readonly item: T
  readonly error: unknown
}

/** Does the work for every item, even if some fail, and returns the failed items. */
export async function failedOf<T>(items: readonly T[], work: (item: T) => Promise<unknown>, width?: number): Promise<Failed<T>[]> {
  const failed: Failed<T>[] = []
  await atOnce(items, async (item) => void (await work(item).catch((error: unknown) => failed.push({ item, error }))), width)
  return failed
}
