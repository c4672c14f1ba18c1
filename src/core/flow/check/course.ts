// Computes the cheapest and the most expensive path through a flow whose steps have prices. The run goes from entry to entry: a segment
// that it falls into, or a step that it is routed to [F10, F13]. Steps that a choice excludes are skipped until the next choice [F15].

import { activeAt, END, entriesOf, isAhead, segmentAt, START, waysFrom, type WayOn } from "./entries.ts"
import type { Flow } from "../flow.ts"
import type { Graph } from "../graph.ts"

export interface Price {
  readonly least: number
  readonly most: number
}

// The search distinguishes places by their excluded steps. A flow with too many is computed without exclusions, which only widens the range.
const MAX_WORK = 20_000 // limit: places that the check of a flow's course visits → the course is computed without exclusions

/**
 * `price`: of all runs of a step; `repeats`: the step may run more than once; `goesBack`: the run may go back. The answer holds for
 * every successful run; `least` assumes a run that takes no on_error and never goes back.
 */
export function cheapestAndDearest(
  flow: Flow,
  graph: Graph,
  price: (step: number) => Price,
  repeats: (step: number) => boolean,
  goesBack: boolean,
): Price {
  const looped = flow.steps.map((_, i) => repeats(i))
  const several = flow.steps.some((step) => step.type === "fork" && step.multiSelect)
  const all = flow.steps.map((_, i) => price(i))
  const sum = (of: (step: number) => boolean): number => all.reduce((n, p, i) => (of(i) ? n + p.most : n), 0)
  const exact = new Course(flow, graph)
  const least = exact.least((i) => all[i]?.least ?? 0)
  if (several) return { least, most: sum(() => true) }
  if (goesBack)
    return {
      least,
      most: sum((i) => looped[i] === true) + dearestRound(flow, graph, (i) => (looped[i] === true ? 0 : (all[i]?.most ?? 0))),
    }
  return { least, most: exact.most((i) => all[i]?.most ?? 0) ?? dearestRound(flow, graph, (i) => all[i]?.most ?? 0) }
}

/** Searches forward paths only, with the excluded steps of each place. */
class Course {
  readonly #flow: Flow
  readonly #graph: Graph
  readonly #excluded: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>

  constructor(flow: Flow, graph: Graph) {
    this.#flow = flow
    this.#graph = graph
    this.#excluded = new Map(Object.entries(graph.exclusions).map(([id, labels]) => [id, new Map(Object.entries(labels))]))
  }

