// Continues a backtest after the end of its recording [K23], dry and within a budget: models are called, reads are made, and files change
// in a temporary workspace. The kernel keeps every call that changes something outside, as in a dry run [K33], so none begins. Only a call
// that was under way at the first difference gets its recorded result.

import { defined } from "../../core/defined.ts"
import { canonical } from "../../core/json.ts"
import type { Amount } from "../../core/money/amount.ts"
import { tidy } from "../../core/money/tidy.ts"
import type { Effect } from "../../core/run/begin.ts"
import { requestBytes } from "../../core/run/budget/budget-bytes.ts"
import type { Reply, Signal } from "../../core/run/signal.ts"
import { stepState } from "../../core/run/state.ts"
import { CALL_AGENT, STORE_PLAN } from "../../core/tool/toolkits.ts"
import { changesOutside } from "../../core/tool/outside.ts"
import type { RequestParts } from "../run/call/model-request.ts"
import type { Course } from "./course.ts"
import type { LiveCall } from "./live-ask.ts"
import type { RecordedDecision } from "./recording.ts"

/** Turns that one run may go on. */
const MAX_TURNS = 50

export interface Spending {
  readonly budget: Amount
  tokens: number
  usd: number | null
  tool_calls: number
}

/** How the course ended. `stopped`: its budget was used up, or it needed an answer or a child run, which a backtest lacks. */
export type LiveEnd = "succeeded" | "failed" | "stopped"

export interface LiveDeps {
  /** undefined: it does not fit into what is left, so nothing is asked. Without `reply`: the model did not answer. */
  ask(
    request: RequestParts,
    room: Pick<LiveCall, "input" | "left">,
  ): Promise<{ readonly reply?: Reply; readonly tokens: number; readonly usd: number | null } | undefined>
  /** Does what changes nothing outside the run. */
  perform(course: Course, effect: Effect): Promise<Signal>
  now(): number
  readonly spending: Spending
  /** [F77] What is tried was written by an agent, and nobody has accepted it: no request of its calls leaves, not even to read. */
  readonly unaccepted?: true
}

type ToolRun = Extract<Effect, { do: "run-tool" }>

export async function goLive(
  { ask, perform, now, spending, unaccepted }: LiveDeps,
  course: Course,
  recorded: readonly RecordedDecision[],
): Promise<LiveEnd> {
  course.goDry()
  if (unaccepted) course.goInward()
  for (let turns = 0; turns < MAX_TURNS && !course.isOver;) {
    const [key] = Object.keys(course.run.underway)
    const effect = key === undefined ? undefined : course.effects.get(key)
    if (effect === undefined) {
      if (key !== undefined || !course.wait()) break
      continue
    }
    const isCall = effect.do === "call-model" || effect.do === "run-tool"
    if (isCall && isSpent(spending)) break
    let signal: Signal
    switch (effect.do) {
      case "call-model": {
        turns += 1
        const room = { input: requestBytes(course.run, effect.step), left: leftOf(spending) }
        const answer = await ask(course.requestOf(effect.key, effect.step), room)
        if (!answer) return "stopped"
        spending.tokens += answer.tokens
        if (answer.usd !== null) spending.usd = (spending.usd ?? 0) + answer.usd
        if (!answer.reply) return "stopped"
        signal = { type: "model.reply", key: effect.key, at: now(), reply: answer.reply }
        break
      }
      case "run-tool":
        spending.tool_calls += 1
        signal = recordedResult(course, effect, recorded) ?? (isMade(course, effect) ? await perform(course, effect) : notMade(effect))
        break
      case "run-code":
      case "make-calls":
      case "collect":
      case "read-context":
      // [V27] A handler says whether a pass is good enough; a judge would be a run of its own.
      case "score":
      case "put-back":
        signal = await perform(course, effect)
        break
      // [R40] What a backtest asks is asked.
      case "look-up":
        signal = { type: "looked-up", key: effect.key, digest: course.askedBy(effect.step) }
        break
      case "start-child":
      case "compact":
      case "lease":
      case "open-session":
      case "carry-out":
        return "stopped"
    }
    if (!course.tell(signal, now())) return "stopped"
  }
  if (!course.isOver) return "stopped"
  return course.run.status === "succeeded" ? "succeeded" : "failed"
}

const isSpent = ({ budget, tokens, usd, tool_calls }: Spending): boolean =>
  tokens >= (budget.tokens ?? Number.POSITIVE_INFINITY) ||
  (usd ?? 0) >= (budget.usd ?? Number.POSITIVE_INFINITY) ||
  tool_calls >= (budget.tool_calls ?? Number.POSITIVE_INFINITY)

const leftOf = ({ budget: { tokens, usd }, ...spent }: Spending): Amount =>
  defined({
    tokens: tokens === undefined ? undefined : tokens - spent.tokens,
    usd: usd === undefined ? undefined : tidy(usd - (spent.usd ?? 0)),
  })

/** What was under way where the two parted. A call on the run's own files is made again: the files may be others now. */
function recordedResult(course: Course, { key, call, args }: ToolRun, recorded: readonly RecordedDecision[]): Signal | undefined {
  if (isOwn(course, call.name)) return undefined
  const one = recorded.find(({ signal }) => signal?.type === "tool.result" && signal.key === key)
  const called = recorded.flatMap(({ events }) => events).find((e) => e.type === "tool.called" && e.callId === call.id)
  const isSame = called?.type !== "tool.called" || canonical(called.args) === canonical(args)
  return isSame ? one?.signal : undefined
}

const isOwn = (course: Course, name: string): boolean => {
  const tool = course.run.plan.tools.get(name)
  return tool !== undefined && tool.reach === undefined && tool.groups?.includes("fs") === true
}

/** Not what was under way when the course became dry, nor what starts a run or keeps a plan, nor what an architect writes. */
function isMade(course: Course, { step, call, args }: ToolRun): boolean {
  const { plan } = course.run
  const agent = plan.agents[stepState(course.run, step).session?.agent ?? ""]
  if (agent?.role === "architect" || call.name === STORE_PLAN || call.name === CALL_AGENT) return false
  return !changesOutside(call.name, plan.tools.get(call.name), args)
}

function notMade({ key, call }: ToolRun): Signal {
  const text = `${call.name} was not called: this run is a backtest, and has no recorded result of this call.`
  return { type: "tool.result", key, result: { isError: true, content: [{ type: "text", text }] } }
}
