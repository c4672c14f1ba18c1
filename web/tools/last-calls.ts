// Finds the calls of one tool in the events of a run, each with what became of it.

import type { JsonObject } from "../../src/core/json.ts"
import type { RunEvent } from "../../src/core/run/event.ts"

export interface ToolCall {
  readonly run: string
  readonly flow: string
  readonly step: string
  readonly seq: number
  readonly at: number
  readonly args: JsonObject
  readonly outcome: "running" | "done" | "failed" | "refused" | "unknown"
  /** In ms, once it has returned. */
  readonly ms: number | undefined
}

/** The newest first. */
export function callsOf(tool: string, { run, flow }: Pick<ToolCall, "run" | "flow">, events: readonly RunEvent[]): ToolCall[] {
  const calls = new Map<string, ToolCall>()
  for (const e of events) {
    if (e.type === "tool.called" && e.tool === tool)
      calls.set(e.callId, { run, flow, step: e.step, seq: e.seq, at: e.at, args: e.args, outcome: "running", ms: undefined })
    if (e.type === "tool.refused" && e.tool === tool)
      calls.set(e.callId, { run, flow, step: e.step, seq: e.seq, at: e.at, args: {}, outcome: "refused", ms: undefined })
    if (e.type === "tool.uncertain" || e.type === "tool.returned") {
      const call = calls.get(e.callId)
      if (!call) continue
      if (e.type === "tool.uncertain") calls.set(e.callId, { ...call, outcome: "unknown" })
      else calls.set(e.callId, { ...call, outcome: e.uncertain ? "unknown" : e.isError ? "failed" : "done", ms: e.at - call.at })
    }
  }
  return [...calls.values()].toReversed()
}
