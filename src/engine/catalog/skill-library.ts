// Reads the files of a run's skills by hash. Only files that the skill lists are ever looked up [F60], [F61]: a name is compared literally
// with the list, so `../x`, `/x`, `%2e%2e/x` and the like never match.

import { hasErrors } from "../../core/diagnostic.ts"
import type { Skill } from "../../core/flow/skill.ts"
import type { Blobs } from "../../ports/blobs.ts"
import type { FileRow } from "../../ports/tenant/catalog.ts"
import type { SkillLibrary } from "../../ports/tool.ts"
import { atOnce } from "../at-once.ts"
import { decode } from "./catalog-bodies.ts"
import { SKILL_INDEX, SKILL_MANIFEST, splitSkillId } from "./catalog-entry.ts"
import { checkManifest, checkSkill } from "./check/language.ts"

export interface PinnedSkill {
  readonly skill: Skill
  /** Path in the skill → hash, including SKILL.md. */
  readonly files: Readonly<Record<string, string>>
}

export function skillLibrary(skills: Readonly<Record<string, PinnedSkill>>, blobs: Blobs): SkillLibrary {
  const known = new Map(Object.entries(skills))
  const allowed = (name: string): readonly string[] | undefined => {
    const skill = known.get(name)
    if (!skill) return undefined
    return (skill.skill.files ?? Object.keys(skill.files).sort()).filter((file) => file !== SKILL_INDEX)
  }
  return {
    names: () => [...known.keys()],
    files: allowed,
    async read(name, file) {
      const skill = known.get(name)
      if (!skill || !(file === SKILL_INDEX || allowed(name)?.includes(file))) return undefined
      const hash = Object.hasOwn(skill.files, file) ? skill.files[file] : undefined
      const body = hash === undefined ? undefined : await blobs.get(hash)
      return body && decode(body)
    },
  }
}

/** The current catalog's skills, for a caller outside a run: rows of kind `skill`. A skill that does not load is left out. */
export async function currentSkills(rows: readonly FileRow[], blobs: Blobs): Promise<SkillLibrary> {
  const indexes = rows.filter((row) => row.kind === "skill" && splitSkillId(row.id).file === SKILL_INDEX)
  const skills = await atOnce(indexes, async (index) => {
    const { skill: name } = splitSkillId(index.id)
    const body = await blobs.get(index.hash)
    const { value, diagnostics } = checkSkill((body && decode(body)) ?? "", name)
    const own = rows.filter(
      (row) => row.kind === "skill" && row.tier === index.tier && row.package === index.package && splitSkillId(row.id).skill === name,
    )
    const files = Object.fromEntries(own.map((row) => [splitSkillId(row.id).file, row.hash]))
    const manifest = files[SKILL_MANIFEST]
    const granted = manifest === undefined ? undefined : await blobs.get(manifest)
    if (manifest !== undefined && !checkManifest((granted && decode(granted)) ?? "").value) return []
    return value && !hasErrors(diagnostics) ? [[name, { skill: value, files }] as const] : []
  })
  return skillLibrary(Object.fromEntries(skills.flat()), blobs)
}
