// What is refused where it is written and only told of where it is stored already: an agent whose safeguard names a tool that is not there goes on
// working, as it did before that was known to be a mistake. An import from another program, whose tools are others, is told too.

import type { Diagnostic } from "../../../core/diagnostic.ts"

export const asWritten = (diagnostics: readonly Diagnostic[]): readonly Diagnostic[] =>
  diagnostics.map((one) => (one.code === "AV-RULE" ? { ...one, severity: "error" } : one))
