// Holds what is typed while a dialog opens: the keys go to no page, and the words into the field that the dialog opens with.

import { isTyping } from "../../../web/typing.ts"

/** One hold goes over into the next, as when the file of a dialog has come. */
const OVER_MS = 100

let opening = 0
let words = ""
let over: ReturnType<typeof setTimeout> | undefined

function pressed(event: KeyboardEvent): void {
  if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return
  event.preventDefault()
  words += event.key
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
