// A key decides only about what the person has had on the screen: all of it, and for half a second.

import { useCallback, useEffect, useRef, useState, type RefObject } from "react"

/** A key or a click in the first moments is meant for what was there before. */
const SETTLE_MS = 500
/** How long it is said that a key came too early. */
const EARLY_MS = 2_000

export interface ReadState {
  /** Long enough on the screen to be meant. */
  isSettled(): boolean
  /** Read to its end, and still in view. */
  isRead(): boolean
  /** The same as `isSettled`, for a key: one that comes too early is told so. */
  isMeant(): boolean
  readonly isEarly: boolean
}

/** `node`: what is decided about; its first and last elements are its ends. `foot`: lies over the end of the window. `what`: another value is another thing to read. */
export function useSeen(node: RefObject<HTMLElement | null>, foot: RefObject<HTMLElement | null>, what: string): ReadState {
  const state = useRef({ since: Infinity, hasBegin: false, hasEnd: false, isInView: false })
  useEffect(() => {
    const seen = { since: Infinity, hasBegin: false, hasEnd: false, isInView: false }
    state.current = seen
    const target = node.current
    const [begin, end] = [target?.firstElementChild, target?.lastElementChild]
    if (!target || !begin || !end) return
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target: one, isIntersecting } of entries) {
          if (one === target) seen.isInView = isIntersecting
          else if (isIntersecting && one === begin) seen.hasBegin = true
          else if (isIntersecting) seen.hasEnd = true
        }
        if (seen.isInView && seen.since === Infinity) seen.since = performance.now()
      },
      { rootMargin: `0px 0px -${coveredBy(foot.current)}px 0px` },
    )
    for (const one of [target, begin, end]) observer.observe(one)
    return () => observer.disconnect()
  }, [node, foot, what])
  const isSettled = useCallback(() => document.visibilityState === "visible" && performance.now() - state.current.since >= SETTLE_MS, [])
  const isRead = useCallback(() => {
    const { hasBegin, hasEnd, isInView } = state.current
    return isSettled() && hasBegin && hasEnd && isInView
  }, [isSettled])
  const [early, setEarly] = useState(0)
  const isMeant = useCallback(() => {
    if (isSettled()) return true
    setEarly((n) => n + 1)
    return false
  }, [isSettled])
  useEffect(() => {
    if (early === 0) return
    const timer = setTimeout(() => setEarly(0), EARLY_MS)
    return () => clearTimeout(timer)
  }, [early])
  return { isSettled, isRead, isMeant, isEarly: early > 0 }
}

/** The buttons, and what is below them: the bar on a small screen, and the edge of the page below the pane that they are in. */
function coveredBy(foot: HTMLElement | null): number {
  if (!foot) return 0
  const { height } = foot.getBoundingClientRect()
  const page = foot.closest("main")
  const edge = page === null ? 0 : Number.parseFloat(getComputedStyle(page).paddingBottom)
  return Math.round(height + (Number.parseFloat(getComputedStyle(foot).bottom) || 0) + (edge || 0))
}
