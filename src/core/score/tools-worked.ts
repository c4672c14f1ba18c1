// The built-in scorer `tools-worked` [V9]: whether the tools that an agent called in a pass that ended well did their work. It asks no
// model, so a cheerful end without the tool it took is found for nothing.

import type { RunEvent } from "../run/event.ts"
import type { RefusalCode } from "../run/event-parts.ts"
import type { Verdict } from "../run/said/score.ts"

/** Refused for good: the tool did not do its work. */
const FORBIDDEN: ReadonlySet<RefusalCode> = new Set([
  "undeclared",
  "policy",
  "role",
  "access",
  "denylist",
  "scope",
  "tainted",
  "approval_rejected",
])
const FUMBLED: ReadonlySet<RefusalCode> = new Set(["invalid_args", "too_many"])
const FINISHES: ReadonlySet<string> = new Set(["finish", "subagent_finalize"])

interface Fault {
  readonly score: 0 | 0.5
  readonly code: string
}

type Outcome = Fault | "worked" | "passed over"

/** What it reads of steps. */
export interface WorkedSteps {
  readonly steps: Readonly<Record<string, { readonly status: string; readonly pass: number }>>
}

export function toolsWorked({ steps }: WorkedSteps, events: readonly RunEvent[]): Verdict {
  const outcomes = outcomesOf(events)
  /** Step and tool → what became of the last call that counts. */
  const last = new Map<string, { readonly step: string; readonly tool: string; readonly outcome: Fault | "worked" }>()
  for (const e of events) {
    if (e.type !== "model.replied") continue
    const step = steps[e.step]
    if (step?.status !== "complete" || step.pass !== e.pass) continue
    for (const { id, name } of e.toolCalls) {
      const outcome = outcomes.get(`${e.step} ${id}`)
      if (FINISHES.has(name) || outcome === undefined || outcome === "passed over") continue
      last.set(`${e.step} ${name}`, { step: e.step, tool: name, outcome })
    }
  }
  let worst: Verdict = { score: 1 }
  for (const { step, tool, outcome } of last.values())
    if (outcome !== "worked" && outcome.score < (worst.score ?? 1))
      worst = { score: outcome.score, reason: `step "${step}": ${tool}: ${outcome.code}` }
  return worst
}

/** Step and call → what became of it. */
function outcomesOf(events: readonly RunEvent[]): ReadonlyMap<string, Outcome> {
  const outcomes = new Map<string, Outcome>()
  for (const e of events) {
    if (e.type === "tool.returned")
      outcomes.set(`${e.step} ${e.callId}`, e.uncertain ? fault(0.5, "uncertain") : e.isError ? fault(0.5, "failed") : "worked")
    else if (e.type === "tool.uncertain") outcomes.set(`${e.step} ${e.callId}`, fault(0.5, "uncertain"))
    else if (e.type === "tool.refused") outcomes.set(`${e.step} ${e.callId}`, ofRefusal(e.code))
  }
  return outcomes
}

const fault = (score: Fault["score"], code: string): Fault => ({ score, code })

function ofRefusal(code: RefusalCode): Outcome {
  if (FORBIDDEN.has(code)) return fault(0, code)
  return FUMBLED.has(code) ? fault(0.5, code) : "passed over"
}
