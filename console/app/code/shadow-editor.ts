// An editor in a shadow root: there its styles are sheets that script adopts, which the pages' policy allows. In the page itself it would need
// a <style> element, which the policy forbids.

import type { EditorState } from "@codemirror/state"
import { EditorView } from "@codemirror/view"

export function mountEditor(host: HTMLElement, state: EditorState): EditorView {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" })
  const view = new EditorView({ state, root })
  root.replaceChildren(view.dom)
  // The first that takes the focus would be what scrolls, and not the text.
  host.focus = (options) => view.contentDOM.focus(options)
  return view
}
