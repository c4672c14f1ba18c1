// A long press on a row of a touch screen selects it.

import { useRef, type PointerEvent, type SyntheticEvent } from "react"

const HOLD_MS = 500
/** A finger is never quite still. */
const STILL_PX = 10

export function useHold(onHold: (id: string) => void) {
  const press = useRef<{ readonly x: number; readonly y: number; readonly timer: ReturnType<typeof setTimeout> } | undefined>(undefined)
  const held = useRef(false)
  const end = (): void => {
    clearTimeout(press.current?.timer)
    press.current = undefined
  }
  return {
    onPointerDown(event: PointerEvent<HTMLElement>): void {
      end()
      held.current = false
      const row = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-run]") : null
      if (event.pointerType !== "touch" || row === null) return
      const { clientX: x, clientY: y } = event
      const id = row.dataset["run"] ?? ""
      const timer = setTimeout(() => {
        held.current = true
        onHold(id)
      }, HOLD_MS)
      press.current = { x, y, timer }
    },
    onPointerMove({ clientX, clientY }: PointerEvent<HTMLElement>): void {
      const from = press.current
      if (from && Math.hypot(clientX - from.x, clientY - from.y) > STILL_PX) end()
    },
    onPointerUp: end,
    onPointerCancel: end,
    /** The press is no click on the row's link, and opens no menu of the browser. */
    onClickCapture(event: SyntheticEvent): void {
      if (!held.current) return
      held.current = false
      event.preventDefault()
      event.stopPropagation()
    },
    onContextMenu(event: SyntheticEvent): void {
      if (press.current !== undefined || held.current) event.preventDefault()
    },
  }
}
