// The list of runs under a query, with older pages as they are scrolled to. It is in the cache of the server's state, so it stands at once when it
// is come back to.

import { useQuery } from "@tanstack/react-query"
import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import { useAsked } from "../parts/asked.ts"
import { faultOf } from "../parts/fault.ts"
import { serverState } from "../shell/server-state.ts"
import type { Api } from "../shell/session.ts"
import { hear, useStreamLine } from "../shell/stream.ts"
import { type Row } from "./row.ts"
import { isMoving, rowOf, shown, withEvent, withFirst, withOlder, type RunList } from "./run-list.ts"

/** Rows of the first page, and of each later one. */
const FIRST_ROWS = 60
const MORE_ROWS = 200
/** How often the newest rows are read without a stream; and with one, which does not tell the turn and the cost of a run that goes on. */
const LOOK_MS = 2_500
const FIGURES_MS = 10_000
const IDLE_MS = 120_000

/** The query under the names of the API. */
export type RunsAsked = Readonly<Record<string, string>>

export interface Runs {
  /** undefined until they are read. */
  readonly rows: readonly Row[] | undefined
  /** Runs that are not shown yet. */
  readonly fresh: number
  readonly isLive: boolean
  readonly fault: string | undefined
  readonly hasMore: boolean
  /** How many pages ended because enough runs had been looked at. The last one did: the reader decides whether to search on. */
  readonly cuts: number
  readonly isCut: boolean
  readonly isReading: boolean
  /** Status → how many runs there are, whatever the list is narrowed to by status. */
  readonly counts: Readonly<Record<string, number>>
  /** Whether these are all. */
  readonly isCounted: boolean
  readonly show: () => void
  readonly more: () => void
  readonly again: () => void
}

/** Runs that the stream has named since they were read: one below the newest page is read by itself. */
const named = new Set<string>()

export function useRunList(api: Api, asked: RunsAsked): Runs {
  const about = JSON.stringify(asked)
  const key = useMemo(() => ["runs", "list", JSON.parse(about) as RunsAsked] as const, [about])
  const byTime = (key[2]["sort"] ?? "newest") === "newest"
  const line = useStreamLine()
  const change = useCallback((to: (list: RunList) => RunList) => serverState.setQueryData<RunList>(key, (list) => list && to(list)), [key])
  const { data, error, refetch } = useQuery(
    {
      queryKey: key,
      queryFn: async () => {
        const first = await api.runs.list({ ...key[2], limit: FIRST_ROWS }).page()
        const below = await oneBelow(api, serverState.getQueryData<RunList>(key), first.data)
        return withFirst(serverState.getQueryData<RunList>(key), first, below, byTime)
      },
      refetchInterval: ({ state }) => (line === "open" ? (isMoving(state.data) ? FIGURES_MS : IDLE_MS) : LOOK_MS),
      refetchOnWindowFocus: true,
    },
    serverState,
  )
  const { status: _, sort: __, ...counted } = key[2]
  const counts = useAsked(
    ["runs", "counts", counted],
    // The list is worth showing without them.
    async () => (await api.runs.counts("status", counted).catch(() => undefined)) ?? { data: [], complete: false },
  )
  useEffect(() => {
    change((list) => ({ ...list, isOld: true }))
    return hear((event) => {
      if (event.type !== "run.changed" && event.type !== "run.ended") return
      if (event.run !== undefined && event.type === "run.ended") named.add(event.run)
      change((list) => withEvent(list, event))
    })
  }, [change])
  const [unread, setUnread] = useState<string>()
  const [isReading, setReading] = useState(false)
  const busy = useRef(false)
  const next = data?.next
  const more = useCallback((): void => {
    if (busy.current || typeof next !== "string") return
    busy.current = true
    setReading(true)
    setUnread(undefined)
    void api.runs
      .list({ ...key[2], limit: MORE_ROWS })
      .page(next)
      .then(
        (page) => void change((list) => withOlder(list, next, page)),
        (reason: unknown) => setUnread(faultOf(reason)),
      )
      .finally(() => {
        busy.current = false
        setReading(false)
      })
  }, [api, key, next, change])
  // Only the newest come on top; others have their place among the rows.
  const show = useCallback((): void => {
    if (byTime) change(shown)
    else void serverState.resetQueries({ queryKey: key, exact: true })
  }, [byTime, change, key])
  const again = useCallback((): void => {
    setUnread(undefined)
    void refetch()
  }, [refetch])
  const fault = error === null ? unread : faultOf(error)
  return {
    rows: data?.rows,
    fresh: data?.fresh.length ?? 0,
    isLive: fault === undefined && line !== "lost",
    fault,
    hasMore: data !== undefined && data.next !== null,
    cuts: data?.cuts ?? 0,
    isCut: data?.isCut ?? false,
    isReading,
    counts: useMemo(() => Object.fromEntries((counts.value?.data ?? []).map((row) => [row.key, row.count])), [counts.value]),
    isCounted: counts.value?.complete === true,
    show,
    more,
    again,
  }
}

/** A run that was deleted stays as it was last seen. */
async function oneBelow(api: Api, list: RunList | undefined, newest: readonly Row[]): Promise<readonly Row[]> {
  const here = new Set(newest.map(({ id }) => id))
  const row = list?.rows.find(({ id }) => named.has(id) && !here.has(id))
  if (row === undefined) {
    named.clear()
    return []
  }
  named.delete(row.id)
  const view = await api.runs.get(row.id).catch(() => undefined)
  return view === undefined ? [] : [rowOf(row, view)]
}
