// Diagnostics in an editor: the place is underlined, its line has a mark in the gutter, and what is wrong stands in a box below the line. No box
// moves the line that somebody types.

import { setDiagnostics } from "@codemirror/lint"
import { RangeSet, StateEffect, StateField, type ChangeDesc, type EditorState, type Extension, type Transaction } from "@codemirror/state"
import { Decoration, EditorView, gutter, GutterMarker, type DecorationSet } from "@codemirror/view"
import { standing, type Standing } from "../../../web/flow/standing.ts"
import { lineAt, rangeOf } from "./code-place.ts"
import type { CodeProblem } from "./code-props.ts"
import { ProblemBox } from "./problem-box.ts"

/** More than these in a file help nobody: the first are shown. */
const MAX_PROBLEMS = 100

interface Told {
  readonly problems: readonly CodeProblem[]
  readonly onFix: (problem: CodeProblem) => void
}

const told = StateEffect.define<Told>()
/** The editor has lost the focus: nobody types. */
const left = StateEffect.define<null>()

/** `at`: where the line begins. It moves with the text. */
interface Placed {
  readonly problem: CodeProblem
  readonly at: number
}

interface Shown {
  readonly isTyping: boolean
  readonly seen: readonly Placed[]
  readonly boxes: readonly (Placed & { readonly isGone: boolean })[]
  readonly onFix: Told["onFix"]
  readonly drawn: DecorationSet
  readonly marks: RangeSet<GutterMarker>
}

const NOTHING: Shown = { isTyping: false, seen: [], boxes: [], onFix: () => undefined, drawn: Decoration.none, marks: RangeSet.empty }

const shown = StateField.define<Shown>({
  create: () => NOTHING,
  update(before, change) {
    const isTyping = typesAfter(before.isTyping, change)
    const news = change.effects.find((effect) => effect.is(told))?.value as Told | undefined
    if (!change.docChanged && news === undefined && isTyping === before.isTyping && !change.selection) return before
    const { doc, selection } = change.state
    const seen = news
      ? news.problems.map((problem) => ({ problem, at: lineAt(doc, problem.line).from }))
      : before.seen.map((one) => moved(one, change.changes))
    const line = (at: number): number => doc.lineAt(at).number
    const boxes = standing<CodeProblem>(
      before.boxes.map((box): Standing<CodeProblem> => ({ ...box, line: line(moved(box, change.changes).at) })),
      seen.flatMap(({ problem, at }) => (problem.silenced === undefined ? [{ problem, line: line(at) }] : [])),
      isTyping ? line(selection.main.head) : undefined,
    ).map(({ problem, line: number, isGone }) => ({ problem, isGone, at: doc.line(number).from }))
    const onFix = news?.onFix ?? before.onFix
    return { isTyping, seen, boxes, onFix, drawn: drawn(change.state, boxes, onFix), marks: marksOf(seen) }
  },
  provide: (field) => EditorView.decorations.from(field, (now) => now.drawn),
})

/** Somebody types from the first sign on, until the cursor goes to another line without one, or the editor loses the focus. */
function typesAfter(isTyping: boolean, change: Transaction): boolean {
  if (change.effects.some((effect) => effect.is(left))) return false
  if (change.docChanged) {
    if (change.isUserEvent("input.paste") || change.isUserEvent("input.drop")) return false
    if (change.isUserEvent("input") || change.isUserEvent("delete")) return true
    return isTyping && (change.isUserEvent("undo") || change.isUserEvent("redo"))
  }
  if (!isTyping || !change.selection) return isTyping
  const line = (state: EditorState): number => state.doc.lineAt(state.selection.main.head).number
  return line(change.state) === line(change.startState)
}

const moved = <P extends Placed>(one: P, changes: ChangeDesc): P => ({ ...one, at: changes.mapPos(one.at, -1) })

const drawn = (state: EditorState, boxes: Shown["boxes"], onFix: Told["onFix"]): DecorationSet =>
  Decoration.set(
    boxes.map(({ problem, at, isGone }) =>
      Decoration.widget({ widget: new ProblemBox(problem, isGone, onFix), block: true, side: 1 }).range(state.doc.lineAt(at).to),
    ),
    true,
  )

const SIGNS = { error: "✕", warning: "▲", info: "●", silenced: "○" } as const
const RANKS = { silenced: -1, info: 0, warning: 1, error: 2 } as const

type Kind = keyof typeof SIGNS

class Mark extends GutterMarker {
  readonly #kind: Kind
  readonly #about: string

  constructor(kind: Kind, about = "") {
    super()
    this.#kind = kind
    this.#about = about
  }

  override eq(other: Mark): boolean {
    return other.#kind === this.#kind && other.#about === this.#about
  }

  override toDOM(): HTMLElement {
    const mark = document.createElement("span")
    mark.className = `mark ${this.#kind}`
    mark.textContent = SIGNS[this.#kind]
    if (this.#about !== "") mark.title = this.#about
    return mark
  }
}

const kindOf = ({ severity, silenced }: CodeProblem): Kind => (silenced === undefined ? severity : "silenced")

/** What stands in no box is said by its mark. */
const aboutOf = ({ code, message, silenced }: CodeProblem): string =>
  silenced === undefined ? "" : `Silenced: ${silenced}\n${code ?? ""} ${message}`

function marksOf(seen: readonly Placed[]): RangeSet<GutterMarker> {
  const worst = new Map<number, CodeProblem>()
  for (const { at, problem } of seen) {
    const there = worst.get(at)
    if (there === undefined || RANKS[kindOf(problem)] > RANKS[kindOf(there)]) worst.set(at, problem)
  }
  return RangeSet.of(
    [...worst].map(([at, problem]) => new Mark(kindOf(problem), aboutOf(problem)).range(at)),
    true,
  )
}

export const problemBoxes: Extension = [
  shown,
  // Beside the numbers, and as wide without a mark: a mark moves nothing.
  gutter({ class: "cm-marks", markers: (view) => view.state.field(shown).marks, initialSpacer: () => new Mark("info") }),
  EditorView.focusChangeEffect.of((_, isFocused) => (isFocused ? null : left.of(null))),
]

export function showProblems(view: EditorView, problems: readonly CodeProblem[], onFix: Told["onFix"]): void {
  const first = problems.slice(0, MAX_PROBLEMS)
  const { state } = view
  const { head } = state.selection.main
  const top = view.lineBlockAt(head).top
  view.dispatch(
    setDiagnostics(
      state,
      first.flatMap((problem) => (problem.silenced === undefined ? [rangeOf(state.doc, problem)] : [])),
    ),
    { effects: told.of({ problems: first, onFix }) },
  )
  // Boxes that come where nobody types do not carry the cursor's line away either, as far as the text can be scrolled.
  if (view.hasFocus)
    view.requestMeasure({
      read: () => view.lineBlockAt(Math.min(head, view.state.doc.length)).top - top,
      write: (by) => {
        if (by !== 0) view.scrollDOM.scrollTop += by
      },
    })
}
