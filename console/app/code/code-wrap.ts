// Long lines wrap, and what wraps stands below where its line began: the indentation of a file can be seen.

import { RangeSetBuilder, type Extension } from "@codemirror/state"
import { Decoration, EditorView, ViewPlugin, type DecorationSet, type ViewUpdate } from "@codemirror/view"

/** Signs; text that is indented more wraps at this place. */
const DEEPEST = 16

const at = Array.from({ length: DEEPEST + 1 }, (_, deep) => Decoration.line({ class: `deep-${deep}` }))

/** The first word of an item stands after its dash. */
const indentOf = (text: string): number => Math.min(DEEPEST, /^ *(?:- +)?/.exec(text)?.[0].length ?? 0)

function indents(view: EditorView): DecorationSet {
  const found = new RangeSetBuilder<Decoration>()
  for (const { from, to } of view.visibleRanges)
    for (let place = from; place <= to;) {
      const line = view.state.doc.lineAt(place)
      const deep = at[indentOf(line.text)]
      if (deep) found.add(line.from, line.from, deep)
      place = line.to + 1
    }
  return found.finish()
}

const deep = ViewPlugin.fromClass(
  class {
    lines: DecorationSet

    constructor(view: EditorView) {
      this.lines = indents(view)
    }

    update({ docChanged, viewportChanged, view }: ViewUpdate): void {
      if (docChanged || viewportChanged) this.lines = indents(view)
    }
  },
  { decorations: ({ lines }) => lines },
)

const look = EditorView.theme(
  Object.fromEntries(
    at.map((_, signs) => [`.cm-line.deep-${signs}`, { paddingLeft: `calc(6px + ${signs}ch)`, textIndent: `-${signs}ch` }]),
  ),
)

export const softWrap: Extension = [EditorView.lineWrapping, deep, look]
