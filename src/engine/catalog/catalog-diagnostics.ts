// Reports faults that the catalog finds beyond a file's own text: CAT-… codes, all at line 1.

import { defined } from "../../core/defined.ts"
import { hasErrors, type Diagnostic } from "../../core/diagnostic.ts"
import type { DiagnosticCode } from "../../core/diagnostic-codes.ts"
import { MAX_SCORERS } from "../../core/score/scorer-fields.ts"
import { runtime } from "../../core/language/parse-skill.ts"
import type { Body, CatalogEntry } from "./catalog-entry.ts"
import { splitSkillId } from "./catalog-entry.ts"

const error = (code: DiagnosticCode, message: string, suggestion?: string): Diagnostic => ({
  code,
  line: 1,
  severity: "error",
  message,
  ...defined({ suggestion }),
})
const warning = (code: DiagnosticCode, message: string, suggestion?: string): Diagnostic => ({
  ...error(code, message, suggestion),
  severity: "warning",
})

export const badPath = (fault: string): Diagnostic => error("CAT-PATH", fault)

/** [F74] The diagnostic of a stored file that is unreadable. */
export const corrupt = ({ path, hash }: Body & { readonly path: string }, fault: string): Diagnostic =>
  error("CAT-CORRUPT", `the stored body of ${path} ${fault} (hash ${hash.slice(0, 12)}…)`, `write ${path} again, or delete it`)

/** The diagnostic of an import's file that is left out because of other files. */
export const leftOut = (path: string): Diagnostic =>
  error(
    "FV-FLOW",
    `${path} belongs to a flow that is left out, or runs one, itself or through others`,
    "fix the other files first, then import this one again",
  )

/** [F70] Reported for the file that is used. */
export function shadows(entry: CatalogEntry, hidden: CatalogEntry): Diagnostic {
  const thing = nounOf(entry)
  if (entry.tier === "package" && hidden.tier === "package")
    return warning(
      "CAT-PACKAGE-TWICE",
      `the packages "${entry.package}" and "${hidden.package}" both have the ${thing}; the one from "${entry.package}" is used because it was registered first`,
      "remove it from one of them, or write a local one",
    )
  const what = hidden.tier === "package" ? `the ${thing} of the package "${hidden.package}"` : `the built-in ${thing}`
  return warning("CAT-SHADOW", `${entry.path} hides ${what}`, "choose another name if this is not intended")
}

/** [F70] Reported when a package is registered: this file of it is not used. */
export const hiddenBy = (entry: CatalogEntry, used: CatalogEntry): Diagnostic =>
  warning(
    "CAT-HIDDEN",
    `the ${nounOf(entry)} of this package is not used: ${used.path} hides it (${used.tier})`,
    used.tier === "package" ? `of two packages, the one registered first wins` : `delete ${used.path} to use this one`,
  )

const nounOf = ({ kind, id }: CatalogEntry): string =>
  kind === "skill" ? `skill ${splitSkillId(id).skill}` : `${kind === "code" ? "handler" : kind} ${id}`

/** [F5] The diagnostic of two paths with the same definition. */
export const twice = (path: string, other: string): Diagnostic =>
  error("CAT-TWICE", `${path} and ${other} are the same definition under two paths`, `keep one of them: delete ${other}, or write to it`)

export const noFlow = (kind: "test" | "rehearsal", id: string, near: string | undefined): Diagnostic =>
  warning(
    "CAT-NO-FLOW",
    `${kind === "test" ? "these tests are" : "this rehearsal is"} of the flow "${id}", which does not exist`,
    near === undefined ? `write flows/${id.replaceAll(":", "/")}.yaml, or remove this file` : `did you mean "${near}"? Rename this file`,
  )

export const noIndex = (path: string, skill: string): Diagnostic =>
  warning("CAT-SKILL-INDEX", `${path} belongs to no skill: skills/${skill}/SKILL.md is missing`, `write skills/${skill}/SKILL.md`)

