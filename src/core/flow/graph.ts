// Derives the structure of a flow from its edges before anything runs. Computed once per plan.
//
// An explicit edge is a `blockedBy` or a route. Falling through to the next segment in file order is not an edge [F15].

import { excludes, routesOf, segmentsOf, type Flow } from "./flow.ts"

export interface Graph {
  readonly order: ReadonlyMap<string, number>
  readonly segments: readonly (readonly number[])[]
  /** Step index → segment index. */
  readonly segmentOf: readonly number[]
  /** Step id → ids in the same segment that wait for it by blockedBy, directly or indirectly [F14]. */
  readonly waiters: ReadonlyMap<string, ReadonlySet<string>>
  /** Steps that only an `on_error` or an `on_timeout` leads to: a run never falls through into them. */
  readonly onlyByError: ReadonlySet<string>
  /** Decision id → label → the steps that the choice excludes [F15]. */
  readonly exclusions: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  /** The inverse: step id → decisions that may exclude it. */
  readonly excluders: ReadonlyMap<string, readonly string[]>
}

export function graphOf(flow: Flow): Graph {
  const segments = segmentsOf(flow.steps)
  const segmentOf: number[] = []
  const exclusions = exclusionsOf(flow)
  segments.forEach((members, s) => members.forEach((i) => (segmentOf[i] = s)))
  return {
    order: orderOf(flow),
    segments,
    segmentOf,
    waiters: waitersOf(flow, segmentOf),
    onlyByError: onlyByErrorOf(flow),
    exclusions,
    excluders: excludersOf(exclusions),
  }
}

/** The first step wins when an id is repeated; the check refuses such a flow anyway. */
function orderOf(flow: Flow): Map<string, number> {
  const order = new Map<string, number>()
  flow.steps.forEach((s, i) => {
    if (!order.has(s.id)) order.set(s.id, i)
  })
  return order
}

function waitersOf(flow: Flow, segmentOf: readonly number[]): Map<string, ReadonlySet<string>> {
  const direct = new Map<string, string[]>()
  const order = orderOf(flow)
  flow.steps.forEach((s, i) => {
    for (const b of s.blockedBy) {
      const at = order.get(b)
      if (at !== undefined && segmentOf[at] === segmentOf[i]) direct.set(b, listed(direct.get(b), s.id))
    }
  })
  return new Map(flow.steps.map((s) => [s.id, reach(s.id, (id) => direct.get(id) ?? [])]))
}

/** Everything reachable from `from`; includes `from` itself only if a cycle leads back. */
function reach(from: string, next: (id: string) => readonly string[], stop?: string): Set<string> {
  const seen = new Set<string>()
  const todo = [...next(from)]
  for (let id = todo.pop(); id !== undefined; id = todo.pop()) {
    if (seen.has(id) || id === stop) continue
    seen.add(id)
    for (const following of next(id)) todo.push(following)
  }
  return seen
}

/** [F13] The steps that a route to `target` makes active: the target and the steps in its segment that wait for it. */
export function activeFrom(graph: Graph, target: string): Set<string> {
  return new Set([target, ...(graph.waiters.get(target) ?? [])])
}

function onlyByErrorOf(flow: Flow): Set<string> {
  const byError = new Set<string>()
  const otherwise = new Set<string>()
  for (const s of flow.steps)
    for (const r of routesOf(s)) (r.kind === "on_error" || r.kind === "timeout" ? byError : otherwise).add(r.target)
  for (const s of flow.steps) if (s.blockedBy.length > 0) otherwise.add(s.id)
  return new Set([...byError].filter((id) => !otherwise.has(id)))
}

/** [F15] For each decision and label, the excluded steps: other forward targets that no explicit path from the chosen target reaches,
 *  and later steps whose explicit incoming edges all come from excluded steps. */
export function exclusionsOf(flow: Flow): Record<string, Record<string, string[]>> {
  const order = orderOf(flow)
  const out = new Map<string, string[]>()
  const into = new Map<string, string[]>()
  const edge = (from: string, to: string): void => {
    if (!order.has(from) || !order.has(to)) return
    out.set(from, listed(out.get(from), to))
    into.set(to, listed(into.get(to), from))
  }
  for (const s of flow.steps) {
    for (const b of s.blockedBy) edge(b, s.id)
    for (const r of routesOf(s)) edge(s.id, r.target)
  }
  const result: Record<string, Record<string, string[]>> = {}
  for (const decider of flow.steps.filter(excludes)) {
    const at = order.get(decider.id) ?? 0
    const forward = routesOf(decider).filter((r) => r.label !== undefined && (order.get(r.target) ?? -1) > at)
    const byLabel: Record<string, string[]> = {}
    for (const chosen of routesOf(decider)) {
      if (chosen.label === undefined) continue
      const reached = reach(chosen.target, (id) => out.get(id) ?? [], decider.id)
      const excluded = new Set<string>()
      if ((order.get(chosen.target) ?? -1) > at)
        for (const r of forward) if (r.target !== chosen.target && !reached.has(r.target)) excluded.add(r.target)
      // Only a step that an excluded one leads to can be the next.
      for (const id of excluded)
        for (const next of out.get(id) ?? [])
          if (next !== chosen.target && (order.get(next) ?? -1) > at && into.get(next)?.every((f) => excluded.has(f)) === true)
            excluded.add(next)
      byLabel[chosen.label] = [...excluded].sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
    }
    result[decider.id] = byLabel
  }
  return result
}

function listed(list: string[] | undefined, id: string): string[] {
  if (list === undefined) return [id]
  list.push(id)
  return list
}

/** [F15] The steps that this choice excludes. Steps and labels may have any name, even `constructor`. */
export function closedBy({ exclusions }: Pick<Graph, "exclusions">, decider: string, label: string): readonly string[] {
  const byLabel = Object.hasOwn(exclusions, decider) ? exclusions[decider] : undefined
  return (byLabel && Object.hasOwn(byLabel, label) ? byLabel[label] : undefined) ?? []
}

function excludersOf(exclusions: Graph["exclusions"]): Map<string, string[]> {
  const excluders = new Map<string, string[]>()
  for (const [decider, byLabel] of Object.entries(exclusions))
    for (const id of new Set(Object.values(byLabel).flat())) {
      const deciders = excluders.get(id)
      if (deciders) deciders.push(decider)
      else excluders.set(id, [decider])
    }
  return excluders
}
