// A handler file as it was written → JavaScript that the sandbox runs, or why not [F24]. Asked once, when the file is written.

import { hasErrors, sortDiagnostics, type Diagnostic } from "../../core/diagnostic.ts"
import type { CodeLanguage } from "../../core/flow/code-file.ts"
import { checkHandler } from "./check-handler.ts"
import { eraseTypes } from "./erase-types.ts"
import { readHandler } from "./handler-source.ts"

export interface Stripped {
  /** There when no diagnostic is an error. Every line and column is where it was in the file. */
  readonly code?: string
  readonly diagnostics: readonly Diagnostic[]
}

export function stripTypes(file: string, language: CodeLanguage): Stripped {
  const text = file.replace(/^\uFEFF/, "")
  const source = readHandler(text, language)
  if (!source.ok) return { diagnostics: [source.error] }
  const checked = checkHandler(source.value)
  if (language === "js") return result(text, checked)
  const erased = eraseTypes(source.value)
  const diagnostics = [...checked, ...erased.diagnostics]
  if (hasErrors(diagnostics)) return result(erased.code, diagnostics)
  // What is stored must run: the blanks are checked by a reader that knows no types.
  const again = readHandler(erased.code, "js")
  if (again.ok) return result(erased.code, diagnostics)
  const { line, column, message } = again.error
  return result(erased.code, [
    ...diagnostics,
    {
      code: "CV-TYPES",
      line,
      ...(column === undefined ? {} : { column }),
      severity: "error",
      message: `the types here cannot be taken away: ${message}`,
      suggestion: "write it more simply, for instance with the type on a line of its own",
    },
  ])
}

function result(code: string, diagnostics: readonly Diagnostic[]): Stripped {
  const sorted = sortDiagnostics(diagnostics)
  return hasErrors(sorted) ? { diagnostics: sorted } : { code, diagnostics: sorted }
}
