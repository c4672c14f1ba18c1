// A skill: SKILL.md and the files beside it [F60–F62].

import type { SkillPermissions } from "../policy/skill-permissions.ts"

export interface Skill {
  readonly name: string
  readonly description: string
  /** The allow-list of `files:`; absent means that every stored file may be read [F60]. */
  readonly files?: readonly string[]
  /** SKILL.md as it stands, frontmatter included: what an agent that declares the skill gets in its prompt [F61]. */
  readonly text: string
  /** Of its `manifest.json`; absent: it restricts nothing [T31]. */
  readonly permissions?: SkillPermissions
}
