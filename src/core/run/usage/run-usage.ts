// Reports a run's usage once it has ended, for its tenant's totals: one line for its flow, and one for each model, agent and tool.
//
// A child run reports its own usage, which its parents do not report again. Runs of tests report nothing [K21].

import { defined } from "../../defined.ts"
import { tidy } from "../../money/tidy.ts"
import { isOver, type Run } from "../state.ts"
import { askedBy, type AskCounts } from "./asked.ts"
import { type Figures, noFigures, type TallyKind, withLost } from "./figures.ts"

type UsageKind = "flow" | TallyKind
/** The ways to group sums. */
export const USAGE_BY = ["day", "flow", "model", "agent", "tool"] as const
export type UsageBy = (typeof USAGE_BY)[number]

interface UsageLine extends Figures {
  readonly kind: UsageKind
  readonly name: string
  /** Absent: nothing. */
  readonly asked?: AskCounts
}

export interface RunUsage {
  /** Days since 1970 in UTC: the day on which the run ended. */
  readonly day: number
  readonly rehearsed: boolean
  readonly child: boolean
  /** [V15] It judged a pass of its parent: it counts as no run and no child. */
  readonly judge?: true
  readonly failed: boolean
  readonly lines: readonly UsageLine[]
}

const DAY_MS = 86_400_000

/** The usage of an ended run; undefined: it has not ended, or a test started it. */
export function usageOf(run: Run): RunUsage | undefined {
  if (!isOver(run) || run.ended === undefined || run.trigger.kind === "test" || run.trigger.test === true) return undefined
  const asked = askedBy(run)
  const tallied = Object.entries(run.tally ?? {}).map(([key, figures]) => lineOf(key, figures))
  const lines = withAsked(tallied, asked)
  const all = asked.get("flow")
  const flow: UsageLine = { kind: "flow", name: run.flow, ...noFigures(), ...defined({ asked: all }) }
  for (const line of lines) if (line.kind === "model" || line.kind === "tool") add(flow, line)
  return {
    day: Math.floor(run.ended / DAY_MS),
    rehearsed: run.rehearsed,
    child: run.parent !== undefined,
    ...(run.trigger.kind === "score" ? { judge: true as const } : {}),
    failed: run.status === "failed",
    lines: [flow, ...lines],
  }
}

/** A tool that was asked about and never ran has a line too. */
function withAsked(lines: readonly UsageLine[], asked: ReadonlyMap<string, AskCounts>): UsageLine[] {
  const known = new Set(lines.map(({ kind, name }) => `${kind} ${name}`))
  const more = [...asked.keys()].filter((key) => key !== "flow" && !known.has(key)).map((key) => lineOf(key, noFigures()))
  return [...lines, ...more].map((line) => {
    const own = asked.get(`${line.kind} ${line.name}`)
    return own ? { ...line, asked: own } : line
  })
}

function lineOf(key: string, figures: Figures): UsageLine {
  const at = key.indexOf(" ")
  const kind = key.slice(0, at)
  return { kind: kind === "model" || kind === "agent" ? kind : "tool", name: key.slice(at + 1), ...figures }
}

/** Adds figures to a sum. */
export function add(sum: Figures, more: Readonly<Figures>): void {
  sum.input += more.input
  sum.cached += more.cached
  sum.output += more.output
  if (more.usd !== null) sum.usd = tidy((sum.usd ?? 0) + more.usd)
  sum.unpriced += more.unpriced
  sum.model_calls += more.model_calls
  sum.tool_calls += more.tool_calls
  sum.tool_errors += more.tool_errors
  if (more.lost) sum.lost = withLost(sum.lost, more.lost)
}
