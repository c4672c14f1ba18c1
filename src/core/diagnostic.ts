// What is wrong with a file, where, and what to write instead. Parsing and checking return all faults at once [F2].

import type { DiagnosticCode } from "./flow/parse/codes.ts"

export type Severity = "error" | "warning"

/** `line` and `column` are 1-based and point at the offending key or value. A client may see codes of newer servers, so it accepts any text. */
export interface Diagnostic<C extends string = DiagnosticCode> {
  readonly code: C
  readonly line: number
  readonly column?: number
  readonly severity: Severity
  readonly message: string
  readonly suggestion?: string
}

/** The result of every check. `valid` means that no diagnostic is an error. */
export interface Verdict {
  readonly valid: boolean
  readonly diagnostics: readonly Diagnostic[]
}

export const hasErrors = (list: readonly Diagnostic[]): boolean => list.some((d) => d.severity === "error")

/** By line, then column, then code: the same file gives the same list every time. */
export function sortDiagnostics(list: readonly Diagnostic[]): Diagnostic[] {
  return [...list].sort((a, b) => a.line - b.line || (a.column ?? 0) - (b.column ?? 0) || (a.code < b.code ? -1 : a.code > b.code ? 1 : 0))
}

export const verdict = (list: readonly Diagnostic[]): Verdict => ({
  valid: !hasErrors(list),
  diagnostics: sortDiagnostics(list),
})
