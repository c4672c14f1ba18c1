// Finds a flow's loops and a run's rounds through them: each pass of the loop's first step begins a round. Loops that share steps count as
// one, so every pass is in at most one round.

import type { GraphView } from "../../src/core/flow/check/graph-view.ts"
import type { Pass, RunOutline } from "../../src/core/run/views/outline.ts"

export interface Loop {
  /** Where a round begins. */
  readonly first: string
  /** What leads back, in the order of the file. */
  readonly deciders: readonly string[]
  readonly steps: readonly string[]
  /** Rounds at most, where the flow says so [F17]. */
  readonly most: number | undefined
}

export interface Round {
  readonly no: number
  /** Step → its passes of this round. */
  readonly passes: ReadonlyMap<string, readonly Pass[]>
  readonly isOver: boolean
}

const FORWARD = new Set(["blockedBy", "next"])

export function loopsOf({ nodes, edges }: Pick<GraphView, "nodes" | "edges">): Loop[] {
  const order = new Map(nodes.map(({ id }, at) => [id, at]))
  const spans = edges
    .flatMap(({ from, to, kind }) => {
      const [head, tail] = [order.get(to), order.get(from)]
      return head === undefined || tail === undefined || head > tail || FORWARD.has(kind) ? [] : [{ head, tail, deciders: [tail] }]
    })
    .toSorted((a, b) => a.head - b.head || b.tail - a.tail)
  const merged: { head: number; tail: number; deciders: number[] }[] = []
  for (const span of spans) {
    const last = merged.at(-1)
    if (last === undefined || span.head > last.tail) merged.push(span)
    else {
      last.tail = Math.max(last.tail, span.tail)
      last.deciders.push(...span.deciders)
    }
  }
  return merged.map(({ head, tail, deciders }) => {
    const cap = nodes[tail]?.max_iterations
    return {
      first: nodes[head]?.id ?? "",
      deciders: [...new Set(deciders)].toSorted((a, b) => a - b).flatMap((at) => nodes[at]?.id ?? []),
      steps: nodes.slice(head, tail + 1).map(({ id }) => id),
      most: cap === undefined ? undefined : cap + 1,
    }
  })
}

/** There are none before the loop's first step has begun. A retry of that step does not begin a round. */
export function roundsOf({ first, deciders, steps }: Loop, story: RunOutline): Round[] {
  const back = deciders.flatMap((id) => story.steps.get(id)?.passes ?? []).map(({ endSeq }) => endSeq ?? Infinity)
  const begins: number[] = []
  for (const { seq } of story.steps.get(first)?.passes ?? []) {
    const before = begins.at(-1)
    if (before === undefined || back.some((end) => end > before && end < seq)) begins.push(seq)
  }
  return begins.map((from, at) => {
    const to = begins[at + 1] ?? Infinity
    const passes = new Map<string, readonly Pass[]>()
    for (const id of steps) {
      const mine = (story.steps.get(id)?.passes ?? []).filter(({ seq }) => seq >= from && seq < to)
      if (mine.length > 0) passes.set(id, mine)
    }
    return { no: at + 1, passes, isOver: to !== Infinity || [...passes.values()].flat().every(({ ended }) => ended !== undefined) }
  })
}

/** `pass 2 of 3`. */
export const roundWords = (no: number, { most }: Pick<Loop, "most">): string =>
  `pass ${no}${most === undefined || no > most ? "" : ` of ${most}`}`
