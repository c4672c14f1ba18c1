// Raises faults that are errors in a new file but warnings in a stored one: an agent whose safeguard names a missing tool keeps working, as
// it did before that check existed. An import from another program, which has other tools, gets only a warning.

import type { Diagnostic } from "../../../core/diagnostic.ts"

export const asWritten = (diagnostics: readonly Diagnostic[]): readonly Diagnostic[] =>
  diagnostics.map((one) => (one.code === "AV-RULE" ? { ...one, severity: "error" } : one))
