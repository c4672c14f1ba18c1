// Child runs [F23] and maps: which children a step wants, what their ends mean. A child is a run of its own with its own journal;
// here stands only how many there are, which are open and how they ended. A map of 10,000 items costs its parent a few numbers.

import type { FlowRefStep, MapStep } from "../../flow/flow.ts"
import { MAX_NESTING } from "../../flow/flow-face.ts"
import { expand, references } from "../../flow/template.ts"
import { kindOf } from "../../schema/arg-value.ts"
import { follow } from "../../text/follow.ts"
import { isObject, type Json, type JsonObject } from "../../json.ts"
import { canonical } from "../../json.ts"
import { minus, plus, type Amount } from "../../money/amount.ts"
import { settlement } from "../budget/budget-settle.ts"
import type { Fact, FactOf, FileRef } from "../event.ts"
import { taint } from "../session/taint.ts"
import { fill, itemValue, lookup, newRoom, valueOf, withItem } from "./scope.ts"
import { isOver, stepState, type Children, type Run } from "../state.ts"

export const MAX_ITEMS = 10_000
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

export const childKey = (step: string, pass: number, index: number): string => `${step}/${pass}/${index}/child`
export const collectKey = (step: string, pass: number): string => `${step}/${pass}/0/collect`

/** The list of a map, or why there is none. Read anew each time: what it refers to cannot change while its step is open. */
export function itemsOf(run: Run, step: MapStep): readonly Json[] | string {
  const list = valueOf(run, step.id, step.over, [])
  if (Array.isArray(list))
    return list.length <= MAX_ITEMS ? list : `${step.over} has ${list.length} items; at most ${MAX_ITEMS} are allowed`
  return `${step.over} is no list, but ${list === "" ? "empty" : kindOf(list)}`
}

export function openFlowRef(run: Run, step: FlowRefStep): Fact[] {
  const warnings: Fact[] = []
  const values = valuesOf(run, step.id, step.inputs, warnings)
  const task = fill(run, step.id, {}, step.task ?? "${{task}}", warnings)
  return [
    {
      type: "step.opened",
      step: step.id,
      stepType: step.type,
      pass: stepState(run, step.id).pass,
      tools: [],
      task,
      values,
      total: 1,
      ...taint(run, [step.task ?? "${{task}}", ...Object.values(step.inputs)]),
    },
    ...warnings,
  ]
}

export function openMap(run: Run, step: MapStep): Fact[] {
  const pass = stepState(run, step.id).pass
  const items = itemsOf(run, step)
  const opened: Fact = {
    type: "step.opened",
    step: step.id,
    stepType: step.type,
    pass,
    tools: [],
    total: typeof items === "string" ? 0 : items.length,
    ...taint(run, [step.over, step.task ?? "", ...Object.values(step.inputs)]),
  }
  if (typeof items !== "string") return [opened, ...emptiesOf(run, step, items)]
  return [opened, { type: "step.finished", step: step.id, pass, status: "error", source: "config", summary: items, files: [], outputs: {} }]
}

/** [F40] What the children's templates find nothing for, told once when the step opens, and not by each child. */
function emptiesOf(run: Run, step: MapStep, items: readonly Json[]): Fact[] {
  const see = lookup(run, {})
  const found = new Map<string, string>()
  for (const template of items.length === 0 ? [] : [step.task ?? "${{item}}", ...Object.values(step.inputs)])
    for (const { ref, expr } of references(template, run.plan.stepIds)) {
      if (ref === undefined || expr === undefined || found.has(expr) || ref.root === "index") continue
      if (ref.root !== "item") {
        if (see(ref) === undefined) found.set(expr, "")
        continue
      }
      const lacking = items.flatMap((item, i) => ((follow(item, ref.path) ?? null) === null ? [i] : []))
      if (lacking.length > 0) found.set(expr, ` for ${lacking.length} of ${items.length} items, first for index ${lacking[0]},`)
    }
  return [...found].map(([expr, whose]) => ({
    type: "warning",
    code: "template_empty",
    message: `\${{${expr}}} has no value${whose} in step "${step.id}"; it became the empty string`,
    step: step.id,
  }))
}

/** An input that is exactly one reference keeps its JSON type [F24]. */
export function valuesOf(run: Run, step: string, inputs: Readonly<Record<string, string>>, warnings: Fact[]): JsonObject {
  const room = newRoom()
  return Object.fromEntries(
    Object.entries(inputs).map(([name, template]) => [name, valueOf(run, step, template, warnings, undefined, room)]),
  )
}

