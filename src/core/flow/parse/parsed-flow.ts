// What parsing makes of a flow's text.

import type { Diagnostic } from "../../diagnostic.ts"
import type { Flow } from "../flow.ts"
import type { Place } from "./place.ts"
import type { Path, Source } from "./source.ts"

export interface ParsedFlow {
  readonly id: string
  /** Undefined when there is any error. */
  readonly flow?: Flow
  /** For the checks: as much as could be read. */
  readonly draft?: Draft
  readonly diagnostics: readonly Diagnostic[]
  readonly source: Source
  place(path: Path, what?: "key" | "value"): Place
}

/** `flow.steps` matches the file's list, step by step; `""` replaces a text that is missing and reported. */
export interface Draft {
  readonly flow: Flow
  /** Indices of steps that differ from the file: steps that are unreadable, or of a type that is not supported. */
  readonly holes: ReadonlySet<number>
}
