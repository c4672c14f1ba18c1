// Replaces a model's reply in a fork [K12]. The guard judges it like any reply. No model is asked: its usage is 0.

import { err, ok, type Result } from "../../result.ts"
import type { ToolCall } from "../event-parts.ts"
import type { Fact } from "../event.ts"
import { modelKey } from "../key.ts"
import { verdicts } from "../session/admit-session.ts"
import type { Instead, Refusal } from "../signal.ts"
import { stepState, type Run } from "../state.ts"
import { callIdOf } from "./call-id.ts"

type Said = Extract<Instead, { readonly reply: unknown }>

export function replyInstead(run: Run, id: string, said: Said, { by, at }: { by: string; at: number }): Result<Fact[], Refusal> {
  const s = stepState(run, id)
  const { session } = s
  if (!session || session.own) return wrong(`the step "${id}" has no agent whose reply could be given`)
  if (session.sticky !== undefined && session.sticky.chunks === undefined)
    return wrong(`the step "${id}" continues a sticky session that it has not opened yet: fork from a later turn`)
  if (session.open.length > 0 || session.steers.length > 0) return wrong(`the step "${id}" waits for something other than a reply`)
  const { text = "", toolCalls = [] } = said.reply
  const { turn } = session
  const calls = toolCalls.map((call, i): ToolCall => ({ id: callIdOf(call, turn, i), name: call.name, args: call.args ?? {} }))
  if (new Set(calls.map((call) => call.id)).size < calls.length) return wrong("two calls have the same id")
  const replied: Fact = {
    type: "model.replied",
    step: id,
    pass: s.pass,
    turn,
    key: modelKey(id, s.pass, turn),
    text,
    toolCalls: calls,
    usage: { input: 0, output: 0 },
    cost: 0,
    stopReason: calls.length > 0 ? "tool_calls" : "stop",
    by,
  }
  const desk = { run, id, s, session, rules: run.rules, at, digests: said.digests, plans: {} }
  return ok([replied, ...verdicts(desk, { toolCalls: calls, text })])
}

const wrong = (message: string): Result<Fact[], Refusal> => err({ code: "invalid", errors: [{ path: "", message }] })
