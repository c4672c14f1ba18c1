// What an editor is given.

export type CodeLanguage = "yaml" | "markdown" | "json" | "text"

/** A diagnostic of the text. Lines and columns begin at 1, and what is past the end of a line or of the text stands at that end. */
export interface CodeProblem {
  readonly line: number
  readonly column?: number
  readonly endLine?: number
  readonly endColumn?: number
  readonly severity: "error" | "warning" | "info"
  readonly message: string
  readonly code?: string
  readonly hint?: string
  /** The reason why the author of the file silenced this warning: it is a quiet mark beside its line, and no more. */
  readonly silenced?: string
  /** Lines of the file that would be right, as they are written. */
  readonly write?: string
  /** The label of a button that mends it: `onFix` is called with this problem. */
  readonly fix?: string
}

export interface CodeOption {
  readonly label: string
  /** What it is, in a word or two: shown beside it. */
  readonly detail?: string
  /** What is written for it, if that is more than its name; then what can follow is offered at once. */
  readonly apply?: string
}

export interface CodeEditorProps {
  /** The name of the field, for those who do not see it. */
  readonly label: string
  /** The text. One that differs from what the editor holds replaces it, as one change that can be undone. */
  readonly text: string
  readonly language: CodeLanguage
  readonly readOnly?: boolean
  /** Where the dialog that it is in begins. */
  readonly isFirst?: boolean
  /** Long lines are wrapped: by default all but those of code. Always so below 768 px. */
  readonly wrap?: boolean
  readonly problems?: readonly CodeProblem[]
  /** A line to go to. A new object goes there again. */
  readonly goTo?: { readonly line: number } | undefined
  /** What could stand where the cursor is: asked with the text as far as the cursor, and with the whole. */
  readonly complete?: (upTo: string, whole: string) => readonly CodeOption[]
  /** What a word means: asked with the text as far as its end. */
  readonly about?: (word: string, upTo: string) => string | undefined
  /** Lines that differ from what is saved, from 1. */
  readonly tinted?: readonly number[]
  readonly onChange?: (text: string) => void
  /** Ctrl S, or Cmd S. */
  readonly onSave?: () => void
  /** Ctrl Enter, or Cmd Enter. */
  readonly onRun?: () => void
  readonly onFix?: (problem: CodeProblem) => void
  /** The line of the cursor, when it moves to another one. */
  readonly onLine?: (line: number) => void
}

export interface CodeDiffProps {
  readonly label: string
  readonly before: string
  readonly after: string
  readonly language: CodeLanguage
}
