// Reads the tools that an agent asks for [F53]: a list under `tools`, `approved_tools` or `allowed_tools`, or "all but" `denied_tools`.

import { isOfServer, isPattern, matchesTool } from "../../tool/policy/tool-names.ts"
import { absentTool, TOOL_SOURCES, unmadeTool } from "../../tool/absent-tool.ts"
import type { ToolTraits } from "../check/check-trifecta.ts"
import type { Agent, ToolWish } from "../agent.ts"
import type { Fields, Item } from "./fields.ts"
import { type Report, shown } from "./report.ts"
import { toolkitTools } from "../../tool/toolkits.ts"

export const LISTS = ["tools", "approved_tools", "allowed_tools"]
const ARCHITECT_TOOLS = ["agent_catalog", "agent_write", "flow_write"]
// The host does not register these tools, but every agent may list them.
export const UNREGISTERED: readonly string[] = ["ask_user", "skill_read", "subagent", ...ARCHITECT_TOOLS]

/** `traits`: absent when they are unknown. */
interface Tools {
  readonly tools: ReadonlySet<string>
  readonly traits?: Iterable<ToolTraits>
  /** Files of tools that have errors of their own; absent: none. */
  readonly unmade?: readonly string[]
}

export function readTools(fields: Fields, world: Tools, team: Pick<Agent, "role" | "toolkits">, report: Report): ToolWish {
  const lists = LISTS.filter((key) => fields.has(key))
  const [first, second] = lists
  const denies = fields.has("denied_tools")
  if (first !== undefined && denies)
    report.error(
      "AV-TOOLS-BOTH",
      fields.keyAt("denied_tools"),
      `"${first}" and "denied_tools" exclude each other: one lists the granted tools, the other removes inherited tools`,
      `keep one of them`,
    )
  if (second !== undefined)
    report.error("AV-TOOLS-BOTH", fields.keyAt(second), `"${first}" and "${second}" mean the same`, `keep one of them`)
  if (first === undefined && !denies && toolkitTools(team).length === 0)
    report.warn(
      "AV-TOOLS",
      fields.keyAt("tools"),
      "the agent lists no tools, so it gets only finish",
      "tools: read, write, or tools: [] if it needs none",
    )

  const known = new Set([...world.tools, ...UNREGISTERED])
  const absent = new Map(
    [...(world.traits ?? [])].flatMap((tool) => (tool.absent === undefined ? [] : [[tool.name, tool.absent] as const])),
  )
  if (first === undefined && denies) {
    const items = fields.list("denied_tools", true)
    for (const { text, at } of items)
      if (!isKnown(text, known) && text !== "finish")
        report.warn(
          isPattern(text) || isOfServer(text) ? "AV-TOOL" : "AV-RULE",
          at,
          `the tool ${shown(text)} does not exist, so there is nothing to deny`,
          report.hint(text, known) ?? "a tool that exists, or remove it",
        )
    return { kind: "inherit", denied: names(items) }
  }
  const items = first === undefined ? [] : fields.list(first, true)
  for (const { text, at } of items) {
    if (text === "finish" || text === "subagent_finalize")
      report.error("AV-TOOL-FINISH", at, `every agent has "${text}"; agents do not list it`, "remove it")
    else if (text === "subagent")
      report.warn(
        "AV-TOOL-ROLE",
        at,
        `agents never get "subagent"; calls of it are refused`,
        "remove it, or make the work a step of the flow",
      )
    else if (ARCHITECT_TOOLS.includes(text) && team.role !== "architect")
      report.warn("AV-TOOL-ROLE", at, `only the role architect gets "${text}"; calls of it are refused`, "role: architect")
    else if (text.includes("*") || text.startsWith("group:")) {
      // The tools of a server change, so a glob that matches nothing now may match later.
      if (!isKnown(text, known)) report.warn("AV-TOOL", at, `no tool matches ${shown(text)} here`, report.hint(text, known))
    } else if (absent.has(text))
      report.warn("AV-TOOL", at, `${absentTool(text, { reason: absent.get(text) })} The agent runs without it`, "another tool, or none")
    // A server may bring the tool later.
    else if (isOfServer(text) && !known.has(text))
      report.warn(
        "AV-TOOL",
        at,
        `no server brings the tool ${shown(text)} now; until one does, the agent runs without it`,
        report.hint(text, known),
      )
    else if (!known.has(text)) {
      const near = report.hint(text, known)
      const unmade = near === undefined ? unmadeTool(text, world.unmade) : undefined
      if (unmade) report.warn("AV-TOOL", at, unmade.message, unmade.suggestion)
      else report.error("AV-TOOL", at, `the tool ${shown(text)} does not exist here`, near ?? TOOL_SOURCES)
    }
  }
  return { kind: "list", names: names(items) }
}

/** Is it the name of a known tool, or a glob or group that matches one? */
const isKnown = (text: string, known: ReadonlySet<string>): boolean =>
  known.has(text) || [...known].some((name) => matchesTool(text, { name }))

const names = (items: readonly Item[]): string[] => [...new Set(items.map((item) => item.text))]
