// Reads a list again when the stream has news of it. While there is no stream, and after a reading that failed, it is read again and again.

import type { FeedEvent } from "../../../src/api/doc/feed.doc.ts"
import { newsOf } from "./news.ts"
import type { Api } from "./session.ts"

/** Much news at once is one reading; a page out of sight needs it for its title alone. */
const GAP_MS = 1_000
const HIDDEN_GAP_MS = 5_000
/** How far the pause is stretched while the server does not answer. */
const MAX_POLL_MS = 20_000

export interface Watch {
  /** Whether the list could be read. */
  look(): Promise<boolean>
  isNews(event: FeedEvent): boolean
  /** Between two readings without a stream. */
  readonly pollMs: number
  /** Until the next reading with one, for what the stream does not tell. */
  slowMs(): number
}

/** Looks now, and from then on. */
export function watch(api: Api, { look, isNews, pollMs, slowMs }: Watch): () => void {
  const news = newsOf(api)
  let timer: ReturnType<typeof setTimeout> | undefined
  let wait = pollMs
  let last = -Infinity
  let isGood = true
  let isLooking = false
  let isDue = false
  let isOver = false
  const isHidden = (): boolean => document.visibilityState === "hidden"
  const now = async (): Promise<void> => {
    clearTimeout(timer)
    if (isLooking) {
      isDue = true
      return
    }
    isLooking = true
    isDue = false
    last = performance.now()
    isGood = await look()
    isLooking = false
    wait = isGood ? pollMs : Math.min(MAX_POLL_MS, wait * 2)
    if (isDue) soon()
    else rest()
  }
  const soon = (): void => {
    isDue = true
    if (isLooking || isOver) return
    clearTimeout(timer)
    timer = setTimeout(() => void now(), Math.max(0, last + (isHidden() ? HIDDEN_GAP_MS : GAP_MS) - performance.now()))
  }
  const rest = (): void => {
    if (isLooking || isDue || isOver) return
    clearTimeout(timer)
    timer = setTimeout(() => (isHidden() ? rest() : void now()), isGood && news.line() === "open" ? slowMs() : wait)
  }
  const seen = (): void => {
    if (!isHidden()) void now()
  }
  const unhear = news.hear((event) => {
    // What happened before the stream began may not be in the list.
    if (event.type === "stream.began" || event.type === "stream.gap" || isNews(event)) soon()
  })
  const unline = news.onLine(rest)
  document.addEventListener("visibilitychange", seen)
  void now()
  return () => {
    isOver = true
    clearTimeout(timer)
    unhear()
    unline()
    document.removeEventListener("visibilitychange", seen)
  }
}
