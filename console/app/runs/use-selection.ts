// Says which runs of the list are selected. Another query begins with none.

import { useCallback, useMemo, useState } from "react"
import { allOf, everything, isEmpty, NONE, reached, sizeOf, toggled, type Selection } from "../../../web/runs/selection.ts"
import type { Row } from "./row.ts"
import type { RunsAsked } from "./use-run-list.ts"

export function useSelection(rows: readonly Row[], search: string) {
  const [held, setHeld] = useState<{ readonly search: string; readonly selection: Selection }>({ search, selection: NONE })
  const ids = useMemo(() => rows.map(({ id }) => id), [rows])
  const set = useCallback(
    (to: (before: Selection) => Selection): void =>
      setHeld((before) => ({ search, selection: to(before.search === search ? before.selection : NONE) })),
    [search],
  )
  const kept = held.search === search ? held.selection : NONE
  // A run that left the list is not selected.
  const chosen: Selection = useMemo(() => {
    const here = new Set(ids)
    return kept.all === undefined && [...kept.ids].some((id) => !here.has(id))
      ? { ...kept, ids: new Set([...kept.ids].filter((id) => here.has(id))) }
      : kept
  }, [kept, ids])
  return {
    chosen,
    all: chosen.all,
    size: sizeOf(chosen),
    isEmpty: isEmpty(chosen),
    /** undefined: all. */
    picked: chosen.all === undefined ? chosen.ids : undefined,
    /** Every row that is here. */
    isWhole: chosen.all === undefined && ids.length > 0 && chosen.ids.size === ids.length,
    pick: useCallback(
      (id: string, isReach: boolean) =>
        set((before) => {
          // Who takes one out of all has the others of those shown.
          const some = before.all === undefined ? before : allOf(ids)
          return isReach ? reached(some, id, ids) : toggled(some, id)
        }),
      [set, ids],
    ),
    pickShown: useCallback(() => set(() => allOf(ids)), [set, ids]),
    pickMatching: useCallback((asked: RunsAsked, count: number) => set(() => everything(asked, count, Date.now())), [set]),
    clear: useCallback(() => set(() => NONE), [set]),
  }
}
