// Puts a text on the clipboard. Browsers give `navigator.clipboard` over TLS alone; without it, the old command copies what a field has selected.

export async function copyText(text: string): Promise<void> {
  const clipboard = navigator.clipboard as Clipboard | undefined
  if (clipboard) return clipboard.writeText(text)
  const before = document.activeElement
  const field = document.createElement("textarea")
  field.className = "vh"
  field.value = text
  // In an open dialog, what is outside cannot have the focus.
  ;(before?.closest('[role="dialog"]') ?? document.body).append(field)
  field.select()
  const isDone = document.execCommand("copy")
  field.remove()
  if (before instanceof HTMLElement) before.focus()
  if (!isDone) throw new Error("The browser does not let this page copy. Select the text and copy it.")
}
