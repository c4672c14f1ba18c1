// Answers calls of a run that tries an agent's draft before anyone has accepted it [F77, G11]: no request leaves, not even a read, because
// an address can carry data too. A call that the failed run had made gets its recorded result; any other gets a note that it was not made.

import type { JsonObject } from "../../../core/json.ts"
import { canonical } from "../../../core/json.ts"
import type { ToolCall } from "../../../core/run/event-parts.ts"
import type { ToolResult } from "../../../core/run/signal.ts"
import type { Run } from "../../../core/run/state.ts"
import type { ToolSpec } from "../../../core/tool/tool-spec.ts"
import type { ToolPowers } from "../../../ports/tool.ts"
import type { EffectDeps } from "./effect-deps.ts"

/** Tells whether this run answers the call without making it. A call that changes something outside does not begin at all: it is kept [K32]. */
export const isHeldBack = (run: Run, tool: ToolSpec): boolean => run.unaccepted === true && tool.reach !== undefined

/** The answer to such a call. Never rejects: an unreadable history has no result. */
export async function heldBack({ recorded, hash }: EffectDeps, { fork }: Run, call: ToolCall, args: JsonObject): Promise<ToolResult> {
  const before = fork && (await recorded?.(fork, call.name, args).catch(() => undefined))
  if (before) return before
  const text = `${call.name} was not called: what runs here is a draft that nobody has accepted, so no request leaves, and there is no recorded answer to this one. Go on without it.`
  return { isError: true, content: [{ type: "text", text }], digest: hash(canonical([call.name, args, text])) }
}

/** The powers of a tool in such a run: none that can send a request, whatever the tool declares. */
export function inward(run: Run, powers: Partial<ToolPowers>): Partial<ToolPowers> {
  if (run.unaccepted !== true) return powers
  const { net: _net, browser: _browser, connection: _connection, secrets: _secrets, ...rest } = powers
  return rest
}
