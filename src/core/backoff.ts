// Computes the wait before the next try: twice as long each time, up to a limit.

/** `tries`: 0 waits `first` ms. */
export const backoff = (first: number, tries: number, most = Number.POSITIVE_INFINITY): number => Math.min(most, first * 2 ** tries)
