// The line as nobody would build it [R5]: all starts in line are judged by what holds, one place after another, from the beginning of the whole list.

import { keyName } from "../../../src/core/start/line-things.ts"
import type { InLine } from "../../../src/core/start/line.ts"

export interface Begun {
  readonly start: InLine
  readonly began: number
  over: boolean
}
export interface Waiting {
  readonly start: InLine
  /** It was looked at before and did not begin. */
  waited: boolean
}
export interface Whole {
  waiting: Waiting[]
  readonly begun: Begun[]
  places: number
  readonly room: { readonly places: number; readonly minute: number }
}

const older = (a: InLine, b: InLine): number => a.ready - b.ready || a.n - b.n
const better = (a: InLine, b: InLine): number => a.rank - b.rank || older(a, b)

export function mayBegin({ begun, room }: Whole, now: number, { throttle, concurrency, takes }: InLine): boolean {
  if (throttle) {
    const paced = begun.filter(
      ({ start, began }) => start.throttle && keyName(start.throttle) === keyName(throttle) && began > now - throttle.period,
    )
    if (paced.length >= throttle.limit) return false
  }
  if (concurrency) {
    const holding = begun.filter(({ start, over }) => !over && start.concurrency && keyName(start.concurrency) === keyName(concurrency))
    if ([concurrency.limit, ...holding.map(({ start }) => start.concurrency?.limit ?? 0)].some((limit) => holding.length >= limit))
      return false
  }
  return (takes === "nothing" || room.places > 0) && (takes !== "place and minute" || room.minute > 0)
}

/** What begins now, in order. `whole` is changed accordingly. */
export function naiveLook(whole: Whole, now: number): InLine[] {
  const out: InLine[] = []
  for (;;) {
    const free = whole.waiting.filter(({ start }) => mayBegin(whole, now, start))
    const [next] = free.toSorted((a, b) => (whole.places % 5 === 4 ? older : better)(a.start, b.start))
    if (!next) break
    whole.waiting = whole.waiting.filter((one) => one !== next)
    whole.begun.push({ start: next.start, began: now, over: false })
    if (next.waited) whole.places++
    const { room } = whole as { room: { places: number; minute: number } }
    if (next.start.takes !== "nothing") room.places--
    if (next.start.takes === "place and minute") room.minute--
    out.push(next.start)
  }
  for (const one of whole.waiting) one.waited = true
  return out
}
