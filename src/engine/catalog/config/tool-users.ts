// Collects who uses which tools in the tenant's own files: agents that list them by name, and steps that call them.

import { ownTools } from "../../../core/flow/flow.ts"
import { providerOf } from "../../../core/tool/policy/resolve.ts"
import type { ToolUser } from "../../../core/tool/policy/denied-tools.ts"
import type { NamedTool } from "../../../core/tool/policy/tool-names.ts"
import { defined } from "../../../core/defined.ts"
import { atOnce } from "../../at-once.ts"
import type { CatalogEntry } from "../catalog-entry.ts"
import type { FileSurroundings } from "./surroundings.ts"

type Ground = Pick<FileSurroundings, "entries" | "agent" | "flow" | "tool">

export async function toolUsers(ground: Ground): Promise<readonly ToolUser[]> {
  const own = ground.entries.filter(({ kind, tier }) => tier === "local" && (kind === "agent" || kind === "flow"))
  const found = await atOnce(own, (entry) => (entry.kind === "agent" ? agentOf(ground, entry) : stepsOf(ground, entry)))
  return found.flat()
}

async function agentOf(ground: Ground, { id, path }: CatalogEntry): Promise<readonly ToolUser[]> {
  const agent = (await ground.agent(id))?.value
  if (agent?.tools.kind !== "list") return []
  const holder = { agent: id, ...defined({ provider: providerOf(agent.model) }) }
  return [{ who: `the agent "${id}" (${path})`, does: "lists", holder, tools: toolsOf(ground, agent.tools.names) }]
}

async function stepsOf(ground: Ground, { id, path }: CatalogEntry): Promise<readonly ToolUser[]> {
  return ((await ground.flow(id))?.value?.steps ?? []).flatMap((step): ToolUser[] => {
    const names = ownTools(step)
    if (names.length === 0) return []
    return [{ who: `step "${step.id}" of the flow "${id}" (${path})`, does: "calls", holder: {}, tools: toolsOf(ground, names) }]
  })
}

/** Patterns and tools that are not there name nothing that could be denied. */
const toolsOf = ({ tool }: Ground, names: readonly string[]): readonly NamedTool[] => names.flatMap((name) => tool(name) ?? [])
