// Checks a skill's files against each other [F60]: no SKILL.md, a file that SKILL.md does not list, a listed file that is missing, a script
// for which there is no runtime.

import type { Diagnostic } from "../../../core/diagnostic.ts"
import { MOST_SHOWN } from "../../../core/diagnostic.ts"
import { needOf } from "../../../core/flow/check/skill-runtime.ts"
import { listedButMissing, needing, noIndex, unlisted } from "../catalog-diagnostics.ts"
import type { CatalogEntry } from "../catalog-entry.ts"
import { SKILL_INDEX, SKILL_MANIFEST, splitSkillId } from "../catalog-entry.ts"
import { sameSource } from "../catalog-layers.ts"
import type { CatalogEntries } from "../catalog-entries.ts"
import type { Body } from "../catalog-entry.ts"
import type { Skill } from "../../../core/flow/skill.ts"
import type { Loaded } from "./checked-bodies.ts"

/** Files of a skill that may be scripts; others are not read to be checked. */
const SCRIPT = /\.(?:py|[cm]?js|ts|rb|pl|php|ps1|r|sh|bash)$|(?:^|\/)scripts?\/[^./]+$/i

/** The part of a catalog's view that a skill is read from. */
interface Skills extends Pick<CatalogEntries, "skillFiles"> {
  skill(name: string): Promise<Loaded<Skill> | undefined>
  text(body: Body): Promise<string | undefined>
}

export async function skillFileFaults(view: Skills, entry: CatalogEntry): Promise<readonly Diagnostic[]> {
  const { skill, file } = splitSkillId(entry.id)
  const files = view.skillFiles(skill)
  if (!files || !sameSource(files.index, entry)) return [noIndex(entry.path, skill)]
  const listed = (await view.skill(skill))?.value?.files
  if (file === SKILL_MANIFEST) return []
  if (file !== SKILL_INDEX) {
    const need = SCRIPT.test(file) ? needOf(file, (await view.text(entry)) ?? "") : undefined
    const needs = need === undefined ? [] : [needing(need)]
    return listed === undefined || listed.includes(file) ? needs : [unlisted(file), ...needs]
  }
  if (!listed) return []
  const lines = ((await view.text(entry)) ?? "").split("\n")
  const missing = listed.filter((name) => !files.files.has(name))
  const lineOf = (name: string): number => Math.max(1, lines.findIndex((line) => line.includes(name)) + 1)
  // Only these can be shown, and to look for each takes time.
  return missing.map((name, i) => listedButMissing(skill, name, i < MOST_SHOWN ? lineOf(name) : lines.length))
}
