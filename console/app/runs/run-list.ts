// The list of runs as it lives: rows change in place, and new ones wait until they are asked for, so that nothing moves under the pointer.

import type { FeedEvent } from "../../../src/api/doc/feed.doc.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import { isLive, RUN_STATUSES, type Row } from "./row.ts"

export interface RunList {
  readonly rows: readonly Row[]
  /** Newer runs that are not shown yet. */
  readonly fresh: readonly Row[]
  /** Where older ones begin; null: they are all here. */
  readonly next: string | null
  /** Of an earlier visit: what is new since is no surprise. */
  readonly isOld?: boolean
}

/** The newest page of the list, read anew. */
export interface NewestPage {
  readonly data: readonly Row[]
  readonly next_cursor: string | null
}

/** What came before, with the newest page and some rows below it. */
export function withNewest(before: RunList | undefined, { data, next_cursor }: NewestPage, below: readonly Row[] = []): RunList {
  const first: RunList = { rows: data, fresh: [], next: next_cursor }
  if (before === undefined) return first
  if (before.isOld !== true) return changed(before, [...data, ...below])
  const known = new Set([...before.fresh, ...before.rows].map(({ id }) => id))
  // Between this page and what is known there may be more.
  if (!data.some(({ id }) => known.has(id))) return first
  return shown(changed({ rows: before.rows, fresh: before.fresh, next: before.next }, [...data, ...below]))
}

export const shown = (list: RunList): RunList => ({ ...list, rows: [...list.fresh, ...list.rows], fresh: [] })

export function withOlder(before: RunList, asked: string, { data, next_cursor }: NewestPage): RunList {
  if (before.next !== asked) return before
  const known = new Set(before.rows.map(({ id }) => id))
  return { ...before, rows: [...before.rows, ...data.filter(({ id }) => !known.has(id))], next: next_cursor }
}

/** A row is as the stream says at once; its cost and its end come with the next reading. */
export function withEvent(list: RunList, { run, status, pending }: FeedEvent): RunList {
  const now = RUN_STATUSES.find((one) => one === status)
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

/** Known rows change where they are; newer ones wait. */
function changed(before: RunList, found: readonly Row[]): RunList {
  const now = new Map(found.map((row) => [row.id, row]))
  const update = (row: Row): Row => {
    const after = now.get(row.id) ?? row
    now.delete(row.id)
    return after
  }
  const rows = before.rows.map(update)
  const waiting = before.fresh.map(update)
  const newest = Math.max(0, ...[...waiting, ...rows].slice(0, 1).map(({ created }) => Date.parse(created)))
  const isFirst = rows.length === 0
  const fresh = [...now.values()].filter(({ created }) => isFirst || Date.parse(created) >= newest)
  return isFirst && fresh.length > 0 ? { ...before, rows: fresh, fresh: [] } : { ...before, rows, fresh: [...fresh, ...waiting] }
}
