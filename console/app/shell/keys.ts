// Keys of the pages. A page names the acts that it has; which keys they are, the table of keys says. One listener takes each key: it goes to no
// page while a dialog is open, and none that is written goes to a page while somebody types, in a field or in an editor.

import { useLayoutEffect, useRef } from "react"
import { flushSync } from "react-dom"
import { createKeybindingsHandler } from "tinykeys"
import { isTyping } from "../../../web/typing.ts"
import { bindingsOf, isSign, isWritten, KEYS, type KeyActs, type KeyGroupName } from "./key-table.ts"
import { isOpening } from "./typed-ahead.ts"

const NAME = "sluice-letter-keys"
/** After a `g`, the key of a place is waited for this long. */
const SEQUENCE_MS = 1_500

/** They can be turned off in this browser. */
export const areLettersKeys = (): boolean => localStorage.getItem(NAME) !== "off"

export function letLettersBeKeys(areKeys: boolean): void {
  if (areKeys) localStorage.removeItem(NAME)
  else localStorage.setItem(NAME, "off")
}

/** A dialog has all keys, from when it is asked for. */
const isDialogOpen = (): boolean => isOpening() || document.querySelector('[aria-modal="true"]') !== null

/** Whether a key that is written is meant for a page. */
export const isKey = (event: KeyboardEvent): boolean => areLettersKeys() && !isDialogOpen() && !isTyping(event)

type Handler = (event: KeyboardEvent) => void

const GROUPS = Object.keys(KEYS)
/** In the order of the table, and within a group the newest first: what was opened last has the key. */
const taken: { readonly rank: number; readonly handler: Handler }[] = []

function pressed(event: KeyboardEvent): void {
  for (const { handler } of taken.slice()) {
    if (event.defaultPrevented || isDialogOpen()) return
    handler(event)
  }
}

function take(group: KeyGroupName, handler: Handler): () => void {
  const one = { rank: GROUPS.indexOf(group), handler }
  if (taken.length === 0) addEventListener("keydown", pressed)
  const at = taken.findIndex(({ rank }) => rank >= one.rank)
  taken.splice(at < 0 ? taken.length : at, 0, one)
  return () => {
    taken.splice(taken.indexOf(one), 1)
    if (taken.length === 0) removeEventListener("keydown", pressed)
  }
}

export function useKeys<G extends KeyGroupName>(group: G, acts: KeyActs[G], isOff = false): void {
  const current = useRef<Readonly<Record<string, ((event: KeyboardEvent) => unknown) | undefined>>>(acts)
  current.current = acts
  // What is on the screen is heard: on a busy machine other effects come long after the paint.
  useLayoutEffect(() => {
    if (isOff) return
    // Each kind by itself, as each is left to others for another reason.
    const unlisten = Object.entries(bindingsOf(group)).map(([name, binding]) => {
      const act = (event: KeyboardEvent): void => {
        const does = current.current[name]
        // What the key opens has the next key, however soon that comes.
        if (does && flushSync(() => does(event)) !== false) event.preventDefault()
      }
      const [isText, isLetter] = [isWritten(binding), isSign(binding)]
      const ignore = (event: KeyboardEvent): boolean =>
        event.defaultPrevented || event.isComposing || (isText && isTyping(event)) || (isLetter && !areLettersKeys())
      return take(group, createKeybindingsHandler({ [binding]: act }, { ignore, timeout: SEQUENCE_MS }) as Handler)
    })
    return () => unlisten.forEach((end) => end())
  }, [group, isOff])
}
