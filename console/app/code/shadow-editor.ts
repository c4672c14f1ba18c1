// An editor in a shadow root: there its styles are sheets that script adopts, which the pages' policy allows. In the page itself it would need
// a <style> element, which the policy forbids.

import type { EditorState } from "@codemirror/state"
import { EditorView } from "@codemirror/view"

export function mountEditor(host: HTMLElement, state: EditorState): EditorView {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open", delegatesFocus: true })
  const view = new EditorView({ state, root })
  root.replaceChildren(view.dom)
  return view
}
