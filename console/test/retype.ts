// Replaces what an editor holds, as a person does who pastes. Playwright's own `fill` sets a style in the editor, which the pages' policy forbids.

import type { Locator } from "playwright-core"

export async function retype(editor: Locator, words: string): Promise<void> {
  await editor.waitFor()
  await editor.focus()
  await editor.page().keyboard.press("Control+a")
  await editor.evaluate((node, pasted) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData("text/plain", pasted)
    node.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }))
  }, words)
}
