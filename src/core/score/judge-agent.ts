// Tells which agents may judge [V2, V7]: those without tools and skills. A judge reads and answers, and text from outside could use a tool.

import type { Agent } from "../flow/agent.ts"

export const isBare = ({ tools, skills, toolkits = [], routes = [] }: Agent): boolean =>
  tools.kind === "list" && tools.names.length === 0 && skills.length === 0 && toolkits.length === 0 && routes.length === 0
