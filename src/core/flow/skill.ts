// Defines a skill: SKILL.md and the files beside it [F60–F62].

import type { SkillPermissions } from "../tool/policy/skill-permissions.ts"

export interface Skill {
  readonly name: string
  readonly description: string
  /** The allow-list `files:`; if absent, every stored file is readable [F60]. */
  readonly files?: readonly string[]
  /** The whole SKILL.md with its frontmatter, which goes into the prompt of agents that declare the skill [F61]. */
  readonly text: string
  /** From `manifest.json`; if absent, nothing is restricted [T31]. */
  readonly permissions?: SkillPermissions
}
