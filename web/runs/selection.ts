// Says which runs of the list are selected: some by their ids, or all that matched at one moment.

import { instantOf } from "./moment.ts"

export interface Selection {
  readonly ids: ReadonlySet<string>
  /** The row that a selection with Shift reaches from. */
  readonly from?: string
  /** All that match this: the filter of the API, which ends at the moment of the choice, so that later runs are not added. */
  readonly all?: { readonly filter: Readonly<Record<string, string>>; readonly count: number; readonly at: number }
}

export const NONE: Selection = { ids: new Set() }

export const isEmpty = ({ ids, all }: Selection): boolean => ids.size === 0 && all === undefined

export const sizeOf = ({ ids, all }: Selection): number => all?.count ?? ids.size

export function toggled({ ids }: Selection, id: string): Selection {
  const next = new Set(ids)
  if (!next.delete(id)) next.add(id)
  return { ids: next, from: id }
}

/** From the row of the last choice to this one, as they stand in the list. */
export function reached({ ids, from }: Selection, to: string, rows: readonly string[]): Selection {
  const [one, other] = [from === undefined ? -1 : rows.indexOf(from), rows.indexOf(to)]
  if (one < 0 || other < 0) return { ids: new Set([...ids, to]), from: to }
  return { ids: new Set([...ids, ...rows.slice(Math.min(one, other), Math.max(one, other) + 1)]), from: to }
}

export const allOf = (ids: readonly string[]): Selection => ({ ids: new Set(ids) })

/** A bulk has no order, and no child runs. */
const NOT_OF_BULKS: ReadonlySet<string> = new Set(["sort", "children"])

/** `filter` ends at `at`, unless it ends before. */
export function everything(query: Readonly<Record<string, string>>, count: number, at: number): Selection {
  const filter = Object.fromEntries(Object.entries(query).filter(([name]) => !NOT_OF_BULKS.has(name)))
  return { ids: new Set(), all: { filter: fixed(filter, at), count, at } }
}

/** A span back from now is an instant from here on. */
function fixed(filter: Readonly<Record<string, string>>, at: number): Readonly<Record<string, string>> {
  const { since, until } = filter
  const instant = (moment: string): string => new Date(instantOf(moment, at)).toISOString()
  return {
    ...filter,
    ...(since === undefined ? {} : { since: instant(since) }),
    until: until === undefined ? new Date(at).toISOString() : instant(until),
  }
}

/** What a bulk is asked to act on. */
export const bulkOf = ({ ids, all }: Selection): { readonly filter: Readonly<Record<string, string>> } | { readonly runs: string[] } =>
  all === undefined ? { runs: [...ids] } : { filter: all.filter }
