// Where a diagnostic stands in a text: its line, and the words on it that are meant.

import type { Diagnostic } from "@codemirror/lint"
import type { Text } from "@codemirror/state"
import type { CodeProblem } from "./code-props.ts"

export const lineAt = (doc: Text, line: number) => doc.line(Math.min(Math.max(1, Math.trunc(line) || 1), doc.lines))

export function rangeOf(doc: Text, problem: CodeProblem): Diagnostic {
  const { line, column = 1, endLine = line, endColumn, severity, message } = problem
  const from = placeAt(doc, line, column)
  const to = endColumn === undefined ? endOfWords(doc, from) : placeAt(doc, endLine, endColumn)
  return { from, to: Math.max(from, to), severity, message }
}

function placeAt(doc: Text, line: number, column: number): number {
  const { from, to } = lineAt(doc, line)
  return Math.min(from + Math.max(0, column - 1), to)
}

/** What begins at this place: a text in quotes, a template, a word; or all that the line has. */
function endOfWords(doc: Text, from: number): number {
  const line = doc.lineAt(from)
  const rest = line.text.slice(from - line.from)
  const [found = rest.trimEnd()] = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|\$\{\{[^}]*\}\}|[\w@][\w.:@/-]*\w|\w)/.exec(rest) ?? []
  return from + found.length
}
