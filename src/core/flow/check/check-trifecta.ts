// The write-time lint of [G11]: an agent that can read what is private, reads text from outside, and can send something away. Whoever
// writes that text may try to make it carry the one to the other. The guard asks a person in time; this says it to the author, while a
// file is being written, with the tools by name.

import type { ApprovalRule } from "../../policy/policy.ts"
import { isPattern, matchesTool, namesOf, sameTool } from "../../policy/tool-names.ts"
import type { ToolSpec } from "../../tool/tool-spec.ts"
import type { Agent } from "../agent.ts"
import type { Place } from "../parse/place.ts"
import type { Report } from "../parse/report.ts"
import { TOOLKIT_TOOLS, toolkitTools } from "../toolkits.ts"

/** What the lint sees of a tool. */
export type ToolTraits = Pick<ToolSpec, "name" | "same" | "groups" | "contexts" | "untrusted" | "private" | "reach" | "paths" | "approval">

type Judged = Pick<Agent, "tools" | "role" | "toolkits" | "approvals" | "tool_approvals" | "effects">

export function checkTrifecta(agent: Judged, traits: Iterable<ToolTraits>, at: Place, report: Report): void {
  if (agent.effects?.after_untrusted === "ask") return
  const held = [...traits].filter((tool) => holds(agent, tool))
  const outside = held.find((tool) => tool.untrusted === true)
  const leak = held.filter((tool) => tool.reach !== undefined && !asksAlways(agent, tool))
  // A tool that does nothing but send is the plainest of them.
  const away = leak.find((tool) => tool.untrusted !== true) ?? leak[0]
  const secret = held.find((tool) => tool.private === true) ?? held.find(readsFiles)
  if (outside === undefined || away === undefined || secret === undefined) return
  const allows = agent.effects?.after_untrusted === "allow"
  report.warn(
    "AV-TRIFECTA",
    at,
    `the agent reads what is private (${secret.name}) and text from outside (${outside.name}), and can send something away (${away.name}): ` +
      (allows ? "that text may make it do so, and nobody is asked" : "once it has read such text, each sending waits for a person"),
    `leave one of the three to another agent; or tool_approvals: { ${away.name}: always }; or effects: { after_untrusted: ask } if waiting is what you want`,
  )
}

/** By the name in its list, by a pattern there, or because nothing denies it [F53]. */
function holds(agent: Judged, tool: ToolTraits): boolean {
  const { tools } = agent
  if (toolkitTools(agent).includes(tool.name)) return true
  if (tools.kind === "list") return tools.names.some((name) => name === tool.name || (isPattern(name) && matchesTool(name, tool)))
  return tool.contexts.includes("agent") && !TOOLKIT_TOOLS.has(tool.name) && !tools.denied.some((name) => matchesTool(name, tool))
}

const readsFiles = (tool: ToolTraits): boolean => (tool.paths?.read?.length ?? 0) > 0 || sameTool(tool.name, "bash")

/** A dynamic rule counts: its author has thought of when to ask. */
function asksAlways(agent: Judged, tool: ToolTraits): boolean {
  const own = Object.entries(agent.tool_approvals ?? {})
  const names = namesOf(tool)
  const exact = own.filter(([name]) => names.includes(name))
  const words = (exact.length > 0 ? exact : own.filter(([pattern]) => matchesTool(pattern, tool))).map(([, rule]) => rule)
  const said: readonly (ApprovalRule | "default" | undefined)[] = [...words, tool.approval, agent.approvals?.tools]
  const first = said.find((rule) => rule !== undefined && rule !== "default")
  return first !== undefined && first !== "never"
}
