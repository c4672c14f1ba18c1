// Groups of failures [H14]. A row changes where it stands; a group that is new waits until it is asked for.

import { useQuery } from "@tanstack/react-query"
import { useCallback, useMemo } from "react"
import type { FailureGroup } from "../../../src/api/doc/insight.doc.ts"
import { Failures } from "../../../src/client/insight.ts"
import { faultOf } from "../parts/fault.ts"
import { serverState } from "../shell/server-state.ts"
import type { Api } from "../shell/session.ts"
import { useStreamLine } from "../shell/stream.ts"

/** How often the groups are read again without a stream; and with one, which does not tell that somebody muted one. */
const AGAIN_MS = 15_000
const SLOW_MS = 60_000
/** Rows of one answer. */
const PAGE = 200

export interface Groups {
  /** undefined until they are read. */
  readonly groups: readonly FailureGroup[] | undefined
  /** New ones that wait. */
  readonly fresh: number
  readonly fault: string | undefined
  /** When they were last read. */
  readonly read: number
  show(): void
  again(): void
  mark(group: FailureGroup, status: FailureGroup["status"]): Promise<FailureGroup>
}

interface Found {
  readonly rows: readonly FailureGroup[]
  readonly held: readonly FailureGroup[]
}

/** What the groups are narrowed to. */
export interface GroupsAsked {
  readonly flow: string
  readonly q: string
  /** Succeeded runs with a low score [V18]. */
  readonly isLow: boolean
}

export function useGroups(api: Api, isRehearsed: boolean, { flow, q, isLow }: GroupsAsked): Groups {
  const failures = useMemo(() => new Failures(api.transport), [api])
  const key = useMemo(() => ["failures", "groups", isRehearsed, flow, q, isLow] as const, [isRehearsed, flow, q, isLow])
  const line = useStreamLine()
  const { data, error, dataUpdatedAt, refetch } = useQuery(
    {
      queryKey: key,
      queryFn: async () => {
        const narrowed = { ...(flow === "" ? {} : { flow }), ...(q === "" ? {} : { q }), ...(isLow ? { low: 1 as const } : {}) }
        const rows = await failures.list({ rehearsed: isRehearsed ? 1 : 0, limit: PAGE, ...narrowed }).all()
        return merged(serverState.getQueryData<Found>(key), rows)
      },
      refetchInterval: line === "open" ? SLOW_MS : AGAIN_MS,
      refetchOnWindowFocus: true,
    },
    serverState,
  )
  const change = useCallback((to: (found: Found) => Found) => serverState.setQueryData<Found>(key, (last) => last && to(last)), [key])
  const mark = useCallback(
    async (group: FailureGroup, status: FailureGroup["status"]): Promise<FailureGroup> => {
      const marked = await failures.mark(group.key, status)
      // An answer that was on its way does not know of it.
      await serverState.cancelQueries({ queryKey: key })
      change((last) => ({ ...last, rows: last.rows.map((one) => (one.key === marked.key ? marked : one)) }))
      return marked
    },
    [failures, key, change],
  )
  return {
    groups: data?.rows,
    fresh: data?.held.length ?? 0,
    fault: error === null ? undefined : faultOf(error),
    read: dataUpdatedAt,
    show: useCallback(() => void change((last) => ({ rows: [...last.held, ...last.rows].toSorted(lastSeenFirst), held: [] })), [change]),
    again: useCallback(() => void refetch(), [refetch]),
    mark,
  }
}

function merged(last: Found | undefined, rows: readonly FailureGroup[]): Found {
  if (last === undefined || last.rows.length === 0) return { rows, held: [] }
  const now = new Map(rows.map((row) => [row.key, row]))
  const stay = last.rows.flatMap(({ key }) => now.get(key) ?? [])
  const known = new Set(stay.map(({ key }) => key))
  return { rows: stay, held: rows.filter(({ key }) => !known.has(key)) }
}

const lastSeenFirst = (a: FailureGroup, b: FailureGroup): number => Date.parse(b.last.at) - Date.parse(a.last.at)
