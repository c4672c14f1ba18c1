// How often each step of a flow can run at most, from its ways back and their caps alone [F17–F19].
//
// Going back reopens everything from the target to the decider, and with it the counters of the decisions inside: so a decision's
// ways back are taken up to its cap for every time that a later one reopened it. Decisions are counted from the last to the first.

import { routesOf, type Flow, type Route, type Step } from "../flow.ts"
import { activeFrom, type Graph } from "../graph.ts"

export interface WayBack {
  readonly decider: number
  readonly route: Route
  readonly target: number
  /** How often it is taken for one opening of its decider. */
  readonly cap: number
  /** Nothing bounds it: `person` may go back as often as they like, `nothing` is a fault that the check refuses. */
  readonly unbounded?: "person" | "nothing"
}

export interface Passes {
  readonly waysBack: readonly WayBack[]
  /** Infinity where a way back has no cap. */
  runs(step: number): number
  /** How often its session is begun: of a loop decision not in the round past its cap. */
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
    runs,
    sessions(step) {
      const s = flow.steps[step]
      if (s?.type !== "agent-loop-decision") return runs(step)
      // A loop that leads forward does not repeat; each round that is no way back is one of the others' reopenings.
      const back = openings.get(step)
      return back === undefined ? runs(step) : Math.min(runs(step), s.max_iterations * back)
    },
  }
}

function waysBackOf(flow: Flow, graph: Graph, autonomous: boolean): WayBack[] {
  return flow.steps.flatMap((step, decider) =>
    routesOf(step).flatMap((route): WayBack[] => {
      const target = graph.order.get(route.target)
      if (target === undefined || target > decider) return []
      return [{ decider, route, target, ...capOf(step, route, autonomous) }]
    }),
  )
}

function capOf(step: Step, route: Route, autonomous: boolean): Pick<WayBack, "cap" | "unbounded"> {
  if (route.kind === "loop" && step.type === "agent-loop-decision") return { cap: step.max_iterations }
  if (route.kind !== "branch") return { cap: Number.POSITIVE_INFINITY, unbounded: "nothing" }
  if (step.type === "fork" && !autonomous) return { cap: Number.POSITIVE_INFINITY, unbounded: "person" }
  const cap = "max_iterations" in step ? step.max_iterations : undefined
  if (cap !== undefined) return { cap }
  // The kernel gives nobody but a person a way back without a cap; a fork's is allowed for the sake of the person.
  return step.type === "fork" ? { cap: 0 } : { cap: Number.POSITIVE_INFINITY, unbounded: "nothing" }
}

/** What going back this way reopens. */
function coverOf(flow: Flow, graph: Graph, { decider, target }: WayBack): (step: number) => boolean {
  const from = graph.segmentOf[target] ?? 0
  const to = graph.segmentOf[decider] ?? 0
  const active = activeFrom(graph, flow.steps[target]?.id ?? "")
  return (step) => {
    if (step === decider) return true
    const at = graph.segmentOf[step] ?? -1
    return at === from ? active.has(flow.steps[step]?.id ?? "") : at > from && at <= to
  }
}
