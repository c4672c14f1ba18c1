// Reads back from the journal which calls a handler has made in this pass, in its order, and what each was answered [F27]: with these it runs
// again from its beginning.

import type { JsonObject } from "../../../core/json.ts"
import type { RunEvent } from "../../../core/run/event.ts"
import { endOf } from "../../../core/run/own/apply-calls.ts"
import { dataIn } from "../../../core/run/own/data-in.ts"
import type { CallEnd } from "../../../core/run/state.ts"
import { defined } from "../../../core/defined.ts"
import type { RecordedCall } from "../../../ports/sandbox.ts"

/** `events`: those of the session, in order. */
export function recordedCalls(events: readonly RunEvent[]): RecordedCall[] {
  const made: { readonly tool: string; readonly args: JsonObject; end?: CallEnd }[] = []
  const byId = new Map<string, (typeof made)[number]>()
  for (const e of events) {
    if (e.type === "step.called")
      for (const { id, name, args } of e.toolCalls) {
        const one = { tool: name, args }
        made.push(one)
        byId.set(id, one)
      }
    else if (e.type === "tool.returned" || e.type === "tool.refused" || e.type === "tool.uncertain") {
      const one = byId.get(e.callId)
      if (one) one.end = endOf(e)
    }
  }
  return made.map(({ tool, args, end = LOST }) => ({ tool, args, answer: answerOf(tool, end) }))
}

const LOST: CallEnd = { state: "uncertain", said: "it has no answer" }

function answerOf(tool: string, { state, said, details }: CallEnd): RecordedCall["answer"] {
  if (state === "done") return { ok: true, text: said, ...defined({ data: details ?? dataIn(said) }) }
  return { ok: false, state, message: state === "failed" ? `${tool} failed: ${said}` : said }
}
