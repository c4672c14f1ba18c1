// Says what of the open asks is shown, and in which order: without the snoozed ones, by the filter of the address, in groups.

import { useMemo, useState } from "react"
import type { Asked } from "../../../src/api/doc/run/interactions.doc.ts"
import { filterIn, passing } from "../../../web/inbox/ask-filter.ts"
import { groupsOf, type AskGroup } from "../../../web/inbox/ask-groups.ts"
import { isSnoozed } from "../../../web/inbox/snooze.ts"
import { useNow } from "../parts/use-now.ts"
import { useQuery } from "../shell/place.ts"
import { useSnoozed } from "./snooze/snoozed.ts"

/** How exact an age is, and when what is snoozed comes back. */
const NOW_MS = 15_000

export type InboxRow = { readonly group: AskGroup<Asked>; readonly ask?: undefined } | { readonly ask: Asked; readonly group?: undefined }

export interface InboxRows {
  readonly now: number
  /** undefined: not read yet. */
  readonly groups: readonly AskGroup<Asked>[] | undefined
  readonly rows: readonly InboxRow[]
  /** As the rows stand: what J and K go through. */
  readonly order: readonly Asked[]
  readonly open: number
  readonly snoozed: number
  readonly isSnoozedShown: boolean
  readonly isFiltered: boolean
  /** Of groups that are folded. */
  readonly folded: ReadonlySet<string>
  fold(key: string): void
}

const NONE: readonly never[] = []

export function useInboxRows(asks: readonly Asked[] | undefined, person: string): InboxRows {
  const query = useQuery()
  const now = useNow(NOW_MS)
  const snoozed = useSnoozed(person)
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const isSnoozedShown = query.get("show") === "snoozed"
  const filter = useMemo(() => filterIn(query), [query])
  const away = useMemo(() => (asks ?? NONE).filter((ask) => isSnoozed(snoozed, ask, now)), [asks, snoozed, now])
  const here = useMemo(() => (asks ?? NONE).filter((ask) => !isSnoozed(snoozed, ask, now)), [asks, snoozed, now])
  const shown = isSnoozedShown ? away : here
  const groups = useMemo(() => groupsOf(passing(shown, filter, now)), [shown, filter, now])
  const rows = useMemo(
    () =>
      groups.flatMap((group): InboxRow[] => [{ group }, ...(folded.has(group.key) ? [] : group.asks.map((ask): InboxRow => ({ ask })))]),
    [groups, folded],
  )
  const order = useMemo(() => rows.flatMap(({ ask }) => ask ?? []), [rows])
  const fold = (key: string): void =>
    setFolded((before) => {
      const next = new Set(before)
      if (!next.delete(key)) next.add(key)
      return next
    })
  return {
    now,
    groups: asks === undefined ? undefined : groups,
    rows,
    order,
    open: here.length,
    snoozed: away.length,
    isSnoozedShown,
    isFiltered: Object.keys(filter).length > 0,
    folded,
    fold,
  }
}
