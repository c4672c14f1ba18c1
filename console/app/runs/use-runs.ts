// The list as it lives: rows change in place, new ones wait until they are asked for, and older ones come as they are scrolled to. The tenant's
// stream tells of changes [H15].

import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import type { FeedEvent } from "../../../src/api/doc/feed.doc.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import type { RunFilter } from "../../../src/client/runs.ts"
import { faultOf } from "../parts/fault.ts"
import { useNewsLine } from "../shell/news.ts"
import type { Api } from "../shell/session.ts"
import { watch } from "../shell/watch.ts"
import { isLive, type Row } from "./row.ts"

/** Rows of the first page, and of each later one. */
const FIRST_ROWS = 60
const MORE_ROWS = 200
/** How often the newest rows are read without a stream; and with one, which does not tell the turn and the cost of a run that goes on. */
const LOOK_MS = 2_500
const FIGURES_MS = 10_000
const IDLE_MS = 120_000
/** Live rows below the newest page that are asked for one by one at each look. */
const MAX_SINGLE = 8

export interface Runs {
  /** undefined until they are read. */
  readonly rows: readonly Row[] | undefined
  /** Newer runs that are not shown yet. */
  readonly fresh: number
  readonly isLive: boolean
  readonly fault: string | undefined
  readonly hasMore: boolean
  /** Status → how many runs there are, whatever the list is narrowed to by status. */
  readonly counts: Readonly<Record<string, number>>
  readonly show: () => void
  readonly more: () => void
  readonly again: () => void
}

interface List {
  readonly rows: readonly Row[]
  readonly fresh: readonly Row[]
  readonly next: string | null
}

export function useRuns(api: Api, filter: RunFilter): Runs {
  const key = JSON.stringify(filter)
  const [list, setList] = useState<List>()
  const [fault, setFault] = useState<string>()
  const [counts, setCounts] = useState<Readonly<Record<string, number>>>({})
  const [turn, setTurn] = useState(0)
  const line = useNewsLine(api)
  const isReading = useRef(false)
  const current = useRef(list)
  current.current = list
  useEffect(() => {
    let isOver = false
    setList(undefined)
    setFault(undefined)
    const wish = JSON.parse(key) as RunFilter
    const look = async (): Promise<boolean> => {
      try {
        const found = await read(api, wish, current.current)
        if (isOver) return true
        setFault(undefined)
        setList((before) => (before === undefined ? found.first : changed(before, found.rows)))
        setCounts((before) => (JSON.stringify(before) === JSON.stringify(found.counts) ? before : found.counts))
        return true
      } catch (error) {
        if (!isOver) setFault(faultOf(error))
        return false
      }
    }
    const isNews = ({ type }: FeedEvent): boolean => type !== "revision.written"
    const slowMs = (): number => (current.current?.rows.some(({ status }) => status === "running") === true ? FIGURES_MS : IDLE_MS)
    const stop = watch(api, { look, isNews, pollMs: LOOK_MS, slowMs })
    return () => {
      isOver = true
      stop()
    }
  }, [api, key, turn])
  const more = useCallback((): void => {
    const next = current.current?.next
    if (isReading.current || next === null || next === undefined) return
    isReading.current = true
    void api.runs
      .list({ ...(JSON.parse(key) as RunFilter), limit: MORE_ROWS })
      .page(next)
      .then(
        ({ data, next_cursor }) =>
          setList((before) => {
            if (!before || before.next !== next) return before
            const known = new Set(before.rows.map(({ id }) => id))
            return { ...before, rows: [...before.rows, ...data.filter(({ id }) => !known.has(id))], next: next_cursor }
          }),
        (error: unknown) => setFault(faultOf(error)),
      )
      .finally(() => (isReading.current = false))
  }, [api, key])
  const show = useCallback((): void => setList((before) => before && { ...before, rows: [...before.fresh, ...before.rows], fresh: [] }), [])
  const again = useCallback((): void => setTurn((n) => n + 1), [])
  return useMemo(
    () => ({
      rows: list?.rows,
      fresh: list?.fresh.length ?? 0,
      isLive: fault === undefined && line !== "lost",
      fault,
      hasMore: list !== undefined && list.next !== null,
      counts,
      show,
      more,
      again,
    }),
    [list, fault, line, counts, show, more, again],
  )
}

interface Read {
  readonly first: List
  readonly rows: readonly Row[]
  readonly counts: Readonly<Record<string, number>>
}

async function read(api: Api, filter: RunFilter, before: List | undefined): Promise<Read> {
  const { status: _, limit: __, ...counted } = filter
  const [{ data, next_cursor }, byStatus] = await Promise.all([
    api.runs.list({ ...filter, limit: FIRST_ROWS }).page(),
    // The list is worth showing without them.
    api.runs.counts("status", counted).catch(() => undefined),
  ])
  const here = new Set(data.map(({ id }) => id))
  const below = (before?.rows ?? []).filter((row) => isLive(row) && !here.has(row.id)).slice(0, MAX_SINGLE)
  // A run that was deleted stays as it was last seen.
  const single = await Promise.all(
    below.map((row) =>
      api.runs
        .get(row.id)
        .then((view) => rowOf(row, view))
        .catch(() => row),
    ),
  )
  const counts = Object.fromEntries((byStatus?.data ?? []).map(({ key, count }) => [key, count]))
  return { first: { rows: data, fresh: [], next: next_cursor }, rows: [...data, ...single], counts }
}

/** Where it was is not where it is. */
const rowOf = ({ now: _now, ...row }: Row, { status, usage, pending, ended, error }: RunView): Row => ({
  ...row,
  status,
  usage,
  pending,
  ended: ended ?? null,
  ...(error === undefined ? {} : { error }),
})

/** Known rows change where they are; newer ones wait. */
function changed(before: List, found: readonly Row[]): List {
  const now = new Map(found.map((row) => [row.id, row]))
  const update = (row: Row): Row => {
    const after = now.get(row.id)
    now.delete(row.id)
    return after === undefined || JSON.stringify(after) === JSON.stringify(row) ? row : after
  }
  const rows = before.rows.map(update)
  const waiting = before.fresh.map(update)
  const newest = Math.max(0, ...[...waiting, ...rows].slice(0, 1).map(({ created }) => Date.parse(created)))
  const isFirst = rows.length === 0
  const fresh = [...now.values()].filter(({ created }) => isFirst || Date.parse(created) >= newest)
  if (isFirst && fresh.length > 0) return { ...before, rows: fresh, fresh: [] }
  const isSame = fresh.length === 0 && rows.every((row, i) => row === before.rows[i]) && waiting.every((row, i) => row === before.fresh[i])
  return isSame ? before : { ...before, rows, fresh: [...fresh, ...waiting] }
}
