// Completion: what a page offers where the cursor is. Taking a key writes its colon too, and what can follow is offered at once.

import { startCompletion, type Completion, type CompletionSource } from "@codemirror/autocomplete"
import type { CodeOption } from "./code-props.ts"

/** What is typed becomes a name of its own at every sign but these. */
const NAME = /[\w.@/-]*/

export function optionsFrom(complete: (upTo: string, whole: string) => readonly CodeOption[]): CompletionSource {
  return (context) => {
    const { state, pos } = context
    const word = context.matchBefore(NAME)
    const found = complete(state.doc.sliceString(0, pos), state.doc.toString())
    return found.length === 0
      ? null
      : { from: word?.from ?? pos, options: found.map((one, at) => completionOf(one, at)), validFor: new RegExp(`^${NAME.source}$`) }
  }
}

/** The order is the page's: CodeMirror's own is that of letters. */
function completionOf({ label, detail, apply }: CodeOption, at: number): Completion {
  return {
    label,
    boost: -Math.min(99, at),
    ...(detail === undefined ? {} : { detail }),
    ...(apply === undefined
      ? {}
      : {
          apply(view, _, from, to) {
            // What stands there already is not written twice.
            const rest = view.state.doc.lineAt(to)
            const isThere = apply.startsWith(label) && view.state.doc.sliceString(to, rest.to).trimStart().startsWith(":")
            const insert = isThere ? label : apply
            view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length }, userEvent: "input.complete" })
            startCompletion(view)
          },
        }),
  }
}
