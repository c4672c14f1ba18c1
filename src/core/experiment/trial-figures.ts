// Reads from an ended trial what it used from its cut on, and which of its reads the recording answered [V35, V37].

import type { RunEvent } from "../run/event.ts"
import type { RunView } from "../run/views/view.ts"

export interface TrialFigures {
  readonly tokens: number
  readonly usd: number | null
  readonly ms: number
  readonly reads: { readonly recorded: number; readonly live: number }
}

/** `events`: the trial's journal; what it took over of another run is left out. */
export function figuresOf(
  { usage, created, ended }: Pick<RunView, "usage" | "created" | "ended">,
  events: readonly RunEvent[],
): TrialFigures {
  const own = events.findIndex((e) => e.type === "run.forked")
  const given = new Set<string>()
  let [recorded, live, unpriced] = [0, 0, false]
  for (const e of events.slice(own < 0 ? 0 : own)) {
    if (e.type === "model.replied" || e.type === "step.called")
      for (const { id, result } of e.toolCalls) if (result !== undefined) given.add(`${e.step}\n${id}`)
    if (e.type === "model.replied" && e.cost === null && e.usage.input + e.usage.output > 0) unpriced = true
    if (e.type !== "tool.returned" || e.staged === true) continue
    if (given.has(`${e.step}\n${e.callId}`)) recorded += 1
    else if (e.tool !== "finish") live += 1
  }
  const ms = ended === undefined ? 0 : Date.parse(ended) - Date.parse(created)
  return { tokens: usage.tokens, usd: unpriced ? usage.usd : (usage.usd ?? 0), ms, reads: { recorded, live } }
}
