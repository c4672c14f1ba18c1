// Finds the paths that a run may take through a flow [F10–F18], for checks: which steps are reachable, repeat, or may be skipped. A failure
// without a route ends the run and is not a path. Warnings rely on this. If a search costs too much (in a file made for it), the answer is
// "unknown" and there is no warning.

import { defined } from "../../defined.ts"
import { entriesOf, segmentAt, START, type SegmentEntry, type WayOn } from "./entries.ts"
import { routesOf, type Flow, type StepRoute } from "../flow.ts"
import { activeFrom, type Graph } from "../graph.ts"

export interface Paths {
  /** Indices of steps that some path leads to. */
  readonly reached: ReadonlySet<number>
  /** Is there a path on which both steps run in the same segment, in parallel unless `blockedBy` orders them? */
  together(step: number, other: number): boolean
  /** Can `step` run on a path on which none of the others ran? False if unknown. */
  mayMiss(step: number, ...others: readonly number[]): boolean
  /** Can the run reach the end of the flow without `other`? True if unknown. */
  mayEndWithout(other: number): boolean
  /** A description of a path to `step`, or to the end, without any of the others; undefined if there is none or it is unknown. */
  wayWithout(step: number | undefined, ...others: readonly number[]): readonly string[] | undefined
  /**
   * Does `step` run again after `other`, because a decision leads back [F19]? Then `${{result.other}}` is the result of the previous
   * pass, and `other` may be later in the file.
   */
  runsAgainAfter(step: number, other: number): boolean
}

/** `routers`: active steps that may route. `inside` is the first whose route stays in the segment, and so may have no effect. */
interface Place extends SegmentEntry {
  readonly routers: readonly number[]
  readonly inside?: number
}

const BUDGET = 1_000_000 // limit: steps of the search for paths → the check reports what it found so far

export function pathsOf(flow: Flow, graph: Graph): Paths {
  const entries = placesOf(flow, graph)
  const reached = new Set<number>()
  for (const entry of entries.values()) for (const i of entry.active) reached.add(i)
  const { excluded, judges } = exclusionSets(graph)
  const back = backRoutes(flow, graph)
  const answers = new Map<string, readonly string[] | "unsure" | undefined>()
  let budget = BUDGET

  // [F14] A step that routes skips the steps that wait for it, even if another step's route is taken. This is the only way to skip an
  // active step.
  const isSkipped = (entry: Place, { by, route }: WayOn, id: string): boolean => {
    // Steps that wait for the target of a route inside the segment have not run yet: the next entry decides.
    const target = route?.target ?? ""
    if (
      by !== undefined &&
      graph.segmentOf[by] === graph.segmentOf[graph.order.get(target) ?? -1] &&
      graph.waiters.get(target)?.has(id) === true
    )
      return true
    const routers = entry.routers.filter((r) => flow.steps[r]?.id !== id && graph.waiters.get(flow.steps[r]?.id ?? "")?.has(id))
    const taken = by ?? entry.inside
    return taken !== undefined && routers.some((r) => r >= taken)
  }
  const outAfter = (was: boolean, by: string | undefined, route: StepRoute | undefined, id: string): boolean => {
    if (by === undefined || route === undefined) return was
    if (route.target === id) return false
    if (route.label === undefined) return was
    return excluded(by, route.label, id) || (was && !judges(by, id))
  }
  // Without `step`, searches to the end of the flow. "unsure" means that the budget is used up.
  const search = (step: number | undefined, others: readonly number[]): readonly string[] | "unsure" | undefined => {
    const stepId = step === undefined ? "" : (flow.steps[step]?.id ?? "")
    const otherIds = others.map((other) => flow.steps[other]?.id ?? "")
    const todo: State[] = [{ at: START, stepOut: false, othersOut: others.map(() => false) }]
    const seen = new Set<string>()
    for (let state = todo.pop(); state !== undefined; state = todo.pop()) {
      const entry = entries.get(state.at)
      const visit = `${state.at} ${state.stepOut} ${state.othersOut.join()}`
      if (seen.has(visit) || entry === undefined) continue
      seen.add(visit)
      const running = otherIds.filter((_, i) => entry.active.has(others[i] ?? -1) && state.othersOut[i] !== true)
      if (running.length === 0 && (step === undefined ? entry.ends : entry.active.has(step) && !state.stepOut))
        return describe(flow, entries, state)
      for (const way of entry.ways) {
        if (--budget < 0) return "unsure"
        const by = way.by === undefined ? undefined : flow.steps[way.by]
        if (running.some((id) => !isSkipped(entry, way, id))) continue
        todo.push({
          at: way.to,
          stepOut: step !== undefined && outAfter(state.stepOut, by?.id, way.route, stepId),
          othersOut: otherIds.map((id, i) => outAfter(state.othersOut[i] === true, by?.id, way.route, id)),
          from: state,
          way,
        })
      }
    }
    return undefined
  }
  const between = (step: number, others: readonly number[]): readonly string[] | "unsure" | undefined => {
    const key = `${step} ${others.join()}`
    const answer = answers.has(key) ? answers.get(key) : search(step, others)
    answers.set(key, answer)
    return answer
  }
  return {
    reached,
    together: (step, other) => [...entries.values()].some((e) => e.active.has(step) && e.active.has(other)),
    runsAgainAfter: (step, other) =>
      back.some(({ decider, segment, active }) => {
        const mine = graph.segmentOf[step] ?? 0
        return other <= decider && step <= decider && (mine > segment || (mine === segment && active.has(flow.steps[step]?.id ?? "")))
      }),
    mayMiss: (step, ...others) => Array.isArray(between(step, others)),
    mayEndWithout: (other) => search(undefined, [other]) !== undefined,
    wayWithout(step, ...others) {
      const way = step === undefined ? search(undefined, others) : between(step, others)
      return way === "unsure" ? undefined : way
    },
  }
}

