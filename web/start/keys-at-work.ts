// Gathers the starts of a flow by their key: how many are at work, how many wait, and the oldest run that holds it [R23].

interface Start {
  readonly run: string
  readonly state: "waiting" | "running"
  readonly concurrency?: { readonly key: string; readonly limit: number }
  readonly throttle?: { readonly key: string }
  readonly waiting?: { readonly key?: string }
}

export interface KeyAtWork {
  readonly key: string
  readonly working: number
  readonly waiting: number
  /** undefined: only a rate or a window has this key. */
  readonly limit: number | undefined
  /** The oldest that holds it, else the first that waits. */
  readonly run: string
}

/** `starts` are oldest first. Keys for which most wait come first. */
export function keysAtWork(starts: readonly Start[]): readonly KeyAtWork[] {
  const keys = new Map<string, KeyAtWork>()
  for (const { run, state, concurrency, throttle, waiting } of starts) {
    const key = concurrency?.key ?? waiting?.key ?? throttle?.key
    if (key === undefined) continue
    const known = keys.get(key) ?? { key, working: 0, waiting: 0, limit: undefined, run: "" }
    const works = state === "running"
    keys.set(key, {
      key,
      working: known.working + Number(works),
      waiting: known.waiting + Number(!works),
      limit: concurrency?.limit ?? known.limit,
      run: known.run === "" || (works && known.working === 0) ? run : known.run,
    })
  }
  return [...keys.values()].toSorted((a, b) => b.waiting - a.waiting || b.working - a.working)
}
