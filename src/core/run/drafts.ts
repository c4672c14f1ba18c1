// Recognizes tools that write an architect's draft: a session's files are drafts until a person accepts them [F75].

import type { ToolSpec } from "../tool/tool-spec.ts"
import type { Run } from "./state.ts"

/** Checks only the tools that are for architects alone, not the tools that other agents have too. */
export const writesDraft = (run: { readonly drafts?: Run["drafts"] | undefined }, tool: ToolSpec | undefined): boolean =>
  run.drafts === true && tool?.contexts.includes("architect") === true && !tool.contexts.includes("agent")
