// Computes the maximum number of runs of each step from the routes that lead back and their limits [F17–F19].
//
// Going back reopens everything from the target to the decision, including the counters of the decisions inside. So every time a
// later decision reopens a decision, that decision can go back up to its cap again. Decisions are counted from last to first. A round of `until` is
// such a way back, of the step that is judged [V23].

import { routesOf, untilOf, type Flow, type StepRoute, type Step } from "../flow.ts"
import { activeFrom, type Graph } from "../graph.ts"

export interface WayBack {
  readonly decider: number
  readonly route: Pick<StepRoute, "label" | "target"> & { readonly kind: StepRoute["kind"] | "until" }
  readonly target: number
  /** How often the route is taken each time its decision opens. */
  readonly cap: number
  /** The route has no limit: `person`, because a person decides; `nothing` is a fault that the check refuses. */
  readonly unbounded?: "person" | "nothing"
}

export interface Passes {
  readonly waysBack: readonly WayBack[]
  /** Whether the run may choose anew on the way; a step that only repeats itself chooses nothing. */
  readonly goesBack: boolean
  /** Infinity if a route that leads back has no cap. */
  runs(step: number): number
  /** How often the step's session begins; a loop decision begins none in the round after its cap. */
  sessions(step: number): number
}

export function passesOf(flow: Flow, graph: Graph, autonomous: boolean): Passes {
  const waysBack = waysBackOf(flow, graph, autonomous)
  const covers = new Map(waysBack.map((way) => [way, coverOf(flow, graph, way)]))
  const takes = new Map<WayBack, number>()
  const openings = new Map<number, number>()
  const taken = (way: WayBack): number => takes.get(way) ?? 0
  for (let i = flow.steps.length - 1; i >= 0; i--) {
    const own = waysBack.filter((way) => way.decider === i)
    if (own.length === 0) continue
    let opened = 1
    for (const way of waysBack) if (way.decider !== i && covers.get(way)?.(i) === true) opened += taken(way)
    openings.set(i, opened)
    for (const way of own) takes.set(way, way.cap === 0 ? 0 : way.cap * opened)
  }
  const runs = (step: number): number => waysBack.reduce((sum, way) => (covers.get(way)?.(step) === true ? sum + taken(way) : sum), 1)
  return {
    waysBack,
    goesBack: waysBack.some((way) => way.cap > 0 && !isOwnRound(way)),
    runs,
    sessions(step) {
      const s = flow.steps[step]
      if (s?.type !== "agent-loop-decision") return runs(step)
      // A loop that leads forward does not repeat; its further rounds come from other decisions that reopen it.
      const back = openings.get(step)
      return back === undefined ? runs(step) : Math.min(runs(step), s.max_iterations * back)
    },
  }
}

function waysBackOf(flow: Flow, graph: Graph, autonomous: boolean): WayBack[] {
  return flow.steps.flatMap((step, decider) => [
    ...routesOf(step).flatMap((route): WayBack[] => {
      const target = graph.order.get(route.target)
      if (target === undefined || target > decider) return []
      return [{ decider, route, target, ...capOf(step, route, autonomous) }]
    }),
    ...roundsOf(step, decider, graph),
  ])
}

/** [V23] */
function roundsOf(step: Step, decider: number, graph: Graph): WayBack[] {
  const { from = step.id, rounds = 1 } = untilOf(step) ?? {}
  const target = graph.order.get(from)
  if (rounds <= 1 || target === undefined || target > decider) return []
  return [{ decider, route: { kind: "until", target: from }, target, cap: rounds - 1 }]
}

const isOwnRound = ({ route, decider, target }: WayBack): boolean => route.kind === "until" && decider === target

/** The passes of each of its runs: `retry` tries it again, but not beyond the rounds of its `until`. */
export const triesOf = (step: Step): number => (untilOf(step) ? 1 : 1 + (step.retry?.max ?? 0))

function capOf(step: Step, route: StepRoute, autonomous: boolean): Pick<WayBack, "cap" | "unbounded"> {
  if (route.kind === "loop" && step.type === "agent-loop-decision") return { cap: step.max_iterations }
  if (route.kind !== "branch") return { cap: Number.POSITIVE_INFINITY, unbounded: "nothing" }
  if (step.type === "fork" && !autonomous) return { cap: Number.POSITIVE_INFINITY, unbounded: "person" }
  const cap = "max_iterations" in step ? step.max_iterations : undefined
  if (cap !== undefined) return { cap }
  // The kernel lets only a person go back without a cap; a fork may lack a cap because a person may answer it.
  return step.type === "fork" ? { cap: 0 } : { cap: Number.POSITIVE_INFINITY, unbounded: "nothing" }
}

/** The steps that going back reopens. */
function coverOf(flow: Flow, graph: Graph, way: WayBack): (step: number) => boolean {
  const { decider, target } = way
  if (isOwnRound(way)) return (step) => step === decider
  const from = graph.segmentOf[target] ?? 0
  const to = graph.segmentOf[decider] ?? 0
  const active = activeFrom(graph, flow.steps[target]?.id ?? "")
  return (step) => {
    if (step === decider) return true
    const at = graph.segmentOf[step] ?? -1
    return at === from ? active.has(flow.steps[step]?.id ?? "") : at > from && at <= to
  }
}
