// Checks the tools that steps call themselves [F26]: each exists and is for flows, and a tool step's arguments fit.

import type { Placed, CheckScope } from "../flow/check/check-scope.ts"
import type { ToolTraits } from "../flow/check/check-trifecta.ts"
import type { ToolStep } from "../flow/flow.ts"
import type { SourcePlace } from "../flow/parse/place.ts"
import { shown } from "../flow/parse/report.ts"
import { absentTool, TOOL_SOURCES, unmadeTool } from "../tool/absent-tool.ts"
import { isOfServer, isPattern } from "../tool/policy/tool-names.ts"
import { TOOLKITS } from "../tool/toolkits.ts"
import { checkGivenArguments } from "./check-given-arguments.ts"

/** Tools that end, search or go on with a session, or belong to a team of agents. */
const OF_SESSIONS: ReadonlySet<string> = new Set([
  "finish",
  "subagent_finalize",
  "ask_user",
  "skill_read",
  "read_output",
  "tool_search",
  "subagent",
  "agent_catalog",
  "agent_write",
  "flow_write",
  ...(TOOLKITS["plans"] ?? []),
  ...(TOOLKITS["agents"] ?? []),
])

/** The tool, if a step may call it. */
export function checkToolName(name: string, at: SourcePlace, where: string, { world, report }: CheckScope): ToolTraits | undefined {
  const { tools } = world
  if (name === "") return undefined
  if (OF_SESSIONS.has(name)) {
    report.error(
      "FV-TOOL",
      at,
      `${where}: ${shown(name)} belongs to an agent's session, and no step can call it`,
      INSTEAD[name] ?? "an agent with this tool",
    )
    return undefined
  }
  if (isPattern(name)) {
    report.error("FV-TOOL", at, `${where}: a step names one tool, and ${shown(name)} is a pattern`, "tool: NAME")
    return undefined
  }
  if (tools === undefined) return undefined
  const tool = tools.get(name)
  if (tool?.absent !== undefined) {
    report.warn("FV-TOOL", at, `${where}: ${absentTool(name, { reason: tool.absent })} The step fails until it is`, "another tool")
    return undefined
  }
  if (tool === undefined && isOfServer(name))
    report.warn(
      "FV-TOOL",
      at,
      `${where}: no server brings the tool ${shown(name)} now; until one does, the step fails`,
      report.hint(name, namesOf(tools)),
    )
  else if (tool === undefined) {
    const near = report.hint(name, namesOf(tools))
    const unmade = near === undefined ? unmadeTool(name, world.broken?.toolFiles) : undefined
    if (unmade) report.warn("FV-TOOL", at, `${where}: ${unmade.message}`, unmade.suggestion)
    else report.error("FV-TOOL", at, `${where}: the tool ${shown(name)} does not exist here`, near ?? TOOL_SOURCES)
  } else if (!tool.contexts.includes("agent"))
    report.error("FV-TOOL", at, `${where}: ${shown(name)} is not for runs, and no step can call it`, "another tool")
  return tool
}

const INSTEAD: Readonly<Record<string, string>> = {
  ask_user: "type: fork\nquestion: …\noptions: [first, second]\nbranches: { first: step-id, second: step-id }",
  subagent: "type: agent\nagent: NAME",
  call_agent: "type: agent\nagent: NAME",
}

const namesOf = (tools: ReadonlyMap<string, ToolTraits>): string[] => [...tools.keys()].filter((name) => !OF_SESSIONS.has(name))

export function checkToolStep(step: ToolStep, placed: Placed, scope: CheckScope): void {
  const tool = checkToolName(step.tool, placed.valueAt("tool"), placed.where, scope)
  if (tool?.parameters) checkGivenArguments(step, tool.parameters, placed, scope)
}
