// What was decided last, by whom and when: the server's list, and before it what this tab decided and the list does not have yet.

import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import type { FeedEvent } from "../../../src/api/doc/feed.doc.ts"
import type { Asked } from "../../../src/api/doc/run/interactions.doc.ts"
import type { Api } from "../shell/session.ts"
import { watch } from "../shell/watch.ts"
import { isSame, type Decided } from "./waiting.ts"

/** Of a page. */
const MAX_ROWS = 30
/** How often it is read without a stream, and with one. */
const LOOK_MS = 10_000
const SLOW_MS = 120_000

export interface AnsweredRows {
  /** undefined until it is read, unless this tab decided something. */
  readonly rows: readonly Decided[] | undefined
  /** Reads older ones; undefined: there are none. */
  readonly more: (() => void) | undefined
}

/** `next`: where the page of older ones begins; null: they are all here. */
interface Read {
  readonly rows: readonly Asked[]
  readonly next: string | null
}

export function useAnswered(api: Api, own: readonly Decided[]): AnsweredRows {
  const [read, setRead] = useState<Read>()
  const isReading = useRef(false)
  useEffect(() => {
    let isOver = false
    const look = async (): Promise<boolean> => {
      try {
        const { data, next_cursor } = await api.interactions.list({ status: "answered", limit: MAX_ROWS }).page()
        if (!isOver) setRead((before) => refreshed(before, data, next_cursor))
        return true
      } catch {
        // The list of what waits says that the server does not answer.
        return false
      }
    }
    const isNews = ({ type }: FeedEvent): boolean => type === "question.answered" || type === "run.deleted"
    const stop = watch(api, { look, isNews, pollMs: LOOK_MS, slowMs: () => SLOW_MS })
    return () => {
      isOver = true
      stop()
    }
  }, [api])
  const next = read?.next
  const more = useCallback((): void => {
    if (isReading.current || typeof next !== "string") return
    isReading.current = true
    void api.interactions
      .list({ status: "answered", limit: MAX_ROWS })
      .page(next)
      .then(
        ({ data, next_cursor }) => setRead((before) => ({ rows: merged(before?.rows ?? [], data), next: next_cursor })),
        // The button stays, to be pressed again.
        () => undefined,
      )
      .finally(() => (isReading.current = false))
  }, [api, next])
  const rows = useMemo(() => {
    if (read === undefined) return own.length === 0 ? undefined : own
    const known = read.rows.map((ask) => ({ ask, at: ask.decided === undefined ? undefined : Date.parse(ask.decided) }))
    return [...own.filter(({ ask }) => !read.rows.some((row) => isSame(row, ask))), ...known]
  }, [read, own])
  return { rows, more: typeof next === "string" ? more : undefined }
}

/** The newest page anew; what was read below it stays. */
function refreshed(before: Read | undefined, data: readonly Asked[], next: string | null): Read {
  if (before === undefined || next === null) return { rows: data, next }
  const last = data.at(-1)?.decided ?? ""
  const below = before.rows.filter(({ decided = "" }) => decided < last)
  if (below.length === 0) return { rows: data, next }
  const rows = merged(data, below)
  return JSON.stringify(rows) === JSON.stringify(before.rows) ? before : { rows, next: before.next }
}

const merged = (first: readonly Asked[], then: readonly Asked[]): readonly Asked[] => [
  ...first,
  ...then.filter((row) => !first.some((one) => isSame(one, row))),
]
