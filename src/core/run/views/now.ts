// Summarizes a run in one small object for its row in a list: its current work, its question, or the cause of its failure. A question comes
// first, because a run needs its person as soon as it asks.

import { defined } from "../../defined.ts"
import { isObject, type Json, type JsonObject } from "../../json.ts"
import { cutAt } from "../../text/cut-at.ts"
import type { FailureSource, InteractionKind } from "../event-parts.ts"
import { shownStatus } from "../shown-status.ts"
import type { Run } from "../state.ts"
import { questionsBelow } from "../steps/child-questions.ts"

export interface RunNow {
  /** The step that works, asks or failed. */
  readonly step?: string
  /** [F17] Of a step that works. */
  readonly pass?: number
  /** Of an agent that works: its turn, from 0 as in its events. */
  readonly turn?: number
  /** How many further steps work. */
  readonly more?: number
  /** The oldest open question. `run`: the run below that asks. */
  readonly asks?: { readonly id: string; readonly run?: string; readonly kind: InteractionKind; readonly text: string }
  /** Why the run waits, or who paused it. */
  readonly reason?: string
  readonly source?: FailureSource
  readonly message?: string
  /** The beginning of what the run has made. */
  readonly output?: string
}

/** Limit: characters of a text in a row. */
export const SHOWN_IN_ROW = 200

/** undefined: there is nothing to show, as for a run that was canceled. */
export function nowOf(run: Run): RunNow | undefined {
  if (run.error !== undefined) {
    const { step, source, message } = run.error
    return { ...defined({ step }), source, message: cutAt(message, SHOWN_IN_ROW) }
  }
  if (run.status === "succeeded") return madeBy(run)
  if (run.ended !== undefined || run.status === "queued") return undefined
  const why = run.reason === undefined || shownStatus(run) === "running" ? {} : { reason: cutAt(run.reason, SHOWN_IN_ROW) }
  const now = { ...(asked(run) ?? atWork(run)), ...why }
  return Object.keys(now).length === 0 ? undefined : now
}

/** The outputs that the flow declares; without them, what the last step said. */
function madeBy({ output, plan }: Run): RunNow | undefined {
  if (!isObject(output)) return undefined
  const { summary, outputs } = output
  const said = plan.flow.outputs === undefined && typeof summary === "string" ? summary.trim() : ""
  const words = said !== "" ? said : valuesIn(plan.flow.outputs === undefined && isObject(outputs) ? outputs : output)
  return words === "" ? undefined : { output: cutAt(words, SHOWN_IN_ROW) }
}

/** `kind: refund, usd: 4`. A text alone speaks for itself. */
function valuesIn(values: JsonObject): string {
  const plain = Object.entries(values).flatMap(([name, value]) => (typeof value === "object" ? [] : [{ name, value }]))
  const [first] = plain
  if (plain.length === 1 && typeof first?.value === "string") return first.value.trim()
  return plain.map(({ name, value }) => `${name}: ${String(value).trim()}`).join(", ")
}

function asked(run: Run): RunNow | undefined {
  const own = run.pending[0] === undefined ? undefined : run.interactions[run.pending[0]]
  const [below] = questionsBelow(run)
  const question = own ?? below
  if (question === undefined) return undefined
  const { id, kind, step, payload } = question
  const text = cutAt(textOf(payload), SHOWN_IN_ROW)
  return own || below === undefined
    ? { step, asks: { id, kind, text } }
    : { step: run.asks?.[below.run]?.step ?? step, asks: { id, run: below.run, kind, text } }
}

/** The first step in file order that works. */
function atWork(run: Run): RunNow {
  const open = run.plan.stepIds.filter((id) => run.steps[id]?.status === "running")
  const [step] = open
  const s = step === undefined ? undefined : run.steps[step]
  if (step === undefined || s === undefined) return {}
  return { step, pass: s.pass, ...defined({ turn: s.session?.turn }), ...(open.length > 1 ? { more: open.length - 1 } : {}) }
}

/** What a person reads first: the question, or the call that needs an approval. */
function textOf(payload: Readonly<Record<string, Json>>): string {
  const { question, tool, args, message } = payload
  if (typeof question === "string") return question
  if (typeof message === "string") return message
  if (typeof tool !== "string") return ""
  return isObject(args) ? `${tool} ${JSON.stringify(args)}` : tool
}
