// Diagnostics in an editor: the place is underlined, and what is wrong stands below the line, with its fix. Their words are text nodes.

import { setDiagnostics, type Diagnostic } from "@codemirror/lint"
import { StateEffect, StateField, type EditorState, type Extension, type Text } from "@codemirror/state"
import { Decoration, EditorView, WidgetType, type DecorationSet } from "@codemirror/view"
import type { CodeProblem } from "./code-props.ts"

interface Shown {
  readonly problems: readonly CodeProblem[]
  readonly onFix: (problem: CodeProblem) => void
}

const shown = StateEffect.define<Shown>()

/** More than these in a file help nobody: the first are shown. */
const MAX_PROBLEMS = 100

class ProblemBox extends WidgetType {
  readonly #problem: CodeProblem
  readonly #onFix: (problem: CodeProblem) => void

  constructor(problem: CodeProblem, onFix: (problem: CodeProblem) => void) {
    super()
    this.#problem = problem
    this.#onFix = onFix
  }

  override eq(other: ProblemBox): boolean {
    return other.#problem === this.#problem
  }

  override toDOM(): HTMLElement {
    const { severity, code, message, hint, fix } = this.#problem
    const around = document.createElement("div")
    around.className = "problems"
    const box = document.createElement("div")
    box.className = `problem ${severity}`
    around.append(box)
    const words = document.createElement("span")
    const head = document.createElement("b")
    head.textContent = code ?? severity
    words.append(head, ` ${message}${hint === undefined ? "" : ` ${hint}`}`)
    box.append(words)
    if (fix !== undefined) {
      const button = document.createElement("button")
      button.type = "button"
      button.textContent = fix
      button.addEventListener("click", () => this.#onFix(this.#problem))
      box.append(button)
    }
    return around
  }

  override ignoreEvent(): boolean {
    return true
  }
}

export const problemBoxes: Extension = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(boxes, change) {
    for (const effect of change.effects) if (effect.is(shown)) return boxesOf(change.state, effect.value)
    return boxes.map(change.changes)
  },
  provide: (field) => EditorView.decorations.from(field),
})

export function showProblems(view: EditorView, problems: readonly CodeProblem[], onFix: Shown["onFix"]): void {
  const first = problems.slice(0, MAX_PROBLEMS)
  const { state } = view
  view.dispatch(
    setDiagnostics(
      state,
      first.map((problem) => rangeOf(state.doc, problem)),
    ),
    { effects: shown.of({ problems: first, onFix }) },
  )
}

function boxesOf(state: EditorState, { problems, onFix }: Shown): DecorationSet {
  const boxes = problems.map((problem) => {
    const at = lineAt(state.doc, problem.line).to
    return Decoration.widget({ widget: new ProblemBox(problem, onFix), block: true, side: 1 }).range(at)
  })
  return Decoration.set(boxes, true)
}

function rangeOf(doc: Text, problem: CodeProblem): Diagnostic {
  const { line, column = 1, endLine = line, endColumn, severity, message } = problem
  const from = placeAt(doc, line, column)
  const to = endColumn === undefined ? lineAt(doc, endLine).to : placeAt(doc, endLine, endColumn)
  return { from, to: Math.max(from, to), severity, message }
}

export const lineAt = (doc: Text, line: number) => doc.line(Math.min(Math.max(1, Math.trunc(line) || 1), doc.lines))

function placeAt(doc: Text, line: number, column: number): number {
  const { from, to } = lineAt(doc, line)
  return Math.min(from + Math.max(0, column - 1), to)
}
