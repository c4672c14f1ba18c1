// Every tool that ships, as one list [T1, T2]. What a tool is for and who may be offered it stands in its own file.
//
// `finish` is not here: it is made for each step from its agent's outputs and judged by the kernel [G2].

import type { ToolSpec } from "../core/tool-spec.ts"
import type { Tool } from "../ports/tool.ts"
import { agentCatalog } from "./agent-catalog.ts"
import { agentWrite } from "./agent-write.ts"
import { askUser } from "./ask-user.ts"
import { edit } from "./edit.ts"
import { find } from "./find.ts"
import { flowWrite } from "./flow-write.ts"
import { grep } from "./grep.ts"
import { ls } from "./ls.ts"
import { read } from "./read.ts"
import { readOutput } from "./read-output.ts"
import { skillRead } from "./skill-read.ts"
import { subagent } from "./subagent.ts"
import { write } from "./write.ts"

/** Those that run. */
export const TOOLS: readonly Tool[] = [
  read,
  write,
  edit,
  grep,
  find,
  ls,
  skillRead,
  subagent,
  agentCatalog,
  agentWrite,
  flowWrite,
  readOutput,
]

/** Granted by role, not by declaration alone [G8, F53]. */
export const ARCHITECT_TOOLS: readonly string[] = [agentCatalog.name, agentWrite.name, flowWrite.name]

/** Those that run, and `ask_user`, which is turned into an interaction: what the kernel looks a call up in. */
export const SPECS: ReadonlyMap<string, ToolSpec> = toolsByName([...TOOLS, askUser])

/** By name. Two tools of one name are our mistake, and found when the Worker starts, not at a call [D4, T2]. */
export function toolsByName<T extends ToolSpec>(tools: readonly T[]): ReadonlyMap<string, T> {
  const byName = new Map<string, T>()
  for (const tool of tools) {
    if (byName.has(tool.name)) throw new Error(`two tools are called "${tool.name}"`)
    byName.set(tool.name, tool)
  }
  return byName
}
