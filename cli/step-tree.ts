// The steps of a run as a tree with what each has cost, from its events. Pure.

import type { RunEvent } from "../src/core/run/event.ts"
import { plain } from "../local/show-run.ts"

interface Cost {
  tokens: number
  usd: number
  isKnown: boolean
}
interface Step extends Cost {
  readonly id: string
  what: string
  mark: string
  passes: number
  turns: number
}

export function stepTree(events: readonly RunEvent[]): readonly string[] {
  const steps = stepsOf(events)
  if (steps.length === 0) return []
  const width = Math.max(...steps.map(({ id }) => plain(id).length))
  return [
    "",
    ...steps.map((step, i) => {
      const branch = i === steps.length - 1 ? "└" : "├"
      const more = [
        step.turns === 0 ? "" : `${step.turns} turn${step.turns === 1 ? "" : "s"}`,
        step.tokens === 0 ? "" : costOf(step),
        step.passes > 1 ? `${step.passes} passes` : "",
      ].filter((text) => text !== "")
      return `  ${branch} ${step.mark} ${plain(step.id).padEnd(width)}  ${plain(step.what)}${more.length === 0 ? "" : `  ${more.join(", ")}`}`
    }),
  ]
}

export function usageLine(events: readonly RunEvent[]): string {
  const all: Cost = { tokens: 0, usd: 0, isKnown: true }
  for (const step of stepsOf(events)) {
    all.tokens += step.tokens
    all.usd += step.usd
    all.isKnown &&= step.isKnown
  }
  return `  ${costOf(all)}`
}

/** A rehearsal uses nothing, and has no price to be unknown. */
const costOf = ({ tokens, usd, isKnown: isPriced }: Cost): string => worded(tokens, usd, isPriced || tokens === 0)

const worded = (tokens: number, usd: number, isKnown: boolean): string =>
  `${tokens.toLocaleString("en-US")} tokens${isKnown ? `, $${usd < 0.01 ? usd.toFixed(4) : usd.toFixed(2)}` : ", price unknown"}`

const MARKS = { complete: "✓", error: "✗", blocked: "✗" } as const

function stepsOf(events: readonly RunEvent[]): readonly Step[] {
  const steps = new Map<string, Step>()
  const stepOf = (id: string): Step => {
    const present = steps.get(id)
    if (present) return present
    const fresh: Step = { id, what: "", mark: "·", passes: 0, turns: 0, tokens: 0, usd: 0, isKnown: true }
    steps.set(id, fresh)
    return fresh
  }
  for (const event of events) {
    if (event.type === "step.opened") {
      const step = stepOf(event.step)
      step.what = event.agent ?? event.stepType
      step.passes = event.pass
    } else if (event.type === "model.replied") {
      const step = stepOf(event.step)
      step.turns += 1
      step.tokens += event.usage.input + event.usage.output
      step.usd += event.cost ?? 0
      step.isKnown &&= event.cost !== null
    } else if (event.type === "step.finished") stepOf(event.step).mark = MARKS[event.status]
    else if (event.type === "step.skipped") stepOf(event.step).mark = "-"
  }
  return [...steps.values()]
}
