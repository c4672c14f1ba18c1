// Builds one row of `agent_catalog`, in the seed's exact shape: empty keys are left out, `architect` is always present, and an agent
// without an architect block uses its description as `use_when`.

import { defined } from "../../core/defined.ts"
import { hasErrors } from "../../core/diagnostic.ts"
import type { Agent } from "../../core/flow/agent.ts"
import { TOOLKIT_TOOLS, toolkitTools } from "../../core/tool/toolkits.ts"
import { matchesTool } from "../../core/tool/policy/tool-names.ts"
import type { AgentEntry } from "../../ports/tenant/catalog.ts"
import type { CatalogEntry } from "./catalog-entry.ts"
import type { CatalogView } from "./catalog-view.ts"

/** [F53] Never included in "all the caller's tools"; `read_output` is added with the first truncated result [T5], and `tool_search` when
 *  there are too many tools [T8]. */
const NEVER_INHERITED: ReadonlySet<string> = new Set([
  "subagent",
  "agent_catalog",
  "agent_write",
  "flow_write",
  "finish",
  "ask_user",
  "read_output",
  "tool_search",
])

/** Usable agents, by name. */
export async function agentRows(view: CatalogView, tools: readonly string[]): Promise<AgentEntry[]> {
  const agents = [...(await view.agents()).values()].sort((a, b) => (a.entry.id < b.entry.id ? -1 : 1))
  return agents.flatMap(({ value, entry, diagnostics }) => (value && !hasErrors(diagnostics) ? [agentEntry(value, entry, tools)] : []))
}

function agentEntry(agent: Agent, entry: CatalogEntry, tools: readonly string[]): AgentEntry {
  const wish = agent.tools
  const named =
    wish.kind === "list"
      ? wish.names
      : tools.filter(
          (name) => !NEVER_INHERITED.has(name) && !TOOLKIT_TOOLS.has(name) && !wish.denied.some((glob) => matchesTool(glob, { name })),
        )
  const card = present(agent.card ?? {})
  return {
    name: agent.name,
    description: agent.description,
    tools: [...new Set([...named, ...toolkitTools(agent)])],
    ...(agent.inputs.length > 0 ? { inputs: [...agent.inputs] } : {}),
    ...(agent.outputs.length > 0 ? { outputs: agent.outputs.map(({ name, description }) => ({ name, ...defined({ description }) })) } : {}),
    ...(Object.keys(card).length > 0 ? { card } : {}),
    source_type: entry.tier,
    ...(entry.tier === "local" ? { source_path: entry.path } : {}),
    architect: agent.architect ? present(agent.architect) : { use_when: agent.description },
  }
}

function present(block: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [key, value] of Object.entries(block)) if (value !== undefined) kept[key] = value
  return kept
}
