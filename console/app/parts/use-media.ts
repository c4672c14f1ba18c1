// Whether the screen is so, and what changes with it.

import { useSyncExternalStore } from "react"

export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const list = matchMedia(query)
      list.addEventListener("change", changed)
      return () => list.removeEventListener("change", changed)
    },
    () => matchMedia(query).matches,
  )
}

export const SMALL = "(max-width: 767px)"
export const NARROW = "(max-width: 1099px)"
