// Child runs [F23]: which children a step wants, and what their ends mean. A child is a run with a journal of its own; the parent keeps only
// how many there are, which are open, and how they ended.

import { MAX_NESTING } from "../../flow/flow-face.ts"
import { canonical, isObject, type JsonObject } from "../../json.ts"
import { minus, plus, type Amount } from "../../money/amount.ts"
import { settlement } from "../budget/budget-settle.ts"
import type { ChildWish } from "../action.ts"
import type { Fact, FactOf, FileRef } from "../event.ts"
import { isOver, stepState, type Children, type Run } from "../state.ts"
import { childKey } from "../key.ts"

/** [F23] A run, its child, its child's child …: at most this many below the first. */
export const MAX_DEPTH = MAX_NESTING
/** A child's output that is larger stays in the child: the parent's journal names the run. */
const MAX_OUTPUT_CHARS = 256 * 1024

/** How a run ended, as its parent is told: the last finish, and the declared outputs when the flow has them. */
export interface ChildReport {
  readonly status: "succeeded" | "failed" | "canceled"
  readonly summary: string
  readonly files: readonly { readonly path: string; readonly action: "created" | "modified" | "read" }[]
  readonly artifacts?: string
  readonly outputs: JsonObject
  /** Its own children's among it [B5]. */
  readonly usage?: NonNullable<FactOf<"child.ended">["usage"]>
  /** The same as its budget has it: calls that were lost count whole, for they may be billed. */
  readonly spent?: Amount
  /** What it says came from outside, or is private [G11]. */
  readonly tainted?: true
  readonly private?: true
}

/** Wishes for the children that should be starting: those that were lost, then the next ones, `most` side by side. */
export function childWishes(
  run: Run,
  step: string,
  c: Children,
  most: number,
  errand: (index: number) => Pick<ChildWish, "flow" | "task" | "inputs">,
): ChildWish[] {
  const s = stepState(run, step)
  const room = most - c.starting.length - Object.keys(c.open).length
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

/** What every end of a step with children has; its kind says how the step ended. */
export const childFinish = (step: string, pass: number) =>
  ({ type: "step.finished", step, pass, files: [] as FileRef[], outputs: {} }) as const

/** Is this child's end news? Its start may not be journaled yet: a quick child ends before its parent has heard that it began. */
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
    ...(report.artifacts === undefined ? {} : { artifacts: report.artifacts }),
    ...(report.tainted === undefined ? {} : { tainted: true }),
    ...(report.private === undefined ? {} : { private: true }),
    ...(report.usage === undefined ? {} : { usage: report.usage }),
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

/** What a parent hears of this run; undefined until it ends. */
export function reportOf(run: Run): ChildReport | undefined {
  if (run.status !== "succeeded" && run.status !== "failed" && run.status !== "canceled") return undefined
  const last = lastFinish(run)
  const declared = run.plan.flow.outputs !== undefined && isObject(run.output) ? run.output : undefined
  const { input, output, children, usd, tool_calls, steps } = run.usage
  const used = { tokens: input + output + children, usd, tool_calls, steps }
  return {
    usage: used,
    ...(run.budget.run ? { spent: plus({ ...used, usd: usd ?? 0 }, minus(run.budget.run.spent, { ...used, usd: usd ?? 0 })) } : {}),
    status: run.status,
    summary: run.error?.message ?? last?.summary ?? `the run was ${run.status}`,
    files: last?.files ?? [],
    outputs: declared ?? last?.outputs ?? {},
    ...(last?.artifacts === undefined ? {} : { artifacts: last.artifacts }),
    // Any step may have written to files or outputs: one tainted step taints the whole run.
    ...(run.tainted || Object.values(run.steps).some((s) => s.result?.tainted === true) ? { tainted: true as const } : {}),
    ...(run.private || Object.values(run.steps).some((s) => s.result?.private === true) ? { private: true as const } : {}),
  }
}

/** The finish of the last step in file order that ended in the last segment that ran. */
export function lastFinish(run: Run): (NonNullable<Run["steps"][string]["result"]> & { step: string }) | undefined {
  const members = run.plan.graph.segments[run.segment] ?? []
  for (const i of members.toReversed()) {
    const step = run.plan.stepIds[i] ?? ""
    const r = run.steps[step]?.result
    if (r && r.status !== "skipped") return { ...r, step }
  }
  return undefined
}
