// Groups of failures [H14], read again while the page is looked at. A row changes where it stands; a group that is new waits until it is asked for.

import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import type { FailureGroup } from "../../../src/api/doc/insight.doc.ts"
import { Failures } from "../../../src/client/insight.ts"
import { faultOf } from "../parts/fault.ts"
import type { Api } from "../shell/session.ts"

/** How often the groups are read again. */
const AGAIN_MS = 15_000
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
  readonly about: boolean
  readonly rows: readonly FailureGroup[]
  readonly held: readonly FailureGroup[]
  readonly read: number
}

export function useGroups(api: Api, isRehearsed: boolean): Groups {
  const failures = useMemo(() => new Failures(api.transport), [api])
  const [found, setFound] = useState<Found>()
  const [fault, setFault] = useState<string>()
  const [turn, setTurn] = useState(0)
  /** An answer that began before a mark does not know of it. */
  const marks = useRef(0)
  useEffect(() => {
    let isOver = false
    const read = async (): Promise<void> => {
      const before = marks.current
      try {
        const rows = await failures.list({ rehearsed: isRehearsed ? 1 : 0, limit: PAGE }).all()
        if (isOver || before !== marks.current) return
        setFound((last) => merged(last?.about === isRehearsed ? last : undefined, rows, isRehearsed))
        setFault(undefined)
      } catch (error) {
        if (!isOver) setFault(faultOf(error))
      }
    }
    void read()
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void read()
    }, AGAIN_MS)
    return () => {
      isOver = true
      clearInterval(timer)
    }
  }, [failures, isRehearsed, turn])
  const show = useCallback(
    () => setFound((last) => last && { ...last, rows: [...last.held, ...last.rows].toSorted(lastSeenFirst), held: [] }),
    [],
  )
  const mark = useCallback(
    async (group: FailureGroup, status: FailureGroup["status"]): Promise<FailureGroup> => {
      const marked = await failures.mark(group.key, status)
      marks.current++
      setFound((last) => last && { ...last, rows: last.rows.map((one) => (one.key === marked.key ? marked : one)) })
      return marked
    },
    [failures],
  )
  const here = found?.about === isRehearsed ? found : undefined
  return {
    groups: here?.rows,
    fresh: here?.held.length ?? 0,
    fault,
    read: here?.read ?? 0,
    show,
    again: () => setTurn(turn + 1),
    mark,
  }
}

function merged(last: Found | undefined, rows: readonly FailureGroup[], about: boolean): Found {
  const read = Date.now()
  if (last === undefined || last.rows.length === 0) return { about, rows, held: [], read }
  const now = new Map(rows.map((row) => [row.key, row]))
  const stay = last.rows.flatMap(({ key }) => now.get(key) ?? [])
  const known = new Set(stay.map(({ key }) => key))
  return { about, rows: stay, held: rows.filter(({ key }) => !known.has(key)), read }
}

const lastSeenFirst = (a: FailureGroup, b: FailureGroup): number => Date.parse(b.last.at) - Date.parse(a.last.at)
