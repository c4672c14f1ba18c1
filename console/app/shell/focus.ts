// Where the keyboard is: it goes back to what opened a dialog, and after a change of page to where the page begins: the field that is marked, or else
// the heading.

import { useEffect, useRef } from "react"
import { usePlace } from "./place.ts"

const HEADINGS = "main:not([aria-busy]) h1, main:not([aria-busy]) h2"
/** A page that is on its way is waited for so long. */
const PAGE_MS = 5_000

const TRIES = 20
const TRY_MS = 20

const isLost = (): boolean => document.activeElement === null || document.activeElement === document.body

/** Until the dialog is gone, nothing behind it takes the focus. */
export function focusBack(opener: Element | null, tries = TRIES): void {
  setTimeout(() => {
    if (!isLost() || tries === 0) return
    if (opener instanceof HTMLElement && opener.isConnected && opener !== document.body) opener.focus({ preventScroll: true })
    if (isLost()) focusHeading()
    if (isLost()) focusBack(opener, tries - 1)
  }, TRY_MS)
}

function focusHeading(): boolean {
  // The field is on its way.
  if (document.querySelector("main [data-reading]")) return false
  const field = shown("main:not([aria-busy]) [data-autofocus]")
  if (field) {
    field.focus({ preventScroll: true })
    return true
  }
  const heading = shown(HEADINGS)
  if (!heading) return false
  if (!heading.hasAttribute("tabindex")) heading.tabIndex = -1
  heading.focus({ preventScroll: true })
  return true
}

/** While the file of a page is on its way, the page before is still there, hidden. */
const shown = (what: string): HTMLElement | undefined =>
  [...document.querySelectorAll<HTMLElement>(what)].find((one) => one.checkVisibility())

/** What has the focus within the new page keeps it, such as a row of a list that stays. */
export function useHeadingFocus(): void {
  const at = usePlace().join("/")
  const before = useRef(at)
  useEffect(() => {
    if (before.current === at) return
    before.current = at
    let isOver = false
    const isElsewhere = (): boolean => isLost() || document.activeElement?.closest("main, [role=dialog]") === null
    const look = (): void => {
      if (isOver || (isElsewhere() && !focusHeading())) return
      end()
    }
    const watcher = new MutationObserver(look)
    const timer = setTimeout(() => end(), PAGE_MS)
    const end = (): void => {
      isOver = true
      watcher.disconnect()
      clearTimeout(timer)
    }
    watcher.observe(document.body, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ["aria-busy", "data-reading", "data-autofocus"],
    })
    const frame = requestAnimationFrame(look)
    return () => {
      cancelAnimationFrame(frame)
      end()
    }
  }, [at])
}
