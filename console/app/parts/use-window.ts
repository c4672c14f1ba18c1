// Which rows of a long list are drawn: those in view of the window or of a scrolling element, and some beyond. Lists of up to 60 rows are drawn
// whole.

import { useEffect, useState, type RefObject } from "react"

const WHOLE = 60
const BEYOND = 8
/** The first row that is drawn changes in steps, so that most frames of a scroll draw nothing new. */
const STEP = 6

export interface ShownRows {
  readonly from: number
  readonly to: number
}

export function useWindow(
  place: RefObject<HTMLElement | null>,
  count: number,
  height: number,
  inside?: RefObject<HTMLElement | null>,
): ShownRows {
  const [shown, setShown] = useState<ShownRows>({ from: 0, to: Math.min(count, WHOLE) })
  useEffect(() => {
    if (count <= WHOLE) return setShown({ from: 0, to: count })
    const scroller = inside?.current ?? undefined
    const look = (): void => {
      const node = place.current
      if (!node) return
      const top = scroller ? scroller.scrollTop : -node.getBoundingClientRect().top
      const tall = scroller ? scroller.clientHeight : window.innerHeight
      const first = Math.max(0, Math.floor(top / height) - BEYOND)
      const from = Math.min(first - (first % STEP), Math.max(0, count - 1))
      const to = Math.min(count, from + Math.ceil(tall / height) + 2 * BEYOND + STEP)
      setShown((before) => (before.from === from && before.to === to ? before : { from, to }))
    }
    const target = scroller ?? window
    target.addEventListener("scroll", look, { passive: true })
    // It tells the first size too, once the browser has made the layout by itself: to ask now would make it within the task that drew the rows.
    const sizes = new ResizeObserver(look)
    sizes.observe(scroller ?? document.documentElement)
    return () => {
      target.removeEventListener("scroll", look)
      sizes.disconnect()
    }
  }, [place, inside, count, height])
  return count <= WHOLE
    ? { from: 0, to: count }
    : { from: Math.min(shown.from, count), to: Math.min(Math.max(shown.to, shown.from + 1), count) }
}
