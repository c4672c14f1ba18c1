// Calls of a run that tries a draft which an agent wrote and nobody has accepted [F77, G11]: no request of theirs leaves, not even to read, because
// an address says something too. A call that the failed run had made has its recorded answer; any other is told that it was not made.

import type { JsonObject } from "../../../core/json.ts"
import { canonical } from "../../../core/json.ts"
import type { ToolCall } from "../../../core/run/event-parts.ts"
import type { ToolResult } from "../../../core/run/signal.ts"
import type { Run } from "../../../core/run/state.ts"
import type { ToolSpec } from "../../../core/tool/tool-spec.ts"
import type { ToolPowers } from "../../../ports/tool.ts"
import type { EffectDeps } from "./effect-deps.ts"

/** Does this run answer the call without making it? What changes something outside does not begin at all: it is kept [K32]. */
export const isHeldBack = (run: Run, tool: ToolSpec): boolean => run.unaccepted === true && tool.reach !== undefined

/** Never rejects: a history that cannot be read has no answer. */
export async function heldBack({ recorded, hash }: EffectDeps, { fork }: Run, call: ToolCall, args: JsonObject): Promise<ToolResult> {
  const before = fork && (await recorded?.(fork, call.name, args).catch(() => undefined))
  if (before) return before
  const text = `${call.name} was not called: what runs here is a draft that nobody has accepted, so no request leaves, and there is no recorded answer to this one. Go on without it.`
  return { isError: true, content: [{ type: "text", text }], digest: hash(canonical([call.name, args, text])) }
}

/** What a tool of such a run may use: nothing by which a request could leave, whatever the tool says of itself. */
export function inward(run: Run, powers: Partial<ToolPowers>): Partial<ToolPowers> {
  if (run.unaccepted !== true) return powers
  const { net: _net, browser: _browser, connection: _connection, secrets: _secrets, ...rest } = powers
  return rest
}
