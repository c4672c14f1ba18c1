// The rows of the timeline and of its twin, the list: a row for each step, and one for each round of a loop. Finished rounds are folded; the
// last one stays in view.

import { useMemo, useState } from "react"
import { besideOf, layoutOf } from "../../../../web/run/layout.ts"
import { longestPath } from "../../../../web/run/path.ts"
import { loopsOf, roundsOf, type Loop, type Round } from "../../../../web/run/rounds.ts"
import type { Pass } from "../../../../src/core/run/views/outline.ts"
import type { Selection } from "../selection.ts"
import { stepIn, type ShownRun } from "../use-run.ts"

export interface StepRow {
  readonly kind: "step"
  readonly key: string
  readonly id: string
  /** Those of its round alone, where the step is in a loop. */
  readonly passes: readonly Pass[]
  /** It is the first, one in between or the last of steps side by side. */
  readonly beside: "first" | "in" | "last" | undefined
  /** A step of a round that is over says how that round went, and not how the step is now. */
  readonly status: string
  readonly isPast: boolean
}

export interface RoundRow {
  readonly kind: "round"
  readonly key: string
  readonly loop: Loop
  readonly round: Round
  readonly passes: readonly Pass[]
  readonly isOpen: boolean
}

export type TimelineRow = StepRow | RoundRow

export interface Folds {
  readonly rows: readonly TimelineRow[]
  readonly toggle: (key: string) => void
}

/** What a flow makes, whatever its run does. */
interface Made {
  readonly loops: readonly Loop[]
  readonly besides: ReadonlyMap<string, "first" | "in" | "last">
}

export function useRows(shown: ShownRun, selection: Selection): Folds {
  const { graph, story, version } = shown
  const made = useMemo(() => ({ loops: loopsOf(graph), besides: besidesOf(graph) }), [graph])
  /** Rounds that the reader has opened or folded. */
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set())
  // Only a chosen pass opens a round.
  const opening = selection.pass === undefined ? undefined : selection.step
  const rows = useMemo(() => rowsOf(shown, made, turned, selection), [made, story, version, turned, opening, selection.pass])
  const toggle = (key: string): void =>
    setTurned((before) => new Set(before.has(key) ? [...before].filter((one) => one !== key) : [...before, key]))
  return { rows, toggle }
}

function rowsOf({ graph, story }: ShownRun, { loops, besides }: Made, turned: ReadonlySet<string>, selection: Selection): TimelineRow[] {
  const stepRow = (id: string, passes: readonly Pass[], round?: Round): StepRow => {
    const isPast = round?.isOver === true
    return {
      kind: "step",
      key: round === undefined ? id : `${round.no} ${id}`,
      id,
      passes,
      beside: besides.get(id),
      status: isPast ? (passes.at(-1)?.status ?? "skipped") : stepIn(story, id).status,
      isPast,
    }
  }
  const byFirst = new Map(loops.map((loop) => [loop.first, loop]))
  const folded = new Set<string>()
  return graph.nodes.flatMap(({ id }): TimelineRow[] => {
    if (folded.has(id)) return []
    const loop = byFirst.get(id)
    const rounds = loop === undefined ? [] : roundsOf(loop, story)
    // Only what has gone around has a past to fold.
    if (loop === undefined || rounds.length < 2) return [stepRow(id, stepIn(story, id).passes)]
    for (const step of loop.steps) folded.add(step)
    return rounds.flatMap((round): TimelineRow[] => {
      const key = `${loop.first} ${round.no}`
      const isChosen =
        selection.step !== undefined && round.passes.get(selection.step)?.some(({ pass }) => pass === selection.pass) === true
      const isLast = round.no === rounds.length
      const isOpen = isChosen || isLast !== turned.has(key)
      const head: RoundRow = { kind: "round", key, loop, round, passes: [...round.passes.values()].flat(), isOpen }
      return isOpen
        ? [head, ...loop.steps.map((step) => stepRow(step, round.passes.get(step) ?? [], isLast ? { ...round, isOver: false } : round))]
        : [head]
    })
  })
}

function besidesOf(graph: ShownRun["graph"]): ReadonlyMap<string, "first" | "in" | "last"> {
  const groups = besideOf(layoutOf(graph), graph.nodes)
  return new Map(groups.flatMap((ids) => ids.map((id, i) => [id, i === 0 ? "first" : i === ids.length - 1 ? "last" : "in"] as const)))
}

/** Passes on the longest path; none where all of the run is on it. */
export function useLongest(
  { graph, story, version }: ShownRun,
  end: number,
): { readonly path: readonly Pass[]; readonly isMarked: ReadonlySet<Pass> } {
  return useMemo(() => {
    const path = longestPath(graph, story, end)
    const marked = new Set(path)
    const isAll = [...story.steps.values()].every(({ passes }) => passes.every((pass) => marked.has(pass)))
    return { path, isMarked: isAll ? new Set() : marked }
  }, [graph, story, version, end])
}
