// The items of the chosen step, where it is a map that has begun.

import { useMemo } from "react"
import { itemsOf, listOf, type MapItem } from "../../../../web/run/map-items.ts"
import type { Pass } from "../../../../src/core/run/views/outline.ts"
import { stepIn, type ShownRun } from "../use-run.ts"

export function useItems({ graph, story, view, version }: ShownRun, step: string, pass: Pass | undefined): readonly MapItem[] | undefined {
  return useMemo(() => {
    const node = graph.nodes.find(({ id }) => id === step)
    const isMap = (stepIn(story, step).type || node?.type) === "map"
    return isMap && pass !== undefined ? itemsOf(pass, listOf(node?.over, view, story, pass)) : undefined
  }, [graph, story, version, view, step, pass])
}

/** In the address, as a call of a turn is. */
export const itemKey = (index: number): string => `i${index}`
export const itemAt = (call: string | undefined): number | undefined => (/^i\d+$/.test(call ?? "") ? Number(call?.slice(1)) : undefined)

/** Each state of an item as the state of a run. */
export const STATUS_OF: Readonly<Record<MapItem["state"], string>> = {
  failed: "failed",
  asks: "waiting",
  running: "running",
  canceled: "canceled",
  "to-come": "pending",
  done: "succeeded",
}

export const STATE_WORDS: Readonly<Record<MapItem["state"], string>> = {
  failed: "Failed",
  asks: "Ask",
  running: "Running",
  canceled: "Canceled",
  "to-come": "To come",
  done: "Done",
}
