// Tallies what a run itself has used, by model, agent and tool. Part of `apply`: each fact with a cost is counted when it is folded, so a
// tally costs the same however long the journal is. Child runs keep their own tally, and a fork begins with an empty one [K11].

import { tidy } from "../../money/tidy.ts"
import type { Usage } from "../../money/usage.ts"
import { stepState, type Run } from "../state.ts"
import { noFigures, withLost, type Figures, type Lost, type Tallied, type TallyKind } from "./figures.ts"
import { withDuration } from "./histogram.ts"

/** Limit: names in the tally of a run → further names count as OTHER. */
export const MOST_TALLIED = 300 // limit: models, agents and tools of a run whose usage is counted by name → the rest is counted together
export const OTHER = "(other)"

interface Billed {
  readonly usage: Usage
  readonly cost: number | null
  /** When the call began; undefined: it is not known. */
  readonly since: number | undefined
}

export function modelTallied(run: Run, step: string, model: string, { usage, cost, since }: Billed): void {
  const own = figuresOf(run, "model", model)
  for (const f of [own, figuresOf(run, "agent", agentOf(run, step))]) modelCounted(f, usage, cost)
  if (since !== undefined) own.ms = withDuration(own.ms, run.at - since)
  const s = stepState(run, step)
  if (cost !== null) s.usd = tidy((s.usd ?? 0) + cost)
}

const TOO_MANY = 429

export function modelFailureTallied(run: Run, model: string, status: number | undefined): void {
  const f = figuresOf(run, "model", model)
  f.failed = (f.failed ?? 0) + 1
  if (status === TOO_MANY) f.limited = (f.limited ?? 0) + 1
}

/** Adds a model call's tokens and cost to the tally. */
export function modelCounted(f: Figures, { input, output, cacheRead = 0 }: Usage, cost: number | null): void {
  f.input += input
  f.cached += Math.min(input, cacheRead)
  f.output += output
  f.model_calls += 1
  if (cost === null) f.unpriced += 1
  else f.usd = tidy((f.usd ?? 0) + cost)
}

export function lostTallied(run: Run, step: string, model: string, lost: Lost): void {
  for (const f of [figuresOf(run, "model", model), figuresOf(run, "agent", agentOf(run, step))]) f.lost = withLost(f.lost, lost)
}

export function toolTallied(run: Run, step: string, tool: string): void {
  for (const f of [figuresOf(run, "tool", tool), figuresOf(run, "agent", agentOf(run, step))]) f.tool_calls += 1
}

export function toolErrorTallied(run: Run, step: string, tool: string): void {
  for (const f of [figuresOf(run, "tool", tool), figuresOf(run, "agent", agentOf(run, step))]) f.tool_errors += 1
}

/** `since`: when the call began. */
export function toolTimed(run: Run, tool: string, since: number | undefined): void {
  if (since === undefined) return
  const f = figuresOf(run, "tool", tool)
  f.ms = withDuration(f.ms, run.at - since)
}

/** A model may call a tool that does not exist. */
export function toolRefusalTallied(run: Run, tool: string, code: string): void {
  const f = figuresOf(run, "tool", run.plan.tools.has(tool) ? tool : OTHER)
  f.refused = { ...f.refused, [code]: (f.refused?.[code] ?? 0) + 1 }
}

function figuresOf(run: Run, kind: TallyKind, name: string): Tallied {
  const tally = (run.tally ??= {})
  const key = `${kind} ${name}`
  const known = tally[key]
  if (known) return known
  const isFull = Object.keys(tally).length >= MOST_TALLIED
  return (tally[isFull ? `${kind} ${OTHER}` : key] ??= noFigures())
}

/** The agent that runs in a step. */
export function agentOf(run: Run, step: string): string {
  const of = run.plan.steps.get(step)
  const { agent, own } = run.steps[step]?.session ?? {}
  // [F26] A step that makes its calls itself is no agent.
  if (own) return OTHER
  return agent ?? (of !== undefined && "agent" in of ? of.agent : undefined) ?? OTHER
}
