// Raises faults that are errors in a new file and only warnings in a stored one: an agent whose safeguard names a missing tool goes on
// working, as it did before that was known to be a mistake. An import from another program, whose tools are others, is only warned.

import type { Diagnostic } from "../../../core/diagnostic.ts"

export const asWritten = (diagnostics: readonly Diagnostic[]): readonly Diagnostic[] =>
  diagnostics.map((one) => (one.code === "AV-RULE" ? { ...one, severity: "error" } : one))
