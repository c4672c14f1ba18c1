// Lines of an editor's text that are tinted, as those that differ from what is saved.

import { StateEffect, StateField, type Extension, type Text } from "@codemirror/state"
import { Decoration, EditorView, type DecorationSet } from "@codemirror/view"

export const tint = StateEffect.define<readonly number[]>()

const LINE = Decoration.line({ class: "tinted" })

const marks = (doc: Text, lines: readonly number[]): DecorationSet =>
  Decoration.set(lines.filter((line) => line >= 1 && line <= doc.lines).map((line) => LINE.range(doc.line(line).from)))

export const tintedLines: Extension = [
  StateField.define<DecorationSet>({
    create: () => Decoration.none,
    update(set, change) {
      for (const effect of change.effects) if (effect.is(tint)) return marks(change.state.doc, effect.value)
      return set.map(change.changes)
    },
    provide: (field) => EditorView.decorations.from(field),
  }),
  EditorView.theme({ ".tinted": { backgroundColor: "var(--accent-soft)", boxShadow: "inset 2px 0 var(--accent)" } }),
]
