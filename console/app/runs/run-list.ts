// The list of runs as it lives: rows change in place, and new ones wait until they are asked for, so that nothing moves under the pointer.

import type { FeedEvent } from "../../../src/api/doc/run/feed.doc.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import { STATUSES } from "../../../web/runs/query.ts"
import { isLive, type Row } from "./row.ts"

export interface RunList {
  readonly rows: readonly Row[]
  /** Runs that are not shown yet. */
  readonly fresh: readonly Row[]
  /** Where older ones begin; null: they are all here. */
  readonly next: string | null
  /** How many pages ended because enough runs had been looked at. */
  readonly cuts: number
  /** The last page did: the rest is for the reader to ask. */
  readonly isCut: boolean
  /** Of an earlier visit: what is new since is no surprise. */
  readonly isOld?: boolean
}

/** A page of the list. */
export interface RunsPage {
  readonly data: readonly Row[]
  readonly next_cursor: string | null
  readonly complete?: boolean
}

const isCutIn = ({ complete, next_cursor }: RunsPage): boolean => complete === false && next_cursor !== null

/** What came before, with the first page and some rows below it. `byTime`: the newest run comes first. */
export function withFirst(before: RunList | undefined, page: RunsPage, below: readonly Row[] = [], byTime = true): RunList {
  const { data, next_cursor } = page
  const isCut = isCutIn(page)
  const first: RunList = { rows: data, fresh: [], next: next_cursor, cuts: Number(isCut), isCut }
  if (before === undefined) return first
  if (before.rows.length === 0) return data.length > 0 ? first : before
  if (before.isOld !== true || !byTime) return changed(before, [...data, ...below], byTime)
  const known = new Set([...before.fresh, ...before.rows].map(({ id }) => id))
  // Between this page and what is known there may be more.
  if (!data.some(({ id }) => known.has(id))) return first
  const { isOld: _, ...now } = before
  return shown(changed(now, [...data, ...below], byTime))
}

export const shown = (list: RunList): RunList => ({ ...list, rows: [...list.fresh, ...list.rows], fresh: [] })

export function withOlder(before: RunList, asked: string, page: RunsPage): RunList {
  if (before.next !== asked) return before
  const known = new Set(before.rows.map(({ id }) => id))
  const isCut = isCutIn(page)
  return {
    ...before,
    rows: [...before.rows, ...page.data.filter(({ id }) => !known.has(id))],
    next: page.next_cursor,
    cuts: before.cuts + Number(isCut),
    isCut,
  }
}

/** A row is as the stream says at once; its cost and its end come with the next reading. */
export function withEvent(list: RunList, { run, status, pending }: FeedEvent): RunList {
  const now = STATUSES.find((one) => one === status)
  if (run === undefined || now === undefined) return list
  const update = (row: Row): Row => {
    if (row.id !== run || (row.status === now && row.pending === (pending ?? row.pending))) return row
    // Where it was is not where it is.
    const { now: _, ...rest } = row
    return { ...rest, status: now, pending: pending ?? row.pending }
  }
  const [rows, fresh] = [list.rows.map(update), list.fresh.map(update)]
  const isSame = rows.every((row, i) => row === list.rows[i]) && fresh.every((row, i) => row === list.fresh[i])
  return isSame ? list : { ...list, rows, fresh }
}

export const rowOf = ({ now: _now, ...row }: Row, { status, usage, pending, ended, error }: RunView): Row => ({
  ...row,
  status,
  usage,
  pending,
  ended: ended ?? null,
  ...(error === undefined ? {} : { error }),
})

/** Whether its figures still change. */
export const isMoving = (list: RunList | undefined): boolean => list?.rows.some((row) => isLive(row) && row.status === "running") === true

/** Known rows change where they are; others wait. */
function changed(before: RunList, found: readonly Row[], byTime: boolean): RunList {
  const now = new Map(found.map((row) => [row.id, row]))
  const update = (row: Row): Row => {
    const after = now.get(row.id) ?? row
    now.delete(row.id)
    return after
  }
  const rows = before.rows.map(update)
  const waiting = before.fresh.map(update)
  const newest = byTime ? Math.max(0, ...[...waiting, ...rows].slice(0, 1).map(({ created }) => Date.parse(created))) : 0
  const fresh = [...now.values()].filter(({ created }) => Date.parse(created) >= newest)
  return { ...before, rows, fresh: [...fresh, ...waiting] }
}