export interface ChildWish {
  readonly do: "start-child"
  readonly key: string
  readonly step: string
  readonly index: number
  readonly flow: string
  readonly task: string
  readonly inputs: JsonObject
  /** What it is given came from outside, or is private [G11]. */
  readonly tainted?: true
  readonly private?: true
  /** [B5] What is held back for it, and what it may spend: the same, unless it was held back before. */
  readonly amount?: Amount
  readonly budget?: Amount
}

/** Children that should be starting: those that were lost, then the next ones there is room for. */
export function childWishes(run: Run, step: FlowRefStep | MapStep): ChildWish[] {
  const s = stepState(run, step.id)
  const c = s.children
  if (!c || tooMany(step, c)) return []
  const room = (step.type === "map" ? step.max_concurrent : 1) - c.starting.length - Object.keys(c.open).length
  const fresh = Array.from({ length: Math.max(0, Math.min(room, c.total - c.next)) }, (_, i) => c.next + i)
  return [...c.starting, ...fresh]
    .filter((index) => !Object.hasOwn(run.underway, childKey(step.id, s.pass, index)))
    .map((index) => ({
      do: "start-child",
      key: childKey(step.id, s.pass, index),
      step: step.id,
      index,
      ...errand(run, step, c, index),
      ...(run.tainted || s.tainted === true ? { tainted: true as const } : {}),
      ...(run.private || s.private === true ? { private: true as const } : {}),
    }))
}

function errand(run: Run, step: FlowRefStep | MapStep, c: Children, index: number): { flow: string; task: string; inputs: JsonObject } {
  if (step.type === "flow-ref") return { flow: step.flow, task: c.task ?? "", inputs: c.values ?? {} }
  const room = newRoom()
  const items = itemsOf(run, step)
  const item = typeof items === "string" ? null : (items[index] ?? null)
  const see = withItem(lookup(run, {}), item, index)
  const text = (template: string): string => expand(template, see, run.plan.stepIds).text
  const inputs = Object.fromEntries(
    Object.entries(step.inputs).map(([name, t]) => [name, itemValue(t, item, index) ?? valueOf(run, step.id, t, [], see, room)]),
  )
  return { flow: step.do, task: text(step.task ?? "${{item}}"), inputs }
}

const tolerated = (step: MapStep, total: number): number =>
  step.tolerate === undefined ? 0 : "count" in step.tolerate ? step.tolerate.count : Math.floor((step.tolerate.percent * total) / 100)

const tooMany = (step: FlowRefStep | MapStep, c: Children): boolean => c.failed > (step.type === "map" ? tolerated(step, c.total) : 0)

/** What follows when no child is left to wait for, or too many failed; undefined: go on. A full map is collected by an effect. */
export function childrenDone(run: Run, step: FlowRefStep | MapStep): Fact | "collect" | undefined {
  const s = stepState(run, step.id)
  const c = s.children
  if (!c) return undefined
  const end = { type: "step.finished", step: step.id, pass: s.pass, files: [] as FileRef[], outputs: {} } as const
  if (tooMany(step, c)) {
    const why =
      step.type === "map"
        ? `${c.failed} of ${c.total} children failed, ${tolerated(step, c.total)} were tolerated; the last${c.culprit === undefined ? "" : `, index ${c.culprit}`}: ${c.message ?? ""}`
        : (c.message ?? "the child run failed")
    return { ...end, status: "error", source: "child_failed", summary: why }
  }
  if (c.ended < c.total) return undefined
  if (step.type === "map") return "collect"
  const r = c.report
  return {
    ...end,
    status: "complete",
    summary: r?.summary ?? "",
    files: r?.files.map((f) => ({ ...f })) ?? [],
    outputs: r?.outputs ?? {},
    ...(r?.artifacts === undefined ? {} : { artifacts: r.artifacts }),
  }
}

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

/** One that does not say what it used may have used all that it was given. */
const amountOf = (usage: ChildReport["usage"]): Amount | undefined => usage && { ...usage, usd: usage.usd ?? 0 }

/** What a parent hears of this run; undefined while it goes on. */
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
    // Any step may have left its words in files or outputs: one that is tainted taints the whole.
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
