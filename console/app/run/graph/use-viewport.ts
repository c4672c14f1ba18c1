// Moves and scales the graph: by wheel and two fingers, by dragging, by pinching or Ctrl and the wheel, and by its buttons.

import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react"
import { fitOf } from "../../../../web/run/layout.ts"
import type { Box, Layout } from "../../../../web/run/places.ts"
import { EDGE, isSeen, moved, viewOf, zoomed, type Viewport } from "../../../../web/run/viewport.ts"

/** Names of steps are still read at it. */
export const LEAST_ZOOM = 0.55
/** Of one press of a button. */
const STEP = 1.25
/** A journal that is being read chooses many steps in a moment: only the last one is looked for. */
const FOLLOW_MS = 60
/** In px: less is a click. */
const LEAST_DRAG = 4

export interface Zoom {
  readonly by: "in" | "out" | "fit"
  readonly turn: number
}

export function useViewport(
  box: RefObject<HTMLElement | null>,
  layout: Layout,
  { chosen, zoom }: { readonly chosen: string | undefined; readonly zoom: Zoom },
): { readonly view: Viewport | undefined; readonly pane: Box } {
  const [pane, setPane] = useState<Box>({ width: 0, height: 0 })
  // Nothing is drawn before it is known where, not even to be moved at once.
  const [view, setView] = useState<Viewport>()
  const now = useRef({ pane, layout })
  const zoomedAt = useRef(zoom.turn)
  now.current = { pane, layout }
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const read = (): void => setPane({ width: element.clientWidth, height: element.clientHeight })
    read()
    const watch = new ResizeObserver(read)
    watch.observe(element)
    return () => watch.disconnect()
  }, [box])
  const isMeasured = pane.width > 0 && pane.height > 0
  const place = layout.places.find(({ id }) => id === chosen)
  useLayoutEffect(() => {
    if (!isMeasured) return
    const isNew = zoomedAt.current !== zoom.turn
    zoomedAt.current = zoom.turn
    // A pane that changes its size is no press of a button.
    if (zoom.by !== "fit" && !isNew) return
    const middle = { x: pane.width / 2, y: pane.height / 2 }
    if (zoom.by !== "fit") return setView((before) => before && zoomed(before, zoom.by === "in" ? STEP : 1 / STEP, middle))
    const fit = fitOf(layout, { width: pane.width - 2 * EDGE, height: pane.height - 2 * EDGE })
    setView(viewOf(layout, pane, layout.places[0], Math.max(LEAST_ZOOM, fit)))
  }, [isMeasured, pane, layout, zoom])
  useEffect(() => {
    if (!isMeasured || place === undefined) return
    const timer = setTimeout(() => {
      setView((before) => (!before || isSeen(place, pane, before) ? before : viewOf(layout, pane, place, before.zoom)))
    }, FOLLOW_MS)
    return () => clearTimeout(timer)
  }, [isMeasured, pane, layout, place])
  useEffect(() => {
    const element = box.current
    return element ? listen(element, now, setView) : undefined
  }, [box])
  return { view, pane }
}

type Now = RefObject<{ readonly pane: Box; readonly layout: Layout }>
type SetView = (change: (before: Viewport | undefined) => Viewport | undefined) => void

/** By hand, since a wheel is only kept from the page by a listener that is not passive. */
function listen(element: HTMLElement, now: Now, setView: SetView): () => void {
  const move = (x: number, y: number): void => setView((before) => before && moved(before, { x, y }, now.current.layout, now.current.pane))
  const wheel = (event: WheelEvent): void => {
    event.preventDefault()
    const { left, top } = element.getBoundingClientRect()
    const around = { x: event.clientX - left, y: event.clientY - top }
    if (event.ctrlKey || event.metaKey) setView((before) => before && zoomed(before, Math.exp(-event.deltaY / 200), around))
    else if (event.shiftKey && event.deltaX === 0) move(-event.deltaY, 0)
    else move(-event.deltaX, -event.deltaY)
  }
  let from: { readonly x: number; readonly y: number; readonly isDrag: boolean } | undefined
  const down = (event: PointerEvent): void => {
    if (event.button === 0) from = { x: event.clientX, y: event.clientY, isDrag: false }
  }
  const drag = (event: PointerEvent): void => {
    if (!from) return
    const [x, y] = [event.clientX - from.x, event.clientY - from.y]
    if (!from.isDrag && Math.hypot(x, y) < LEAST_DRAG) return
    // From here on the pointer is the graph's, so that no step is chosen where it is let go.
    if (!from.isDrag) element.setPointerCapture(event.pointerId)
    from = { x: event.clientX, y: event.clientY, isDrag: true }
    move(x, y)
  }
  const up = (): void => void (from = undefined)
  element.addEventListener("wheel", wheel, { passive: false })
  element.addEventListener("pointerdown", down)
  element.addEventListener("pointermove", drag)
  element.addEventListener("pointerup", up)
  element.addEventListener("pointercancel", up)
  return () => {
    element.removeEventListener("wheel", wheel)
    element.removeEventListener("pointerdown", down)
    element.removeEventListener("pointermove", drag)
    element.removeEventListener("pointerup", up)
    element.removeEventListener("pointercancel", up)
  }
}
