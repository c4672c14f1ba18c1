// Types over a selection. Left to the browser, the sign that replaces colored text is given its colors by a style attribute, which the pages' policy
// refuses and reports.

import { EditorView } from "@codemirror/view"

export const typeOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { main } = view.state.selection
    const { data, inputType } = event
    if (inputType !== "insertText" || data === null || main.empty || view.composing || view.state.readOnly) return false
    event.preventDefault()
    const insert = () => view.state.update(view.state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true })
    // Such as the bracket that closes around what is selected.
    const isTaken = view.state.facet(EditorView.inputHandler).some((handler) => handler(view, main.from, main.to, data, insert))
    if (!isTaken) view.dispatch(insert())
    return true
  },
})