export const listedButMissing = (skill: string, file: string, line: number): Diagnostic => ({
  ...warning(
    "CAT-SKILL-FILE",
    `SKILL.md lists "${file}", which is not stored`,
    `write skills/${skill}/${file}, or remove it from the list`,
  ),
  line,
})

export const needing = (program: string): Diagnostic => warning("SV-RUNTIME", ...runtime(program))

export const unlisted = (file: string): Diagnostic =>
  warning(
    "CAT-SKILL-UNLISTED",
    `"${file}" is not on the \`files:\` list of its SKILL.md, so agents cannot read it`,
    `add "${file}" to the list`,
  )

export const emptyBundle: Diagnostic = error(
  "CAT-EMPTY",
  "the bundle has none of agents, flows, skills, code",
  'send at least one of them; `"flows": {}` removes all flows',
)

/** As many as one import reads [H3]. Checking 5,000 files takes two to three seconds of CPU, in pieces [H3, N4]; reading them cold takes as
 *  many requests to storage, of 10,000 that the platform allows. */
export const MAX_FILES = 5000 // limit: files of a bundle, a catalog, a package → `CAT-MANY`: nothing is written
export const MAX_PACKAGES = 50 // limit: packages of a tenant → `CAT-MANY`: nothing is written

export const tooMany = (where: string, count: number): Diagnostic =>
  error(
    "CAT-MANY",
    `${where} would have ${count} files; at most ${MAX_FILES} are allowed`,
    "remove unused files, or move some into a package",
  )

export const tooManyScorers = (count: number): Diagnostic =>
  error("EV-LIMIT", `there would be ${count} scorers; at most ${MAX_SCORERS} are allowed`, "remove one that is not used")

export const tooManyPackages: Diagnostic = error(
  "CAT-MANY",
  `there are already ${MAX_PACKAGES} packages, the maximum`,
  "remove an unused package",
)

const MOST_LISTED = 1_000 // limit: diagnostics of one answer → `CAT-MORE` counts the rest

const unlistedRest = (count: number, severity: Diagnostic["severity"]): Diagnostic => ({
  ...error("CAT-MORE", `${count} more ${count === 1 ? "problem is" : "problems are"} not shown`, "fix these first"),
  severity,
})

/** Sorted by path, without files that have no diagnostics, and bounded: errors first, and the rest as one count under the path "". */
export function listed(found: ReadonlyMap<string, readonly Diagnostic[]>): Readonly<Record<string, readonly Diagnostic[]>> {
  const sorted = [...found].filter(([, list]) => list.length > 0).sort(([a], [b]) => (a < b ? -1 : 1))
  const all = sorted.flatMap(([, list]) => list)
  if (all.length <= MOST_LISTED) return Object.fromEntries(sorted)
  const byWeight = [...all.filter((d) => d.severity === "error"), ...all.filter((d) => d.severity === "warning")]
  const shown = new Set(byWeight.slice(0, MOST_LISTED))
  const kept = sorted.map(([path, list]) => [path, list.filter((d) => shown.has(d))] as const).filter(([, list]) => list.length > 0)
  const rest = byWeight.slice(MOST_LISTED)
  const count = unlistedRest(rest.length, hasErrors(rest) ? "error" : "warning")
  return { ...Object.fromEntries(kept), "": [...(found.get("") ?? []), count] }
}

/** The rows of a catalog with at most 1,000 diagnostics in all; a row beyond them has only a count. */
export function sparingly<R extends { readonly diagnostics: readonly Diagnostic[] }>(rows: readonly R[]): R[] {
  let left = MOST_LISTED
  return rows.map((row) => {
    const { diagnostics } = row
    left -= diagnostics.length
    if (left >= 0 || diagnostics.length < 2) return row
    return { ...row, diagnostics: [unlistedRest(diagnostics.length, hasErrors(diagnostics) ? "error" : "warning")] }
  })
}

export const emptyPackage: Diagnostic = error("CAT-EMPTY", "the package has no files", "send agents, flows, skills or code")

export const noPackageName = (name: string): Diagnostic =>
  error("CAT-PACKAGE", `${JSON.stringify(name)} is not a valid package name: use letters, digits, "-" and "_"`)