const MAX_WORDS = 12 // limit: names in a message → further names are left out

interface State {
  readonly at: string
  readonly stepOut: boolean
  readonly othersOut: readonly boolean[]
  readonly from?: State
  readonly way?: WayOn
}

/** The routes taken and the fall-throughs of a path; only the end of a long path. */
function describe(flow: Flow, entries: ReadonlyMap<string, SegmentEntry>, last: State): string[] {
  const words: string[] = []
  for (let state: State | undefined = last; state?.way !== undefined; state = state.from) {
    if (words.length === MAX_WORDS) return ["…", ...words.toReversed()]
    const { by, route } = state.way
    const first = [...(entries.get(state.at)?.active ?? [])][0]
    words.push(
      by === undefined || route === undefined
        ? `on to "${flow.steps[first ?? -1]?.id ?? ""}"`
        : `"${flow.steps[by]?.id ?? ""}" (${route.label ?? route.kind}) to "${route.target}"`,
    )
  }
  return words.toReversed()
}

function placesOf(flow: Flow, graph: Graph): Map<string, Place> {
  const excludable = (at: string, id: string): boolean => at.startsWith("segment ") && graph.excluders.has(id)
  return new Map(
    [...entriesOf(flow, graph, excludable)].map(([at, entry]) => {
      const routers = [...entry.active].filter((i) => entry.ways.some((way) => way.by === i))
      const segment = segmentAt(graph, at)
      const inside = routers.find((i) => entry.ways.some((way) => way.by === i && segmentAt(graph, way.to) === segment))
      return [at, { ...entry, routers, ...defined({ inside }) }]
    }),
  )
}

interface BackRoute {
  readonly decider: number
  /** The target's segment, and the steps that the route makes active there. */
  readonly segment: number
  readonly active: ReadonlySet<string>
}

function backRoutes(flow: Flow, graph: Graph): BackRoute[] {
  return flow.steps.flatMap((step, decider) =>
    routesOf(step).flatMap((route): BackRoute[] => {
      const target = graph.order.get(route.target)
      if (target === undefined || target > decider) return []
      return [{ decider, segment: graph.segmentOf[target] ?? 0, active: activeFrom(graph, route.target) }]
    }),
  )
}

/** `excluded`: does this label of the decision exclude the step? `judges`: does any of its labels? */
function exclusionSets(graph: Graph): {
  excluded(decider: string, label: string, step: string): boolean
  judges(decider: string, step: string): boolean
} {
  const byLabel = new Map<string, Map<string, Set<string>>>()
  const all = new Map<string, Set<string>>()
  for (const [decider, labels] of Object.entries(graph.exclusions)) {
    byLabel.set(decider, new Map(Object.entries(labels).map(([label, steps]) => [label, new Set(steps)])))
    all.set(decider, new Set(Object.values(labels).flat()))
  }
  return {
    excluded: (decider, label, step) => byLabel.get(decider)?.get(label)?.has(step) === true,
    judges: (decider, step) => all.get(decider)?.has(step) === true,
  }
}
