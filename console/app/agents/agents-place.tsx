// /console/agents: agents and skills. /console/agents/NAME: one agent, its playground and what names it. /console/agents/skills/NAME: one skill.

import type { PlaceProps } from "../shell/place-props.ts"
import { AgentsPage } from "./agents-page.tsx"
import { later } from "../parts/later.ts"

const AgentPage = later(async () => (await import("./agent-page.tsx")).AgentPage)
const SkillPage = later(async () => (await import("./skill-page.tsx")).SkillPage)

export function AgentsPlace({ api, rest: [name, skill] }: PlaceProps) {
  if (name === undefined) return <AgentsPage api={api} />
  if (name === "skills" && skill !== undefined) return <SkillPage key={skill} api={api} name={skill} />
  return <AgentPage key={name} api={api} name={name} />
}
