// What the catalog itself finds wrong with a file, beyond what its text says: CAT-… codes, all at line 1.

import type { Diagnostic } from "../core/diagnostic.ts"
import type { Entry } from "./catalog-entry.ts"

const error = (code: string, message: string, suggestion?: string): Diagnostic => ({
  code,
  line: 1,
  severity: "error",
  message,
  ...(suggestion === undefined ? {} : { suggestion }),
})
const warning = (code: string, message: string, suggestion?: string): Diagnostic => ({
  ...error(code, message, suggestion),
  severity: "warning",
})

export const badPath = (fault: string): Diagnostic => error("CAT-PATH", fault)

/** [F74] */
export const corrupt = (entry: Entry, fault: string): Diagnostic =>
  error(
    "CAT-CORRUPT",
    `the stored body of ${entry.path} ${fault} (hash ${entry.hash.slice(0, 12)}…)`,
    `write ${entry.path} again, or delete it`,
  )

/** [F70] */
export const shadows = (entry: Entry, hidden: Entry): Diagnostic =>
  warning("CAT-SHADOW", `${entry.path} hides the ${hidden.tier} ${entry.kind} of the same name`, "choose another name if that is not meant")

/** [F5] */
export const twice = (path: string, other: string): Diagnostic =>
  error("CAT-TWICE", `${path} and ${other} are the same definition under two paths`, `keep one of them: delete ${other}, or write to it`)

export const noIndex = (path: string, skill: string): Diagnostic =>
  warning("CAT-SKILL-INDEX", `${path} belongs to no skill: skills/${skill}/SKILL.md is not there`, `write skills/${skill}/SKILL.md`)

export const listedButMissing = (skill: string, file: string, line: number): Diagnostic => ({
  ...warning("CAT-SKILL-FILE", `SKILL.md lists "${file}", which is not stored`, `write skills/${skill}/${file}, or take it off the list`),
  line,
})

export const unlisted = (file: string): Diagnostic =>
  warning("CAT-SKILL-UNLISTED", `"${file}" is not on the \`files:\` list of its SKILL.md: nobody can read it`, `add "${file}" to the list`)

export const emptyBundle: Diagnostic = error(
  "CAT-EMPTY",
  "the bundle has none of agents, flows, skills",
  'send at least one of them; `"flows": {}` removes all flows',
)

export const noCodeYet: Diagnostic = error("CAT-CODE", "code steps are not supported yet", "leave `code` out, or send it empty")
