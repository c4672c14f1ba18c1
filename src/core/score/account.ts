// Tells what a scorer gets to see of a run, and nothing else [V4]: a pure reading of its view and events, around what a test's `expect` is
// compared with [K20]. No thoughts, models, variants, scores or feedback are in it.

import { foundIn } from "../case/tested-run.ts"
import { isObject, type Json, type JsonObject } from "../json.ts"
import { answerText } from "../run/protocol/answer-text.ts"
import type { RunEvent } from "../run/event.ts"
import type { Said } from "../run/event-parts.ts"
import { lastSummary } from "../run/views/last-summary.ts"
import type { RunView } from "../run/views/view.ts"
import { bounded } from "./bounded-account.ts"

export interface AccountStep {
  readonly status: string
  readonly passes: number
  readonly summary: string
  readonly outputs: JsonObject
  readonly called: readonly string[]
  readonly refused: readonly string[]
  /** The tools whose calls failed. */
  readonly failed: readonly string[]
}

export interface Account {
  readonly flow: string
  readonly task: string
  readonly inputs: JsonObject
  readonly conversation: readonly Said[]
  readonly status: string
  readonly error: Json
  readonly output: Json
  /** [P4] */
  readonly answer: string
  readonly branches: JsonObject
  readonly steps: Readonly<Record<string, AccountStep>>
  readonly turns: number
  readonly tool_calls: number
  /** With what a fork inherits [K11]. */
  readonly usage: { readonly tokens: number; readonly usd: number | null; readonly ms: number }
  /** The files that the scorer asks for; null: there is none, or it is no text. */
  readonly files: Readonly<Record<string, string | null>>
  /** The row's `expect` [V29]. */
  readonly expected: Json
  readonly criteria: string | null
}

export interface AccountParts {
  readonly view: RunView
  /** All events of the run. */
  readonly events: readonly RunEvent[]
  readonly files?: Readonly<Record<string, string | null>>
  readonly expected?: JsonObject
  readonly criteria?: string
  /** Model turns of the runs below, which count as they do in a test. */
  readonly turnsOfChildren?: number
}

export function accountOf({ view, events, files = {}, expected, criteria, turnsOfChildren = 0 }: AccountParts): Account {
  const found = foundIn(view, events, turnsOfChildren)
  const steps = isObject(found["steps"]) ? found["steps"] : {}
  const failed = failedCalls(events)
  const { inherited } = view
  return bounded({
    flow: view.flow,
    task: view.task,
    inputs: view.inputs,
    conversation: conversationOf(events),
    status: view.status,
    error: found["error"] ?? null,
    output: found["output"] ?? null,
    answer: answerText(view.output, lastSummary(view)),
    branches: found["branches"] as JsonObject,
    steps: Object.fromEntries(
      Object.entries(steps).map(([id, step]) => [
        id,
        { ...(step as object), summary: view.steps[id]?.summary ?? "", failed: failed.get(id) ?? [] } as unknown as AccountStep,
      ]),
    ),
    turns: found["turns"] as number,
    tool_calls: view.usage.tool_calls + (inherited?.tool_calls ?? 0),
    usage: {
      tokens: view.usage.tokens + (inherited?.tokens ?? 0),
      usd: view.usage.usd === null || inherited?.usd === null ? null : view.usage.usd + (inherited?.usd ?? 0),
      ms: view.ended === undefined ? 0 : Math.max(0, Date.parse(view.ended) - Date.parse(view.created)),
    },
    files,
    expected: expected ?? null,
    criteria: criteria ?? null,
  })
}

function conversationOf(events: readonly RunEvent[]): readonly Said[] {
  for (const e of events) if (e.type === "run.started") return e.conversation ?? []
  return []
}

/** Step → the tools whose calls failed, in the order of the failures. */
function failedCalls(events: readonly RunEvent[]): ReadonlyMap<string, string[]> {
  const failed = new Map<string, string[]>()
  for (const e of events) {
    if (e.type !== "tool.returned" || !e.isError) continue
    const list = failed.get(e.step)
    if (list) list.push(e.tool)
    else failed.set(e.step, [e.tool])
  }
  return failed
}
