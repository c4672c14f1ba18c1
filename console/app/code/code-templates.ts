// Templates are told from the text that they stand in, also in quotes.

import { Decoration, MatchDecorator, ViewPlugin, type DecorationSet, type EditorView, type ViewUpdate } from "@codemirror/view"

const matches = new MatchDecorator({ regexp: /\$\{\{[^{}\n]*\}\}/g, decoration: Decoration.mark({ class: "tpl" }) })

/** After the grammar's colors, so that this one stands inside them. */
export const templateMarks = ViewPlugin.fromClass(
  class {
    marks: DecorationSet

    constructor(view: EditorView) {
      this.marks = matches.createDeco(view)
    }

    update(update: ViewUpdate): void {
      this.marks = matches.updateDeco(update, this.marks)
    }
  },
  { decorations: ({ marks }) => marks },
)
