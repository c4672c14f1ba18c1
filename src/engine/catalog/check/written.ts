// Raises faults that are errors in a new file but warnings in a stored one: an agent whose safeguard names a missing tool, a file with a
// misspelled key, and a tool step with a number for a text keep working, as they did before that check existed. An import from another program, which has other tools and other keys,
// gets only warnings.

import type { Diagnostic } from "../../../core/diagnostic.ts"
import type { DiagnosticCode } from "../../../core/diagnostic-codes.ts"

const RAISED: ReadonlySet<DiagnosticCode> = new Set([
  "AV-RULE",
  "FV-MISSPELLED-KEY",
  "AV-MISSPELLED-KEY",
  "SV-MISSPELLED-KEY",
  "FV-NAME-FILE",
  "CAT-NO-FLOW",
  "FV-TOOL-ARGS",
])

export const asWritten = (diagnostics: readonly Diagnostic[]): readonly Diagnostic[] =>
  diagnostics.map((one) => (RAISED.has(one.code) ? raised(one) : one))

/** An error is never silenced. */
function raised(warning: Diagnostic): Diagnostic {
  const { silenced: _silenced, ...one } = warning
  return { ...one, severity: "error" }
}
