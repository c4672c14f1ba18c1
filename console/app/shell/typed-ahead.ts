// Holds what is typed while a dialog opens: the keys go to no page, and the words into the field that the dialog opens with. Where it opens with a
// button, what is typed on presses none.

import { isTyping } from "../../../web/typing.ts"

/** One hold goes over into the next, as when the file of a dialog has come. */
const OVER_MS = 100

/** A page with a dialog is waited for so long. */
const PAGE_MS = 4_000
/** What comes so soon after a letter is typed with it: a space is no press of a button. */
const WORD_MS = 600

let opening = 0
let words = ""
let typedAt = Number.NEGATIVE_INFINITY
let over: ReturnType<typeof setTimeout> | undefined

function pressed(event: KeyboardEvent): void {
  if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return
  event.preventDefault()
  words += event.key
  typedAt = event.timeStamp
}

/** From when a dialog is asked for until it has the focus. What is given back ends the hold; `isClosed`: with the dialog, and nothing follows it. */
export function holdKeys(): (isClosed?: boolean) => void {
  opening++
  clearTimeout(over)
  addEventListener("keydown", pressed, true)
  let isOver = false
  return (isClosed = false) => {
    if (!isOver) opening--
    else if (!isClosed) return
    isOver = true
    clearTimeout(over)
    if (opening === 0) over = setTimeout(letGo, isClosed ? 0 : OVER_MS)
  }
}

function letGo(): void {
  removeEventListener("keydown", pressed, true)
  words = ""
}

export const isOpening = (): boolean => opening > 0

/** Into the field that has the focus. */
export function typeAhead(): void {
  const typed = words
  letGo()
  // No other way changes a field so that it can be undone, and so that whoever listens hears of it.
  if (typed !== "") document.execCommand("insertText", false, typed)
}

/** Before the way to a page that opens with a dialog. */
export function holdForDialog(): void {
  const release = holdKeys()
  const end = (): void => {
    watcher.disconnect()
    clearTimeout(timer)
    release()
  }
  const watcher = new MutationObserver(() => document.querySelector('[aria-modal="true"]') !== null && end())
  watcher.observe(document.body, { childList: true, subtree: true })
  const timer = setTimeout(end, PAGE_MS)
}

/** In a dialog, nobody presses a button in the middle of a word. */
export function spareButtons(box: HTMLElement): () => void {
  const key = (event: KeyboardEvent): void => {
    if (!(event.target instanceof HTMLButtonElement) || event.ctrlKey || event.metaKey || event.altKey) return
    const isPress = event.key === " " || event.key === "Enter"
    if (isPress && event.timeStamp - typedAt < WORD_MS) event.preventDefault()
    if (event.key.length === 1 && event.key !== " ") typedAt = event.timeStamp
  }
  box.addEventListener("keydown", key, true)
  box.addEventListener("keyup", key, true)
  return () => {
    box.removeEventListener("keydown", key, true)
    box.removeEventListener("keyup", key, true)
  }
}
