// Hooks around a tool's call [A10, A18]: before it, one may block it; after it, one may replace its content, details or isError, field
// by field, each seeing what the one before left. A hook that throws refuses: before the call nothing runs, after it nothing is shown [G10].

import { z } from "zod"
import type { Json, JsonObject } from "../../core/json.ts"
import { ContentPart } from "../../core/run/event.ts"
import type { ToolSpec } from "../../core/tool/tool-spec.ts"
import { ToolFailure, type OnUpdate, type Tool, type ToolOutcome, type ToolPowers } from "../../ports/tool.ts"
import { checked, failed, messageOf, type Raw } from "./tool-outcome.ts"

export interface HookCall {
  readonly callId: string
  readonly tool: ToolSpec
  /** Validated, and the tool's own: a hook that changes them changes nothing. */
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

const Patch = z.object({ content: z.array(ContentPart).optional(), details: z.json().optional(), isError: z.boolean().optional() })

/** Never rejects as long as `execute` does not. */
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
      if (!patch.success) throw new Error("it answered something that is no result")
      const { content, details, isError } = patch.data
      result = {
        ...result,
        ...(content === undefined ? {} : { content }),
        ...(details === undefined ? {} : { details }),
        ...(isError === undefined ? {} : { isError }),
      }
    } catch (e) {
      return failed(`the result of ${call.tool.name} is withheld: a hook after it failed${told(e)}`)
    }
  }
  return result
}

/** A tool with hooks of its own: id, signal, partials and powers reach it as they came [A18]. */
export function wrapTool(tool: Tool, hooks: { readonly before?: BeforeHook; readonly after?: AfterHook }): Tool {
  const chain: ToolHooks = {
    ...(hooks.before === undefined ? {} : { before: [hooks.before] }),
    ...(hooks.after === undefined ? {} : { after: [hooks.after] }),
  }
  return {
    ...tool,
    async execute(callId, params, signal, onUpdate, powers) {
      const call = { callId, tool, args: params }
      const raw = await runHooks(chain, call, () => outcomeOf(tool, callId, params, signal, onUpdate, powers))
      const { isError, ...outcome } = raw
      if (isError) throw new ToolFailure(raw.content, raw.details, raw.source, raw.untrusted)
      return outcome
    },
  }
}

async function outcomeOf(
  tool: Tool,
  callId: string,
  params: JsonObject,
  signal: AbortSignal,
  onUpdate: OnUpdate | undefined,
  powers: ToolPowers,
): Promise<Raw> {
  try {
    const outcome: ToolOutcome = await tool.execute(callId, params, signal, onUpdate, powers)
    return checked(tool.name, outcome)
  } catch (e) {
    if (e instanceof ToolFailure)
      return {
        isError: true,
        content: e.content,
        details: e.details,
        ...(e.source === undefined ? {} : { source: e.source }),
        ...(e.untrusted ? { untrusted: true } : {}),
      }
    return failed(messageOf(e) || `${tool.name} failed without saying why`)
  }
}

const copied = (call: HookCall): HookCall => ({ ...call, args: structuredClone(call.args) })

const shown = ({ content, details, isError }: Raw): HookResult => ({
  content: structuredClone(content),
  ...(details === undefined ? {} : { details: structuredClone(details) }),
  isError,
})

const told = (e: unknown): string => {
  const message = messageOf(e)
  return message === "" ? "" : `: ${message}`
}