  /** 0 if no path reaches the end, or there are too many paths. */
  least(weight: (step: number) => number): number {
    const found = this.#search(
      (live, way) => {
        const by = way.by
        if (by === undefined) return live.reduce((n, i) => n + weight(i), 0)
        if (way.route?.kind === "on_error") return undefined
        // A route inside the segment may be taken before the other steps begin; a route out of it skips the steps that wait.
        const inside = this.#graph.segmentOf[by] === this.#graph.segmentOf[this.#graph.order.get(way.route?.target ?? "") ?? -1]
        if (inside) return weight(by)
        const waiters = this.#graph.waiters.get(this.#flow.steps[by]?.id ?? "")
        return live.reduce((n, i) => (waiters?.has(this.#flow.steps[i]?.id ?? "") === true ? n : n + weight(i)), 0)
      },
      Math.min,
      Number.POSITIVE_INFINITY,
    )
    return found === undefined || found === Number.POSITIVE_INFINITY ? 0 : found
  }

  /** Undefined if there are too many paths. */
  most(weight: (step: number) => number): number | undefined {
    return this.#search((live) => live.reduce((n, i) => n + weight(i), 0), Math.max, 0)
  }

  #search(
    cost: (live: readonly number[], way: WayOn) => number | undefined,
    better: (a: number, b: number) => number,
    none: number,
  ): number | undefined {
    const solved = new Map<string, number>()
    let work = 0
    const stack: Place[] = []
    const keyOf = (at: string, out: ReadonlySet<string>): string => (out.size === 0 ? at : `${at}|${[...out].join(",")}`)
    const push = (at: string, out: ReadonlySet<string>): void => {
      const key = keyOf(at, out)
      if (!solved.has(key)) stack.push({ key, at, out, live: [] })
    }
    push(START, new Set())
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      if (solved.has(top.key)) {
        stack.pop()
        continue
      }
      const { out: before } = top
      if (top.next === undefined) {
        const live = activeAt(this.#flow, this.#graph, top.at).filter((i) => !before.has(this.#flow.steps[i]?.id ?? ""))
        const ways = waysFrom({ flow: this.#flow, graph: this.#graph, at: top.at }, live).filter(
          ({ by, route }) => by === undefined || isAhead(this.#graph.order, by, route?.target ?? ""),
        )
        const next = ways.map((way) => ({ way, out: way.to === END ? NONE : this.#after(before, way) }))
        top.live = live
        top.next = next
        work += next.reduce((n, { out }) => n + 1 + out.size, live.length)
        if (work > MAX_WORK) return undefined
        for (const { way, out } of next) if (way.to !== END) push(way.to, out)
        continue
      }
      stack.pop()
      let best = none
      for (const { way, out } of top.next) {
        const here = cost(top.live, way)
        if (here !== undefined) best = better(best, here + (way.to === END ? 0 : (solved.get(keyOf(way.to, out)) ?? none)))
      }
      solved.set(top.key, best)
    }
    return solved.get(START)
  }

  #after(out: ReadonlySet<string>, { to, by, route }: WayOn): ReadonlySet<string> {
    const segment = segmentAt(this.#graph, to)
    const ahead = (id: string): boolean => (this.#graph.segmentOf[this.#graph.order.get(id) ?? -1] ?? -1) >= segment
    const decider = by === undefined ? undefined : this.#flow.steps[by]?.id
    const labels = decider === undefined || route?.label === undefined ? undefined : this.#excluded.get(decider)
    const judged = new Set(labels === undefined ? [] : [...labels.values()].flat())
    const chosen = labels?.get(route?.label ?? "") ?? []
    const left = [...out].filter((id) => !judged.has(id))
    return new Set([...left, ...chosen].filter((id) => id !== route?.target && ahead(id)).sort())
  }
}

/** A place in the search: where the run is, and the steps that it skips from there. */
interface Place {
  readonly key: string
  readonly at: string
  readonly out: ReadonlySet<string>
  live: readonly number[]
  next?: readonly { readonly way: WayOn; readonly out: ReadonlySet<string> }[]
}

const NONE: ReadonlySet<string> = new Set()

/**
 * The most expensive path when the run may loop. Entries that reach one another are merged, with each of their steps counted once;
 * nothing is excluded, and a segment that may be skipped is also fallen through. Never too low.
 */
function dearestRound(flow: Flow, graph: Graph, weight: (step: number) => number): number {
  const entries = entriesOf(flow, graph, (_at, id) => graph.excluders.has(id))
  const nextOf = (at: string): readonly WayOn[] => entries.get(at)?.ways ?? []
  // Tarjan's algorithm returns components in reverse order, so the successors of a component are already known.
  const best = new Map<string, number>()
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const open: string[] = []
  const isOpen = new Set<string>()
  const work: { at: string; child: number }[] = [{ at: START, child: 0 }]
  for (let top = work.at(-1); top !== undefined; top = work.at(-1)) {
    const { at } = top
    const next = nextOf(at)
    if (top.child === 0 && !index.has(at)) {
      index.set(at, index.size)
      low.set(at, index.get(at) ?? 0)
      open.push(at)
      isOpen.add(at)
    }
    const child = next[top.child]?.to
    if (child !== undefined) {
      top.child++
      if (!index.has(child)) work.push({ at: child, child: 0 })
      else if (isOpen.has(child)) low.set(at, Math.min(low.get(at) ?? 0, index.get(child) ?? 0))
      continue
    }
    work.pop()
    const parent = work.at(-1)
    if (parent !== undefined) low.set(parent.at, Math.min(low.get(parent.at) ?? 0, low.get(at) ?? 0))
    if (low.get(at) !== index.get(at)) continue
    const members = open.splice(open.indexOf(at))
    const steps = new Set(members.flatMap((m) => [...(entries.get(m)?.active ?? [])]))
    const after = members.flatMap(nextOf).reduce((n, { to }) => Math.max(n, best.get(to) ?? 0), 0)
    const total = [...steps].reduce((n, i) => n + weight(i), after)
    for (const m of members) {
      isOpen.delete(m)
      best.set(m, total)
    }
  }
  return best.get(START) ?? 0
}
