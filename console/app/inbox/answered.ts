// What was decided last, by whom and when: the server's list, and before it what this tab decided and the list does not have yet.

import { useEffect, useMemo, useState } from "react"
import type { FeedEvent } from "../../../src/api/doc/feed.doc.ts"
import type { Asked } from "../../../src/api/doc/interactions.doc.ts"
import type { Api } from "../shell/session.ts"
import { watch } from "../shell/watch.ts"
import { isSame, type Decided } from "./waiting.ts"

const MAX_ROWS = 30
/** How often it is read without a stream, and with one. */
const LOOK_MS = 10_000
const SLOW_MS = 120_000

/** undefined until it is read, unless this tab decided something. */
export function useAnswered(api: Api, own: readonly Decided[]): readonly Decided[] | undefined {
  const [rows, setRows] = useState<readonly Asked[]>()
  useEffect(() => {
    let isOver = false
    const look = async (): Promise<boolean> => {
      try {
        const { data } = await api.interactions.list({ status: "answered", limit: MAX_ROWS }).page()
        if (!isOver) setRows((before) => (JSON.stringify(before) === JSON.stringify(data) ? before : data))
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
  return useMemo(() => {
    if (rows === undefined) return own.length === 0 ? undefined : own
    const known = rows.map((ask) => ({ ask, at: ask.decided === undefined ? undefined : Date.parse(ask.decided) }))
    return [...own.filter(({ ask }) => !rows.some((row) => isSame(row, ask))), ...known].slice(0, MAX_ROWS)
  }, [rows, own])
}
