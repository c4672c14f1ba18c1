// Makes the skill for coding agents in a user's project, from the skill that the agents of a server have, and from the fields of every file. Pure.

import { fieldPage } from "./field-page.ts"

/** Path below `skills/sluice` → text. `language`: the files of skills/flow-language; `schemas`: name → schema. */
export function codingSkill(
  language: ReadonlyMap<string, string>,
  schemas: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
): ReadonlyMap<string, string> {
  const [first = "", ...rest] = (language.get("SKILL.md") ?? "").split(TOPICS)
  const [body, more] = [first.replace(/^---\n[\s\S]*?\n---\n/, ""), rest.join(TOPICS)]
  if (more === "" || body === first) throw new Error(`skills/flow-language/SKILL.md no longer has the line "${TOPICS}"`)
  const fields = [...schemas].map(([name, schema]) => [`fields/${name}.md`, fieldPage(name, schema)] as const)
  const skill = [
    HEAD,
    body,
    "The files beside this one:",
    more.trimEnd(),
    "",
    "The fields of every kind of file:",
    "",
    ...fields.map(([file, text]) => `- \`${file}\`: ${/^# Fields of (.+)$/m.exec(text)?.[1] ?? file}`),
    "",
  ].join("\n")
  return new Map([...[...language].filter(([name]) => name !== "SKILL.md"), ...fields, ["SKILL.md", skill]])
}

/** How an agent of a server reads a topic; a coding agent opens the file. */
const TOPICS = 'Read topic files with `skill_read` and `{"skill": "flow-language", "file": "steps.md"}`:'

const HEAD = `---
name: sluice
description: How the files of a Sluice project are written - flows, agents, skills, tools, hooks, schedules, callbacks, policy and tests. Use it before you write or change a file below flows/, agents/, skills/, tools/, hooks/, schedules/, callbacks/ or tests/, or sluice.yaml, policy.yaml, roles.yaml, budget.yaml or gate.yaml.
---`
