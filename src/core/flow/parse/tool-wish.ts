// Which tools an agent asks for [F53]: a list under `tools`, `approved_tools` or `allowed_tools`, or "all but" `denied_tools`.

import { matchesTool } from "../../policy/tool-names.ts"
import type { Agent, ToolWish } from "../agent.ts"
import type { Fields, Item } from "./fields.ts"
import { type Report, shown } from "./report.ts"
import { toolkitTools } from "../toolkits.ts"

const LISTS = ["tools", "approved_tools", "allowed_tools"]
const ARCHITECT_TOOLS = ["agent_catalog", "agent_write", "flow_write"]
// Not the host's to register: every agent may name them.
const ALWAYS = ["ask_user", "skill_read", "subagent", ...ARCHITECT_TOOLS]

export function readTools(fields: Fields, tools: ReadonlySet<string>, team: Pick<Agent, "role" | "toolkits">, report: Report): ToolWish {
  const lists = LISTS.filter((key) => fields.has(key))
  const [first, second] = lists
  const denies = fields.has("denied_tools")
  if (first !== undefined && denies)
    report.error(
      "AV-TOOLS-BOTH",
      fields.keyAt("denied_tools"),
      `"${first}" and "denied_tools" cannot both be there: the one lists what is granted, the other takes away from what is inherited`,
      `leave one of them out`,
    )
  if (second !== undefined)
    report.error("AV-TOOLS-BOTH", fields.keyAt(second), `"${first}" and "${second}" say the same thing twice`, `leave one of them out`)
  if (first === undefined && !denies && toolkitTools(team).length === 0)
    report.warn("AV-TOOLS", fields.keyAt("tools"), "the agent lists no tools, so it gets none but finish", "tools: read, write")

  const known = new Set([...tools, ...ALWAYS])
  if (first === undefined && denies) {
    const items = fields.list("denied_tools", true)
    for (const { text, at } of items)
      if (!isKnown(text, known) && text !== "finish")
        report.warn("AV-TOOL", at, `the tool ${shown(text)} does not exist, so there is nothing to deny`, report.hint(text, known))
    return { kind: "inherit", denied: names(items) }
  }
  const items = first === undefined ? [] : fields.list(first, true)
  for (const { text, at } of items) {
    if (text === "finish" || text === "subagent_finalize")
      report.error("AV-TOOL-FINISH", at, `"${text}" is not for declaring: every agent has it`, "leave it out")
    else if (text === "subagent")
      report.warn(
        "AV-TOOL-ROLE",
        at,
        `"subagent" is never given to an agent; calls of it are refused`,
        "leave it out, or make it a step of the flow",
      )
    else if (ARCHITECT_TOOLS.includes(text) && team.role !== "architect")
      report.warn("AV-TOOL-ROLE", at, `"${text}" is only given to the role architect; calls of it are refused`, "role: architect")
    else if (text.includes("*") || text.startsWith("group:")) {
      // What a server lists changes, and a glob over it stays right.
      if (!isKnown(text, known)) report.warn("AV-TOOL", at, `no tool matches ${shown(text)} here`, report.hint(text, known))
    } else if (!known.has(text)) report.error("AV-TOOL", at, `the tool ${shown(text)} does not exist here`, report.hint(text, known))
  }
  return { kind: "list", names: names(items) }
}

/** Itself, or by a glob or group that is about it. */
const isKnown = (text: string, known: ReadonlySet<string>): boolean =>
  known.has(text) || [...known].some((name) => matchesTool(text, { name }))

const names = (items: readonly Item[]): string[] => [...new Set(items.map((item) => item.text))]
