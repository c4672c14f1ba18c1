// Reads from an ended trial what it used from its cut on, and which of its reads outside the run the recording answered [V35, V37].

import type { JsonObject } from "../json.ts"
import type { RunEvent } from "../run/event.ts"
import type { RunView } from "../run/views/view.ts"

export interface TrialFigures {
  readonly tokens: number
  readonly usd: number | null
  readonly ms: number
  readonly reads: { readonly recorded: number; readonly live: number }
}

/** What the run did itself: without what it took over of another run. */
export function ownEvents(events: readonly RunEvent[]): readonly RunEvent[] {
  const own = events.findIndex((e) => e.type === "run.forked")
  return own < 0 ? events : events.slice(own)
}

/** `journals`: what the trial and the runs below it did. `isRead`: whether a call leaves the run and changes nothing. */
export function figuresOf(
  { usage, created, ended }: Pick<RunView, "usage" | "created" | "ended">,
  journals: readonly (readonly RunEvent[])[],
  isRead: (tool: string, args: JsonObject) => boolean,
): TrialFigures {
  let [recorded, live, unpriced] = [0, 0, false]
  for (const events of journals) {
    const open = new Map<string, { readonly args: JsonObject; readonly isGiven: boolean }>()
    for (const e of events) {
      if (e.type === "model.replied" || e.type === "step.called")
        for (const { id, args, result } of e.toolCalls) open.set(`${e.step}\n${id}`, { args, isGiven: result !== undefined })
      if (e.type === "model.replied" && e.cost === null && e.usage.input + e.usage.output > 0) unpriced = true
      if (e.type !== "tool.returned" || e.staged === true) continue
      const call = open.get(`${e.step}\n${e.callId}`)
      if (call === undefined || !isRead(e.tool, call.args)) continue
      if (call.isGiven) recorded += 1
      else live += 1
    }
  }
  const ms = ended === undefined ? 0 : Date.parse(ended) - Date.parse(created)
  return { tokens: usage.tokens, usd: unpriced ? usage.usd : (usage.usd ?? 0), ms, reads: { recorded, live } }
}
