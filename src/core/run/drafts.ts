// Recognizes tools that write an architect's draft: a session's files are drafts until a person accepts them [F75].

import type { ToolSpec } from "../tool/tool-spec.ts"
import type { Run } from "./state.ts"

/** Of the tools that only an architect holds, not of those that it shares with other agents. */
export const writesDraft = (run: Pick<Run, "drafts">, tool: ToolSpec | undefined): boolean =>
  run.drafts === true && tool?.contexts.includes("architect") === true && !tool.contexts.includes("agent")
