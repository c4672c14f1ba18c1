// Runs of late that did something outside that can be taken back. Only a run's own journal knows, so the newest ended ones are asked.

import { useAsked } from "../parts/asked.ts"
import type { Api } from "../shell/session.ts"

export interface UndoableRun {
  readonly run: string
  readonly flow: string
  readonly status: string
  readonly ended: string
  readonly count: number
}

/** Ended runs that are asked; a run's own page leads to its effects too. */
const MAX_RUNS = 10
const NONE: readonly UndoableRun[] = []

/** It stands beside what is open, and its runs have it on their pages: a fault needs no word. */
export const useUndoable = (api: Api): readonly UndoableRun[] => useAsked(["once", "undoable"], () => read(api)).value ?? NONE

async function read(api: Api): Promise<readonly UndoableRun[]> {
  const { data } = await api.runs.list({ status: ["succeeded", "failed", "canceled"], limit: MAX_RUNS }).page()
  const found = await Promise.all(
    data.map(async ({ id, flow, status, created }) => {
      const effects = await api.runs.effects(id).all()
      const open = effects.filter(({ state, undoable, undoes }) => state === "confirmed" && undoable && undoes === undefined)
      const ended = open.at(-1)?.at ?? created
      return { run: id, flow, status, ended, count: open.length }
    }),
  )
  return found.filter(({ count }) => count > 0)
}
