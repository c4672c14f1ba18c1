// Applies the calls that a step makes itself, without an agent [F26]: that it made them, and how they ended. Part of `apply`.

import { defined } from "../../defined.ts"
import { isObject, type Json, type JsonObject } from "../../json.ts"
import type { ContentPart } from "../event-parts.ts"
import type { EventOf } from "../event.ts"
import { sessionOf, touch } from "../steps/touch.ts"
import type { CallEnd, Run } from "../state.ts"

export function stepCalled(run: Run, e: EventOf<"step.called">): void {
  const { session } = touch(run, e.step)
  delete run.underway[e.key]
  delete run.begun[e.key]
  if (!session?.own) return
  session.turn = e.turn + 1
  session.seqs.push(e.seq)
  session.open = e.toolCalls.map((call) => ({ call }))
  session.own.made += e.toolCalls.length
}

type Answered = EventOf<"tool.returned"> | EventOf<"tool.refused"> | EventOf<"tool.uncertain">

/** Keeps how the call of a tool step ended, until the step's end says it. A handler finds its answers in the journal. */
export function ownAnswered(run: Run, e: Answered): void {
  const own = sessionOf(run, e.step)?.own
  if (own && run.plan.steps.get(e.step)?.type === "tool") own.ended = endOf(e)
}

export function endOf(e: Answered): CallEnd {
  switch (e.type) {
    case "tool.refused":
      return { state: "refused", said: e.reason }
    case "tool.uncertain":
      return { state: "uncertain", said: UNKNOWN }
    case "tool.returned": {
      const said = textIn(e.content)
      if (e.uncertain) return { state: "uncertain", said }
      return { state: e.isError ? "failed" : "done", said, ...defined({ details: structuredIn(e) }) }
    }
  }
}

const UNKNOWN = "the call was begun and its answer was lost; it is not sent again"

const textIn = (content: readonly ContentPart[]): string =>
  content.map((part) => (part.type === "text" ? part.text : `[${part.mimeType}]`)).join("\n")

/** [T27] The structured answer of an MCP server is what the tool says, and its text only tells it. */
const structuredIn = ({ tool, details }: EventOf<"tool.returned">): Json | undefined =>
  tool.startsWith("mcp:") && isObject(details) && !Object.hasOwn(details, "omitted") ? (details as JsonObject) : undefined
