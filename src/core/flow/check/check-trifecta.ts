// Warns when a file is written [G11] about an agent that can read private data, reads text from outside, and can send data out. The author
// of that text may try to make the agent leak the private data. At run time the guard asks a person; this lint warns the author of the
// agent while writing the file, and names the tools. Data that can go nowhere but where it came from does not leak; but a person is asked all the
// same, and that is said instead.

import type { ApprovalRule } from "../../tool/policy/policy.ts"
import { isPattern, matchesTool, namesOf, sameTool } from "../../tool/policy/tool-names.ts"
import { sendsOut } from "../../tool/reach.ts"
import type { ToolSpec } from "../../tool/tool-spec.ts"
import type { Agent } from "../agent.ts"
import type { SourcePlace } from "../parse/place.ts"
import type { Report } from "../parse/report.ts"
import { TOOLKIT_TOOLS, toolkitTools } from "../../tool/toolkits.ts"

/** The traits of a tool that this check uses. */
export interface ToolTraits
  extends
    Partial<Pick<ToolSpec, "effect" | "parameters">>,
    Pick<ToolSpec, "name" | "same" | "groups" | "contexts" | "untrusted" | "private" | "reach" | "paths" | "approval"> {
  /** [T25] Why this instance lacks the tool. */
  readonly absent?: string
}

type Judged = Pick<Agent, "tools" | "role" | "toolkits" | "approvals" | "tool_approvals" | "effects">

export function checkTrifecta(agent: Judged, traits: Iterable<ToolTraits>, at: SourcePlace, report: Report): void {
  if (agent.effects?.after_untrusted === "ask") return
  const granted = [...traits].filter((tool) => holds(agent, tool))
  const outside = granted.find((tool) => tool.untrusted === true)
  const secrets = [...granted.filter((tool) => tool.private === true), ...granted.filter(readsFiles)]
  const open = granted.filter((tool) => sendsOut(tool) && !asksAlways(agent, tool))
  const leak = open.filter((tool) => secrets.some((secret) => !onlyReturns(secret, tool)))
  // A tool that only sends is the clearest example to name.
  const away = leak.find((tool) => tool.untrusted !== true) ?? leak[0]
  const secret = away && secrets.find((tool) => !onlyReturns(tool, away))
  const allows = agent.effects?.after_untrusted === "allow"
  if (outside === undefined) return
  const [home] = secrets.length === 0 ? [] : open
  if (secret === undefined && home !== undefined && !allows) return warnWait(home, outside, at, report)
  if (away === undefined || secret === undefined) return
  report.warn(
    "AV-TRIFECTA",
    at,
    `the agent can read private data (${secret.name}), reads text from outside (${outside.name}), and can send data out (${away.name}): ` +
      (allows
        ? "that text can make the agent leak the data without asking anyone"
        : "after it reads such text, each call that sends data waits for a person"),
    `${new Set([secret, outside, away]).size === 1 ? "" : "move one of the three tools to another agent; or "}write tool_approvals: { ${away.name}: always }; or effects: { after_untrusted: ask } if you want the agent to wait`,
  )
}

/** A look at the host that the private data came from brings them nowhere else. */
function onlyReturns(secret: ToolTraits, away: ToolTraits): boolean {
  const host = hostOf(away)
  return host !== undefined && hostOf(secret) === host && away.effect !== "write" && isLook(away)
}

const isLook = ({ reach }: ToolTraits): boolean =>
  reach?.method !== undefined && "fixed" in reach.method && ["GET", "HEAD"].includes(reach.method.fixed)

const hostOf = ({ reach }: ToolTraits): string | undefined =>
  reach?.to !== undefined && "host" in reach.to && reach.to.host !== "" ? reach.to.host : undefined

/** The guard asks nobody the first time; after that, the session has read something private and something from outside. */
const warnWait = (tool: ToolTraits, outside: ToolTraits, at: SourcePlace, report: Report): void =>
  report.warn(
    "AV-WAITS",
    at,
    `after the agent has read text from outside (${outside.name}), each further call of ${tool.name} waits for a person, unless the policy names its host`,
    `in the policy: network: { allow: [${hostOf(tool) ?? "HOST"}] }; or effects: { after_untrusted: ask } if you want the agent to wait`,
  )

/** Does the agent have the tool: by its toolkits, by name, by a pattern, or because it does not deny it [F53]? */
/** Whether the agent may call the tool. */
export function holds(agent: Judged, tool: ToolTraits): boolean {
  const { tools } = agent
  if (toolkitTools(agent).includes(tool.name)) return true
  if (tools.kind === "list") return tools.names.some((name) => name === tool.name || (isPattern(name) && matchesTool(name, tool)))
  return tool.contexts.includes("agent") && !TOOLKIT_TOOLS.has(tool.name) && !tools.denied.some((name) => matchesTool(name, tool))
}

const readsFiles = (tool: ToolTraits): boolean => (tool.paths?.read?.length ?? 0) > 0 || sameTool(tool.name, "bash")

/** A dynamic rule counts as asking, because its author has chosen when to ask. */
function asksAlways(agent: Judged, tool: ToolTraits): boolean {
  const own = Object.entries(agent.tool_approvals ?? {})
  const names = namesOf(tool)
  const exact = own.filter(([name]) => names.includes(name))
  const words = (exact.length > 0 ? exact : own.filter(([pattern]) => matchesTool(pattern, tool))).map(([, rule]) => rule)
  const said: readonly (ApprovalRule | "default" | undefined)[] = [...words, tool.approval, agent.approvals?.tools]
  const first = said.find((rule) => rule !== undefined && rule !== "default")
  return first !== undefined && first !== "never"
}
