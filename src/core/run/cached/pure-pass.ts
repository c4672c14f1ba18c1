// Tells whether a pass followed from its request alone [R39], event by event: such a result may be kept for passes that ask the same.
// What is not known to be harmless is not, so a new event or tool keeps nothing until someone says that it may.

import type { ToolSpec } from "../../tool/tool-spec.ts"
import { goingOut, isWrite } from "../../tool/reach.ts"
import type { JsonObject } from "../../json.ts"
import type { RefusalCode } from "../event-parts.ts"
import type { RunEvent } from "../event.ts"
import { READ_OUTPUT } from "../session/grant.ts"
import { TOOL_SEARCH } from "../session/tool-search.ts"

/** What happens in a pass that touches nobody and nothing. A call that was lost has only read, so it is made again. */
const HARMLESS: ReadonlySet<RunEvent["type"]> = new Set([
  "action.begun",
  "action.lost",
  "model.failed",
  "step.called",
  "tool.returned",
  "finish.rejected",
  "reminder.sent",
  "context.compacted",
  "budget.reserved",
  "budget.settled",
  "budget.leased",
  "code.logged",
  // [R39] A judge's run is the only one that a step of these types begins.
  "step.offered",
  "step.scored",
  "child.started",
  "child.ended",
  "warning",
])

/** Why a call was refused that would be refused in every run. */
const SAME_EVERYWHERE: ReadonlySet<RefusalCode> = new Set(["undeclared", "invalid_args", "stuck", "too_many", "after_finish"])

/** Tools that read the definitions or the pass itself. */
const OF_THE_PASS: ReadonlySet<string> = new Set(["finish", "subagent_finalize", "skill_read", TOOL_SEARCH, READ_OUTPUT])

/** Groups of tools that read what belongs to the run, or to what other runs have left. */
const OF_OTHERS: ReadonlySet<string> = new Set(["fs", "runtime", "memory", "flow"])

/** `e`: an event of the pass, between its opening and its end. */
export function isHarmless(e: RunEvent, tools: ReadonlyMap<string, ToolSpec>): boolean {
  if (e.type === "model.replied") return e.by === undefined
  if (e.type === "tool.refused") return SAME_EVERYWHERE.has(e.code)
  if (e.type !== "tool.called") return HARMLESS.has(e.type)
  const tool = tools.get(e.tool)
  return OF_THE_PASS.has(e.tool) || (tool !== undefined && readsOutside(tool, e.args))
}

/** The call fetches something from outside the tenant, and changes nothing there. A browser's page is left as the last pass left it. */
function readsOutside(tool: ToolSpec, args: JsonObject): boolean {
  const to = tool.reach?.to
  if (tool.reach === undefined || (to !== undefined && "within" in to) || tool.name.startsWith("browser.")) return false
  return !isWrite(tool, args) && goingOut(tool, args)?.writes === false && !(tool.groups ?? []).some((group) => OF_OTHERS.has(group))
}
