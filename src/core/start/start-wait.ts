// Says what a queued start waits for [R18]: as the tenant's object knows it, and as views show it.

import { defined } from "../defined.ts"
import { isoTime } from "../text/iso-time.ts"

export const WAIT_REASONS = ["debounce", "batch", "delay", "throttle", "concurrency", "room"] as const
export type WaitReason = (typeof WAIT_REASONS)[number]

/** As of now. Times are milliseconds. */
export interface StartWait {
  readonly reason: WaitReason
  /** When time alone may end it. */
  readonly until?: number
  readonly pool?: string
  readonly key?: string
  /** How many go before it, counted up to 100. */
  readonly ahead?: number
  /** The oldest run that holds the key. */
  readonly run?: string
  readonly expires?: number
}

export type ShownWait = Omit<StartWait, "until" | "expires"> & { readonly until?: string; readonly expires?: string }

export const shownWait = ({ until, expires, ...wait }: StartWait): ShownWait => ({
  ...wait,
  ...defined({ until: isoTime(until), expires: isoTime(expires) }),
})

interface Named {
  readonly reason: string
  readonly pool?: string
  readonly key?: string
  readonly ahead?: number
}

/** As a sentence names it. */
export const waitWords = ({ reason, pool, key }: Named): string =>
  key === undefined ? reason : `${reason} (key ${JSON.stringify(key)} of "${pool}")`

/** With how many go before it. */
export const waitAhead = (wait: Named): string => `${waitWords(wait)}${wait.ahead ? `, ${wait.ahead} before it` : ""}`
