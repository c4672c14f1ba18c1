// Defines the result of parsing a flow's text.

import type { Diagnostic } from "../../diagnostic.ts"
import type { Flow } from "../flow.ts"
import type { SourcePlace } from "./place.ts"
import type { Path, Source } from "./source.ts"

export interface ParsedFlow {
  readonly id: string
  /** Undefined if there is an error. */
  readonly flow?: Flow
  /** The readable parts, for the checks. */
  readonly draft?: ParsedDraft
  readonly diagnostics: readonly Diagnostic[]
  readonly source: Source
  place(path: Path, what?: "key" | "value"): SourcePlace
}

/** `flow.steps` matches the file's list step by step; `""` replaces missing text, which is already reported. */
export interface ParsedDraft {
  readonly flow: Flow
  /** Indices of steps that are unreadable or have an unsupported type, and so differ from the file. */
  readonly holes: ReadonlySet<number>
}
