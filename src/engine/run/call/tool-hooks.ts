// Runs hooks around a call of a tool [A10, A18]. A hook before the call may block it. A hook after the call may replace content, details or isError,
// field by field; each hook sees the result of the previous one. A hook that throws refuses: nothing runs, or nothing is shown [G10].

import { z } from "zod"
import { defined } from "../../../core/defined.ts"
import type { Json, JsonObject } from "../../../core/json.ts"
import { ContentPart } from "../../../core/run/event-parts.ts"
import type { ToolSpec } from "../../../core/tool/tool-spec.ts"
import { ToolFailure, type Tool, type ToolOutcome } from "../../../ports/tool.ts"
import { checked, failed, thrownMessage, type Raw } from "./tool-outcome.ts"
import { later } from "../../../core/schema/later.ts"

export interface HookCall {
  readonly callId: string
  readonly tool: ToolSpec
  /** A validated copy; a hook's changes to it have no effect. */
  readonly args: JsonObject
}

export interface HookResult {
  readonly content: readonly ContentPart[]
  readonly details?: Json
  readonly isError: boolean
}

type Answered<T> = T | undefined | void | Promise<T | undefined | void>
export type BeforeHook = (call: HookCall) => Answered<{ readonly block?: boolean; readonly reason?: string }>
export type AfterHook = (call: HookCall, result: HookResult) => Answered<Partial<HookResult>>

export interface ToolHooks {
  readonly before?: readonly BeforeHook[]
  readonly after?: readonly AfterHook[]
}

const Patch = later(() =>
  z.object({ content: z.array(ContentPart).optional(), details: z.json().optional(), isError: z.boolean().optional() }),
)

/** Runs a call with its hooks. Does not reject unless `execute` does. */
export async function runHooks(hooks: ToolHooks | undefined, call: HookCall, execute: () => Promise<Raw>): Promise<Raw> {
  for (const before of hooks?.before ?? []) {
    try {
      const verdict = await before(copied(call))
      if (verdict?.block === true) return failed(verdict.reason?.trim() || `${call.tool.name} was blocked`)
    } catch (e) {
      return failed(`${call.tool.name} was not run: a hook before it failed${told(e)}`)
    }
  }
  let result = await execute()
  for (const after of hooks?.after ?? []) {
    try {
      const patch = Patch.safeParse((await after(copied(call), shown(result))) ?? {})
      if (!patch.success) throw new Error("it answered something that is not a result")
      const { content, details, isError } = patch.data
      result = { ...result, ...defined({ content, details, isError }) }
    } catch (e) {
      return failed(`the result of ${call.tool.name} is withheld: a hook after it failed${told(e)}`)
    }
  }
  return result
}

/** Adds hooks to one tool. Id, signal, partial results and powers reach the tool unchanged [A18]. */
export function wrapTool(tool: Tool, hooks: { readonly before?: BeforeHook; readonly after?: AfterHook }): Tool {
  const chain: ToolHooks = defined({ before: hooks.before && [hooks.before], after: hooks.after && [hooks.after] })
  return {
    ...tool,
    async execute(...call) {
      const [callId, args] = call
      const raw = await runHooks(chain, { callId, tool, args }, () => outcomeOf(tool, call))
      const { isError, ...outcome } = raw
      if (isError) throw new ToolFailure(raw.content, raw.details, raw.source, raw.untrusted)
      return outcome
    },
  }
}

async function outcomeOf(tool: Tool, call: Parameters<Tool["execute"]>): Promise<Raw> {
  try {
    const outcome: ToolOutcome = await tool.execute(...call)
    return checked(tool.name, outcome)
  } catch (e) {
    if (e instanceof ToolFailure)
      return {
        isError: true,
        content: e.content,
        details: e.details,
        ...defined({ source: e.source }),
        ...(e.untrusted ? { untrusted: true } : {}),
      }
    return failed(thrownMessage(e) || `${tool.name} failed without a reason`)
  }
}

const copied = (call: HookCall): HookCall => ({ ...call, args: structuredClone(call.args) })

const shown = ({ content, details, isError }: Raw): HookResult => ({
  content: structuredClone(content),
  ...(details === undefined ? {} : { details: structuredClone(details) }),
  isError,
})

const told = (e: unknown): string => {
  const message = thrownMessage(e)
  return message === "" ? "" : `: ${message}`
}
