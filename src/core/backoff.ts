// Computes the wait before the next try: twice as long each time, up to a limit.

/** The wait in milliseconds after `tries` failed tries; 0 tries wait `first`. */
export const backoff = (first: number, tries: number, most = Number.POSITIVE_INFINITY): number => Math.min(most, first * 2 ** tries)
