// Measures how wide an element is, in steps, so that what follows from it is made anew only when it matters.

import { useLayoutEffect, useState, type RefObject } from "react"

const STEP_PX = 32

/** In px, rounded down to a step; 0 until it is known. */
export function useWidth(of: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = of.current
    if (!element) return
    const read = (): void => setWidth(Math.floor(element.clientWidth / STEP_PX) * STEP_PX)
    read()
    const watch = new ResizeObserver(read)
    watch.observe(element)
    return () => watch.disconnect()
  }, [of])
  return width
}
