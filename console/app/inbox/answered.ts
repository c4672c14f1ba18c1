// What was decided last, by whom and when: the server's list, and before it what this tab decided and the list does not have yet.

import { useMemo, useRef } from "react"
import type { Asked } from "../../../src/api/doc/run/interactions.doc.ts"
import { changeAsked, useAsked } from "../parts/asked.ts"
import { serverState } from "../shell/server-state.ts"
import type { Api } from "../shell/session.ts"
import { isSame, type Decided } from "./asks.ts"

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

const KEY = ["answered", "list"] as const

export function useAnswered(api: Api, own: readonly Decided[]): AnsweredRows {
  const list = (cursor?: string) => api.interactions.list({ status: "answered", limit: MAX_ROWS }).page(cursor)
  // The list of what waits says that the server does not answer.
  const { value: read } = useAsked<Read>(
    KEY,
    async () => {
      const { data, next_cursor } = await list()
      return refreshed(serverState.getQueryData<{ readonly value: Read }>(KEY)?.value, data, next_cursor)
    },
    { live: { pollMs: LOOK_MS, slowMs: SLOW_MS } },
  )
  const isReading = useRef(false)
  const next = read?.next
  const more = (): void => {
    if (isReading.current || typeof next !== "string") return
    isReading.current = true
    void list(next)
      .then(
        ({ data, next_cursor }) => void changeAsked<Read>(KEY, ({ rows }) => ({ rows: merged(rows, data), next: next_cursor })),
        // The button stays, to be pressed again.
        () => undefined,
      )
      .finally(() => (isReading.current = false))
  }
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
  return { rows: merged(data, below), next: before.next }
}

const merged = (first: readonly Asked[], then: readonly Asked[]): readonly Asked[] => [
  ...first,
  ...then.filter((row) => !first.some((one) => isSame(one, row))),
]
