// Collects the diagnostics of a file [F2]. Parsing continues after the first fault, and nothing here throws.
//
// A hostile file could cause a hundred thousand diagnostics, so a report keeps 1,000 and says that there are more. Name
// suggestions share a budget of comparisons: comparing 600 ids of 64 characters with each other would take seconds.

import { defined } from "../../defined.ts"
import type { Diagnostic, Severity } from "../../diagnostic.ts"
import { costOf, namesOf, nearestOf, sizeOf, type Names } from "../../text/name-index.ts"
import type { DiagnosticCode, FileFamily } from "../../diagnostic-codes.ts"
import type { SourcePlace } from "./place.ts"

export interface Report {
  error(code: DiagnosticCode, at: SourcePlace, message: string, suggestion?: string): void
  warn(code: DiagnosticCode, at: SourcePlace, message: string, suggestion?: string): void
  /** The nearest known name, if any is close enough. */
  near(word: string, known: Names): string | undefined
  /** `did you mean "publish"?`, plus the known names if there are only a few. */
  hint(word: string, known: Names): string | undefined
  /** The report keeps no more diagnostics, so a long check may stop. */
  full(): boolean
  list(): readonly Diagnostic[]
}

const MAX_REPORTED = 1000 // limit: diagnostics of a file → `-MORE` stands for the rest
const COMPARISONS = 2000
const SHORT_LIST = 12

export function openReport(family: FileFamily): Report {
  const found: Diagnostic[] = []
  let more: Severity | undefined
  let comparisons = COMPARISONS
  const add = (severity: Severity, code: DiagnosticCode, at: SourcePlace, message: string, suggestion?: string): void => {
    if (found.length >= MAX_REPORTED) more = more === "error" ? more : severity
    else found.push({ code, line: at.line, column: at.column, severity, message, ...defined({ suggestion }) })
  }
  const near = (word: string, known: Names): string | undefined => {
    comparisons -= costOf(known)
    return comparisons >= 0 && sizeOf(known) > 0 ? nearestOf(word, known) : undefined
  }
  return {
    near,
    error: (code, at, message, suggestion) => add("error", code, at, message, suggestion),
    warn: (code, at, message, suggestion) => add("warning", code, at, message, suggestion),
    hint(word, known) {
      const size = sizeOf(known)
      const names = size <= 2 * SHORT_LIST ? [...new Set(namesOf(known))].filter((n) => n !== "") : []
      const list = names.length > 0 && names.length <= SHORT_LIST ? `known: ${names.join(", ")}` : undefined
      const meant = near(word, known)
      if (meant === undefined) return list
      return list === undefined ? `did you mean "${meant}"?` : `did you mean "${meant}"? ${list}`
    },
    full: () => more !== undefined,
    list() {
      const last = found.at(-1)
      if (more === undefined || last === undefined) return found
      return [
        ...found,
        {
          ...last,
          code: `${family}-MORE`,
          severity: more,
          message: `the file has more than ${MAX_REPORTED} problems; the rest are not shown`,
          suggestion: "fix these first",
        },
      ]
    },
  }
}

/** Text from the file, quoted and shortened for a message. */
export const shown = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 77)}…` : text)
