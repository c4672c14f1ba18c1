// Computes how the flows of a catalog run each other [F23e]: which flows form cycles, and how deep each nests. It does so once for a set of
// flows, in time linear in their uses: each of 2,000 flows in a ring would otherwise walk the whole ring.

import type { FlowFace, FlowUse } from "../flow-face.ts"

type Faces = ReadonlyMap<string, FlowFace>

export interface Nesting {
  /** How many levels of child runs a run of the flow has. A repeated flow is not followed: only the run decides how often it repeats. */
  depth(flow: string): number
  /** The circle that this use of a flow closes by uses that count, if it closes one. */
  circle(flow: string, use: FlowUse, kind: CircleKind): Circle | undefined
  /** The same number for all flows that run each other in circles. */
  part(flow: string, kind: CircleKind): number | undefined
}

/** The kind of a cycle. `certain`: through flow-ref steps on every path. `likely`: also through maps, which run nothing for an empty list. */
export type CircleKind = "certain" | "likely"

export interface Circle {
  /** From the flow back to itself, or its beginning if the circle is long. */
  readonly names: readonly string[]
  readonly isWhole: boolean
  /** How many flows run each other in circles, with this one. */
  readonly size: number
}

const COUNTS: Readonly<Record<CircleKind, (use: FlowUse) => boolean>> = {
  certain: (use) => use.always && use.type === "flow-ref",
  likely: (use) => use.always,
}
const SEARCHED = 256 // limit: uses of flows that are searched to name a circle → its first two flows are named
/** Limit: names in a message. */
export const MOST_NAMED = 12 // limit: flows that the message about a circle names → further ones are counted

const known = new WeakMap<Faces, Nesting>()

/** `own`: the flow being checked, which the catalog may lack, or have in an older form. */
export function nestingOf(flows: Faces, id: string, own: FlowFace): Nesting {
  if (!sameUses(flows.get(id)?.uses, own.uses)) return nesting(new Map([[id, own], ...[...flows].filter(([name]) => name !== id)]))
  const before = known.get(flows)
  const now = before ?? nesting(flows)
  if (!before) known.set(flows, now)
  return now
}

const sameUses = (a: readonly FlowUse[] | undefined, b: readonly FlowUse[]): boolean =>
  a?.length === b.length && a.every((use, i) => use.flow === b[i]?.flow && use.step === b[i].step && use.always === b[i].always)

function nesting(flows: Faces): Nesting {
  const usesOf = (id: string): readonly FlowUse[] => flows.get(id)?.uses ?? []
  const depths = depthsOf(flows.keys(), usesOf)
  const parts = {
    certain: partsOf(flows.keys(), (id) => usesOf(id).flatMap((use) => (COUNTS.certain(use) ? [use.flow] : []))),
    likely: partsOf(flows.keys(), (id) => usesOf(id).flatMap((use) => (COUNTS.likely(use) ? [use.flow] : []))),
  }
  return {
    depth: (flow) => depths.get(flow) ?? 0,
    circle(flow, use, kind) {
      const part = parts[kind].of.get(flow)
      if (!COUNTS[kind](use) || part === undefined || parts[kind].of.get(use.flow) !== part) return undefined
      const inside = (u: FlowUse): boolean => COUNTS[kind](u) && parts[kind].of.get(u.flow) === part
      return { ...namesOf(flow, use.flow, (id) => usesOf(id), inside), size: parts[kind].sizes[part] ?? 1 }
    },
    part: (flow, kind) => parts[kind].of.get(flow),
  }
}

/** A shortest way from `first` back to `root`, if one is near; otherwise the first flows of any way. */
function namesOf(
  root: string,
  first: string,
  usesOf: (id: string) => readonly FlowUse[],
  inside: (use: FlowUse) => boolean,
): Pick<Circle, "names" | "isWhole"> {
  let left = SEARCHED
  const before = new Map<string, string | undefined>([[first, undefined]])
  const todo = [first]
  for (let at = 0; at < todo.length; at++) {
    const id = todo[at] ?? ""
    if (id === root) {
      const names: string[] = []
      for (let name: string | undefined = id; name !== undefined; name = before.get(name)) names.push(name)
      const whole = [root, ...names.toReversed()]
      if (whole.length <= MOST_NAMED + 1) return { names: whole, isWhole: true }
      return { names: whole.slice(0, MOST_NAMED), isWhole: false }
    }
    for (const use of usesOf(id)) {
      if (--left < 0) return { names: [root, first], isWhole: false }
      if (before.has(use.flow) || !inside(use)) continue
      before.set(use.flow, id)
      todo.push(use.flow)
    }
  }
  return { names: [root, first], isWhole: false }
}

/** Depth first, with a list instead of recursion: a chain may be as long as the catalog. */
function depthsOf(ids: Iterable<string>, usesOf: (id: string) => readonly FlowUse[]): ReadonlyMap<string, number> {
  const depths = new Map<string, number>()
  for (const start of ids) {
    const todo = [{ id: start, left: false }]
    for (let step = todo.pop(); step !== undefined; step = todo.pop()) {
      const { id, left } = step
      if (left)
        depths.set(
          id,
          usesOf(id).reduce((max, use) => Math.max(max, 1 + (depths.get(use.flow) ?? 0)), 0),
        )
      else if (!depths.has(id)) {
        depths.set(id, 0)
        todo.push({ id, left: true })
        for (const use of usesOf(id)) if (!depths.has(use.flow)) todo.push({ id: use.flow, left: false })
      }
    }
  }
  return depths
}

/** Strongly connected parts (Tarjan): two flows are in one part if each leads to the other. A flow alone is a part of its own. */
function partsOf(
  ids: Iterable<string>,
  next: (id: string) => readonly string[],
): { readonly of: ReadonlyMap<string, number>; readonly sizes: readonly number[] } {
  const order = new Map<string, number>()
  const low = new Map<string, number>()
  const of = new Map<string, number>()
  const sizes: number[] = []
  const open: string[] = []
  const lower = (id: string, to: number): void => void low.set(id, Math.min(low.get(id) ?? to, to))
  const enter = (id: string): { readonly id: string; readonly next: readonly string[]; at: number } => {
    order.set(id, order.size)
    low.set(id, order.size - 1)
    open.push(id)
    return { id, next: next(id), at: 0 }
  }
  for (const start of ids) {
    if (order.has(start)) continue
    const path = [enter(start)]
    for (let here = path.at(-1); here !== undefined; here = path.at(-1)) {
      const to = here.next[here.at++]
      if (to !== undefined) {
        if (!order.has(to)) path.push(enter(to))
        else if (!of.has(to)) lower(here.id, order.get(to) ?? 0)
        continue
      }
      path.pop()
      const around = path.at(-1)
      if (around !== undefined) lower(around.id, low.get(here.id) ?? 0)
      if (low.get(here.id) !== order.get(here.id)) continue
      const part = sizes.length
      let size = 0
      for (let member = open.pop(); member !== undefined; member = open.pop()) {
        of.set(member, part)
        size++
        if (member === here.id) break
      }
      sizes.push(size)
    }
  }
  return { of, sizes }
}
