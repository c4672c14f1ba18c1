// Says what is wrong with a line, in a box below it, with its fix. Its words are text nodes.

import { WidgetType } from "@codemirror/view"
import type { CodeProblem } from "./code-props.ts"

export class ProblemBox extends WidgetType {
  readonly #problem: CodeProblem
  readonly #isGone: boolean
  readonly #onFix: (problem: CodeProblem) => void

  constructor(problem: CodeProblem, isGone: boolean, onFix: (problem: CodeProblem) => void) {
    super()
    this.#problem = problem
    this.#isGone = isGone
    this.#onFix = onFix
  }

  override eq(other: ProblemBox): boolean {
    return other.#problem === this.#problem && other.#isGone === this.#isGone
  }

  override toDOM(): HTMLElement {
    const { severity, code, message, hint, write, fix } = this.#problem
    const around = document.createElement("div")
    around.className = this.#isGone ? "problems gone" : "problems"
    const box = document.createElement("div")
    box.className = `problem ${severity}`
    around.append(box)
    const words = document.createElement("span")
    const head = document.createElement("b")
    head.textContent = code ?? severity
    words.append(head, ` ${message}${hint === undefined ? "" : ` ${hint}`}`)
    if (write !== undefined) {
      const text = document.createElement(write.includes("\n") ? "pre" : "code")
      text.textContent = write
      words.append(" Write ", text)
    }
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
