// Says what a queued run waits for [R18], in a few words.

interface Wait {
  readonly reason: string
  readonly until?: string
  readonly pool?: string
  readonly key?: string
  /** Starts that go before it, counted up to 100. */
  readonly ahead?: number
}

const MOST_AHEAD = 100

/** `time`: an instant as the page writes it. */
export function queuedWords({ reason, until, pool, key, ahead = 0 }: Wait, time: (at: string) => string): string {
  const begins = until === undefined ? "" : time(until)
  const before = ahead === 0 ? "it is next" : `${ahead >= MOST_AHEAD ? `${MOST_AHEAD} or more` : ahead} before it`
  switch (reason) {
    case "debounce":
      return begins === "" ? "waits for more starts like it" : `begins at ${begins} if no start like it comes`
    case "batch":
      return begins === "" ? "collects starts" : `collects starts until ${begins}`
    case "delay":
      return begins === "" ? "begins later" : `begins at ${begins}`
    case "throttle":
      if (begins === "") return `waits for its turn: ${before}`
      return ahead === 0 ? `begins at ${begins}` : `waits for its turn, next at ${begins}: ${before}`
    case "concurrency":
      return `waits for ${key === undefined || key === "" ? (pool ?? "its turn") : key}: ${before}`
    default:
      return ahead === 0 ? "starts when there is room" : `starts when there is room: ${before}`
  }
}
