// Starts child runs of a step [F23], and decides what follows when they end. A child run has its own journal; the parent keeps only how
// many there are, which are open, and how they ended.

import { defined } from "../../defined.ts"
import { MAX_NESTING } from "../../flow/flow-face.ts"
import { canonical, isObject, type JsonObject } from "../../json.ts"
import { minus, plus, type Amount } from "../../money/amount.ts"
import { keptBelow } from "../effects/kept-bounds.ts"
import { isHandedUp } from "../effects/outside.ts"
import { settlement } from "../budget/budget-settle.ts"
import type { ChildWish } from "../action.ts"
import type { FileRef, KeptEffect } from "../event-parts.ts"
import type { Fact, FactOf } from "../event.ts"
import { isOver, stepState, type Children, type Run } from "../state.ts"
import { childKey } from "../key.ts"

/** [F23] The maximum depth of child runs below the first run. */
export const MAX_DEPTH = MAX_NESTING // limit: levels of child runs → the step fails: the child does not start
/** Larger outputs stay in the child run, and the parent's journal names that run. */
// Limit: characters of a child's outputs in its parent → they stay in the child, and the parent names it.
const MAX_OUTPUT_CHARS = 256 * 1024

/** The end of a run as reported to its parent: the last finish, and the declared outputs if the flow has them. */
export interface ChildReport {
  readonly status: "succeeded" | "failed" | "canceled"
  readonly summary: string
  readonly files: readonly { readonly path: string; readonly action: "created" | "modified" | "read" }[]
  readonly artifacts?: string
  readonly outputs: JsonObject
  /** [B5] Includes the usage of its own children. */
  readonly usage?: NonNullable<FactOf<"child.ended">["usage"]>
  /** Usage by the run's ledger: lost calls count in full, because they may be billed. */
  readonly spent?: Amount
  /** [K40] The hash of its journal's last event. */
  readonly head?: string
  /** [G11] The report contains text from outside, or something private. */
  readonly tainted?: true
  readonly private?: true
  /** [K32] Effects that it and its own children keep: its parent's person decides about them. */
  readonly effects?: readonly KeptEffect[]
}

/** The actions that start children: first those whose start was lost, then the next ones, at most `limit` at a time. */
export function childWishes(
  run: Run,
  step: string,
  c: Children,
  limit: number,
  errand: (index: number) => Pick<ChildWish, "flow" | "task" | "inputs">,
): ChildWish[] {
  const s = stepState(run, step)
  // [R33] A child that waits for a batch gives up its place.
  const room = limit - c.starting.length - Object.keys(c.open).length + (c.still?.count ?? 0)
  const fresh = Array.from({ length: Math.max(0, Math.min(room, c.total - c.next)) }, (_, i) => c.next + i)
  return [...c.starting, ...fresh]
    .filter((index) => !Object.hasOwn(run.underway, childKey(step, s.pass, index)))
    .map((index) => ({
      do: "start-child",
      key: childKey(step, s.pass, index),
      step,
      index,
      ...errand(index),
      ...(run.tainted || s.tainted === true ? { tainted: true as const } : {}),
      ...(run.private || s.private === true ? { private: true as const } : {}),
    }))
}

/** The common part of every finish of a step with children; the step's kind adds the outcome. */
export const childFinish = (step: string, pass: number) =>
  ({ type: "step.finished", step, pass, files: [] as FileRef[], outputs: {} }) as const

/** The facts for a child's end; undefined: stale. A quick child may end before its parent has journaled its start. */
export function childEnd(run: Run, step: string, pass: number, index: number, child: string, report: ChildReport): Fact[] | undefined {
  const s = Object.hasOwn(run.steps, step) ? run.steps[step] : undefined
  const c = s?.children
  if (!s || !c || s.pass !== pass || isOver(run)) return undefined
  const known = c.open[index] === child
  if (!known && !c.starting.includes(index)) return undefined
  const small = canonical(report.outputs).length <= MAX_OUTPUT_CHARS
  const ended: FactOf<"child.ended"> = {
    type: "child.ended",
    step,
    run: child,
    index,
    pass,
    status: report.status,
    summary: report.summary,
    outputs: small ? report.outputs : {},
    files: report.files.map((f) => ({ ...f })),
    ...defined({ artifacts: report.artifacts, tainted: report.tainted, private: report.private, usage: report.usage }),
    ...(report.effects === undefined ? {} : keptBelow(run.outside, report.effects)),
    ...defined({ head: report.head }),
  }
  const settled = settlement(run, childKey(step, pass, index), report.spent ?? amountOf(report.usage))
  const notes: Fact[] = small
    ? []
    : [
        {
          type: "warning",
          code: "child_output",
          message: `the outputs of ${child} are larger than ${MAX_OUTPUT_CHARS} characters: read them from that run`,
          step,
        },
      ]
  const facts = [ended, ...settled, ...notes]
  return known ? facts : [{ type: "child.started", step, run: child, index, pass }, ...facts]
}

/** A child that does not report its usage may have used all of its budget. */
const amountOf = (usage: ChildReport["usage"]): Amount | undefined => usage && { ...usage, usd: usage.usd ?? 0 }

/** The report to the parent run; undefined until this run ends. */
export function reportOf(run: Run): ChildReport | undefined {
  if (run.status !== "succeeded" && run.status !== "failed" && run.status !== "canceled") return undefined
  const last = lastFinish(run)
  const declared = run.plan.flow.outputs !== undefined && isObject(run.output) ? run.output : undefined
  const { input, output, children, usd, tool_calls, steps } = run.usage
  const used = { tokens: input + output + children, usd, tool_calls, steps }
  return {
    usage: used,
    head: run.head,
    ...defined({ spent: run.budget.run && plus({ ...used, usd: usd ?? 0 }, minus(run.budget.run.spent, { ...used, usd: usd ?? 0 })) }),
    status: run.status,
    summary: run.error?.message ?? last?.summary ?? `the run was ${run.status}`,
    files: last?.files ?? [],
    outputs: declared ?? last?.outputs ?? {},
    ...defined({ artifacts: last?.artifacts }),
    ...(isHandedUp(run, run.status) && run.outside.kept.length > 0 ? { effects: run.outside.kept.map(keptOf) } : {}),
    // Any step may have written to files or outputs: one tainted step taints the whole run.
    ...(run.tainted || Object.values(run.steps).some((s) => s.result?.tainted === true) ? { tainted: true as const } : {}),
    ...(run.private || Object.values(run.steps).some((s) => s.result?.private === true) ? { private: true as const } : {}),
  }
}

const keptOf = ({ key, run, step, pass, callId, tool, args }: KeptEffect): KeptEffect => ({ key, run, step, pass, callId, tool, args })

/** The finish of the last step, in file order, that ended in the last segment that ran. */
export function lastFinish(run: Run): (NonNullable<Run["steps"][string]["result"]> & { step: string }) | undefined {
  const members = run.plan.graph.segments[run.segment] ?? []
  for (const i of members.toReversed()) {
    const step = run.plan.stepIds[i] ?? ""
    const r = run.steps[step]?.result
    if (r && r.status !== "skipped") return { ...r, step }
  }
  return undefined
}
