// Says what this person has snoozed, in this browser. Other tabs of it follow.

import { useSyncExternalStore } from "react"
import type { OpenAsk } from "../../../../web/inbox/ask.ts"
import { readSnoozed, snoozedWith, type Snoozed } from "../../../../web/inbox/snooze.ts"

const listeners = new Set<() => void>()
let read: { readonly text: string | null; readonly snoozed: Snoozed } = { text: null, snoozed: {} }

const placeOf = (person: string): string => `sluice-snoozed ${person}`

function snoozedOf(person: string): Snoozed {
  const text = localStorage.getItem(placeOf(person))
  if (text !== read.text) read = { text, snoozed: readSnoozed(text) }
  return read.snoozed
}

export function useSnoozed(person: string): Snoozed {
  return useSyncExternalStore(
    (changed) => {
      listeners.add(changed)
      addEventListener("storage", changed)
      return () => {
        listeners.delete(changed)
        removeEventListener("storage", changed)
      }
    },
    () => snoozedOf(person),
  )
}

/** `until` undefined: it is back. */
export function snooze(person: string, ask: Pick<OpenAsk, "run" | "id">, until: number | undefined): void {
  localStorage.setItem(placeOf(person), JSON.stringify(snoozedWith(snoozedOf(person), ask, until, Date.now())))
  for (const listener of listeners) listener()
}
