// A backtest that goes on where its recording ends [K23]: models are asked, within a budget; nothing else leaves. A call that was recorded with the
// same arguments has its recorded result; any other is told that it was not made.

import { canonical } from "../../core/json.ts"
import type { Amount } from "../../core/money/amount.ts"
import type { Effect } from "../../core/run/begin.ts"
import type { Reply } from "../../core/run/signal.ts"
import type { RequestParts } from "../run/perform.ts"
import type { Course } from "./course.ts"
import type { RecordedDecision } from "./recording.ts"

/** Turns that one run may go on. */
const MAX_TURNS = 50

export interface Spending {
  readonly budget: Amount
  tokens: number
  usd: number | null
  tool_calls: number
}

export interface LiveDeps {
  /** undefined: the model did not answer. */
  ask(request: RequestParts): Promise<{ readonly reply: Reply; readonly tokens: number; readonly usd: number | null } | undefined>
  now(): number
  readonly spending: Spending
}

export async function goLive({ ask, now, spending }: LiveDeps, course: Course, recorded: readonly RecordedDecision[]): Promise<void> {
  for (let turns = 0; turns < MAX_TURNS && !course.isOver;) {
    const [key] = Object.keys(course.run.underway)
    const effect = key === undefined ? undefined : course.effects.get(key)
    if (effect === undefined) {
      if (!course.wait()) return
    } else if (effect.do === "call-model") {
      if (isSpent(spending)) return
      turns += 1
      const answer = await ask(course.requestOf(effect.key, effect.step))
      if (!answer) return
      spending.tokens += answer.tokens
      if (answer.usd !== null) spending.usd = (spending.usd ?? 0) + answer.usd
      if (!course.tell({ type: "model.reply", key: effect.key, at: now(), reply: answer.reply }, now())) return
    } else if (effect.do === "run-tool") {
      spending.tool_calls += 1
      if (!course.tell(resultOf(effect, recorded), now())) return
    } else return
  }
}

const isSpent = ({ budget, tokens, usd, tool_calls }: Spending): boolean =>
  tokens >= (budget.tokens ?? Number.POSITIVE_INFINITY) ||
  (usd ?? 0) >= (budget.usd ?? Number.POSITIVE_INFINITY) ||
  tool_calls >= (budget.tool_calls ?? Number.POSITIVE_INFINITY)

function resultOf({ key, call, args }: Extract<Effect, { do: "run-tool" }>, recorded: readonly RecordedDecision[]) {
  for (const { signal, events } of recorded) {
    const returned = events.find((e) => e.type === "tool.returned")
    if (signal?.type !== "tool.result" || returned?.type !== "tool.returned" || returned.tool !== call.name) continue
    const called = recorded.flatMap((d) => d.events).find((e) => e.type === "tool.called" && e.callId === returned.callId)
    if (called?.type === "tool.called" && canonical(called.args) === canonical(args)) return { ...signal, key }
  }
  const text = `${call.name} was not called: this run is a backtest, and no recorded call has these arguments.`
  return { type: "tool.result" as const, key, result: { isError: true, content: [{ type: "text" as const, text }] } }
}
