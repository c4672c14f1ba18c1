// Converts a handler file to the JavaScript for the sandbox, or returns its faults [F24]. Runs once, when the file is written.

import { defined } from "../../core/defined.ts"
import { hasErrors, sortDiagnostics, type Diagnostic } from "../../core/diagnostic.ts"
import type { CodeLanguage } from "../../core/flow/code-file.ts"
import { checkHandler } from "./check-handler.ts"
import { eraseTypes } from "./erase-types.ts"
import { languageOf, readHandler } from "./handler-source.ts"

export interface Stripped {
  /** Present if no diagnostic is an error. Lines and columns match the file. */
  readonly code?: string
  readonly diagnostics: readonly Diagnostic[]
}

export function stripTypes(file: string, language: CodeLanguage): Stripped {
  const text = file.replace(/^\uFEFF/, "")
  const source = readHandler(text, language)
  if (!source.ok) return { diagnostics: [source.error] }
  const checked = checkHandler(source.value)
  if (languageOf(text, language) === "js") return result(text, checked)
  const erased = eraseTypes(source.value)
  const diagnostics = [...checked, ...erased.diagnostics]
  if (hasErrors(diagnostics)) return result(erased.code, diagnostics)
  // The stored code must run: check the result with a parser that does not know types.
  const again = readHandler(erased.code, "js")
  if (again.ok) return result(erased.code, diagnostics)
  const { line, column, message } = again.error
  return result(erased.code, [
    ...diagnostics,
    {
      code: "CV-TYPES",
      line,
      ...defined({ column }),
      severity: "error",
      message: `the types here cannot be removed: ${message}`,
      suggestion: "write it more simply, for example with the type on its own line",
    },
  ])
}

function result(code: string, diagnostics: readonly Diagnostic[]): Stripped {
  const sorted = sortDiagnostics(diagnostics)
  return hasErrors(sorted) ? { diagnostics: sorted } : { code, diagnostics: sorted }
}
