// Describes a fault in a file: its message, place and remedy. Parsing and checking return all faults at once [F2].

import { defined } from "./defined.ts"
import type { DiagnosticCode } from "./diagnostic-codes.ts"

export type Severity = "error" | "warning"

/** `line` and `column` are 1-based and point at the offending key or value. A client may receive codes of newer servers, so it accepts any text. */
export interface Diagnostic<C extends string = DiagnosticCode> {
  readonly code: C
  readonly line: number
  readonly column?: number
  readonly severity: Severity
  readonly message: string
  readonly suggestion?: string
  /** The reason why its author silenced this warning [F54d]. */
  readonly silenced?: string
}

/** The result of every check. `valid` means that no diagnostic is an error. */
export interface CheckResult {
  readonly valid: boolean
  readonly diagnostics: readonly Diagnostic[]
}

export const hasErrors = (list: readonly Diagnostic[]): boolean => list.some((d) => d.severity === "error")

/** Limit: diagnostics shown per file → `-MORE` counts the rest. */
export const MOST_SHOWN = 100

/**
 * Sorts diagnostics and keeps at most 100, plus one that counts the rest. Errors come before warnings, so a file with errors never looks
 * valid. For a list that was already cut, the count is a minimum.
 */
export function bounded(list: readonly Diagnostic[], code: DiagnosticCode): readonly Diagnostic[] {
  const sorted = sortDiagnostics(list.filter((d) => d.code !== code))
  if (sorted.length <= MOST_SHOWN) return sortDiagnostics(list)
  const cut = sorted.length < list.length
  const byWeight = [...sorted.filter((d) => d.severity === "error"), ...sorted.filter((d) => d.severity === "warning")]
  const shown = sortDiagnostics(byWeight.slice(0, MOST_SHOWN))
  const rest = sorted.length - shown.length
  const severity =
    hasErrors(byWeight.slice(MOST_SHOWN)) || list.some((d) => d.code === code && d.severity === "error") ? "error" : "warning"
  const { line, column } = shown.at(-1) ?? { line: 1, column: 1 }
  const message = `${cut ? "more than " : ""}${rest} more ${rest === 1 ? "problem is" : "problems are"} not shown`
  return [...shown, { code, line, ...defined({ column }), severity, message, suggestion: "fix these first" }]
}

/** Sorts by line, column and code, so the same file always gives the same list. */
export function sortDiagnostics(list: readonly Diagnostic[]): Diagnostic[] {
  return [...list].sort((a, b) => a.line - b.line || (a.column ?? 0) - (b.column ?? 0) || (a.code < b.code ? -1 : a.code > b.code ? 1 : 0))
}

export const verdict = (list: readonly Diagnostic[]): CheckResult => ({
  valid: !hasErrors(list),
  diagnostics: sortDiagnostics(list),
})
