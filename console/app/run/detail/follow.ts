// Follows what is written in a pane: it stays at the end while the reader is there, and says so when the reader is not. On a small screen the
// window scrolls in the pane's place.

import { useEffect, useRef, useState, type RefObject } from "react"

/** In px: so near is at the end. */
const NEAR = 24

interface Followed {
  /** What is newest is out of sight. */
  readonly isBehind: boolean
  readonly toEnd: () => void
}

/** `what`: another one begins anew, at its end or where it is. */
export function useFollow(box: RefObject<HTMLElement | null>, what: string, from: "end" | "here" | "off"): Followed {
  const [isBehind, setBehind] = useState(false)
  const end = useRef<() => void>(() => undefined)
  const begins = useRef(from)
  begins.current = from
  const isOn = from !== "off"
  useEffect(() => {
    const pane = box.current
    setBehind(false)
    if (!pane || !isOn) return
    const isOwn = getComputedStyle(pane).overflowY !== "visible"
    const scroller = isOwn ? pane : (document.scrollingElement ?? pane)
    const isNear = (): boolean => scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop < NEAR
    // A window that shows the head of the page is not at the end of the pane.
    let isStuck = (isOwn && begins.current === "end") || isNear()
    const follow = (): void => {
      if (isStuck) scroller.scrollTop = scroller.scrollHeight
      setBehind(!isNear())
    }
    const look = (): void => {
      isStuck = isNear()
      setBehind(!isStuck)
    }
    end.current = () => {
      isStuck = true
      follow()
    }
    follow()
    const target = isOwn ? pane : window
    target.addEventListener("scroll", look, { passive: true })
    const watch = new MutationObserver(follow)
    watch.observe(pane, { childList: true, characterData: true, subtree: true })
    const sizes = new ResizeObserver(follow)
    sizes.observe(pane)
    return () => {
      target.removeEventListener("scroll", look)
      watch.disconnect()
      sizes.disconnect()
    }
  }, [box, what, isOn])
  return { isBehind, toEnd: () => end.current() }
}
