// Tells whether the screen is so, and when that changes. The browser keeps each list that it was ever asked for, so one is made for each question.

import { useSyncExternalStore } from "react"

const lists = new Map<string, MediaQueryList>()

export function isMedia(query: string): boolean {
  return listOf(query).matches
}

export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const list = listOf(query)
      list.addEventListener("change", changed)
      return () => list.removeEventListener("change", changed)
    },
    () => isMedia(query),
  )
}

function listOf(query: string): MediaQueryList {
  const list = lists.get(query) ?? matchMedia(query)
  lists.set(query, list)
  return list
}

export const SMALL = "(max-width: 767px)"
export const NARROW = "(max-width: 1099px)"
