// Reports what an import makes of each file [F73].

import type { Diagnostic } from "../../core/diagnostic.ts"
import type { DiagnosticCode } from "../../core/diagnostic-codes.ts"
import type { CatalogKind } from "../../ports/tenant/catalog.ts"

export interface FileReport {
  /** The path as sent. */
  readonly path: string
  readonly kind: CatalogKind | "other"
  /** `changed`: imported with changes. */
  readonly status: "imported" | "changed" | "refused"
  /** The catalog path. */
  readonly target?: string
  readonly changes: readonly string[]
  /** Lines refer to the stored file. */
  readonly diagnostics: readonly Diagnostic[]
  /** It takes the place of a stored file. */
  readonly replaces?: true
  /** Of an agent's prompt and of a SKILL.md: about how many the stored text has. */
  readonly tokens?: number
}

export interface ImportReport {
  readonly written: boolean
  readonly counts: { readonly imported: number; readonly changed: number; readonly refused: number }
  readonly data: readonly FileReport[]
}

export function reported(data: readonly FileReport[], written: boolean): ImportReport {
  const count = (status: FileReport["status"]): number => data.filter((report) => report.status === status).length
  return { written, counts: { imported: count("imported"), changed: count("changed"), refused: count("refused") }, data }
}

/** Why a file is left out. */
export const refusal = (
  file: { readonly path: string; readonly kind?: FileReport["kind"] },
  code: DiagnosticCode,
  message: string,
): FileReport => ({
  path: file.path,
  kind: file.kind ?? "other",
  status: "refused",
  changes: [],
  diagnostics: [{ code, line: 1, severity: "error", message }],
})
