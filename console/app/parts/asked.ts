// Asks the server. What came before stays until the next answer is there, and when there is none.

import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useCallback } from "react"
import { serverState, type ServerKey } from "../shell/server-state.ts"
import { useStreamLine } from "../shell/stream.ts"
import { faultOf } from "./fault.ts"

export interface Asked<T> {
  readonly value: T | undefined
  readonly fault: string | undefined
  /** What the fault's words are of. */
  readonly error: unknown
  /** When it was answered last. */
  readonly at: number
  readonly again: () => void
}

interface Live {
  /** How often it is asked without a stream; and with one, for what the stream does not tell. */
  readonly pollMs: number
  readonly slowMs: number
}

interface How {
  /** It is asked as long as it is shown. */
  readonly live?: Live
  /** What was answered before is not shown at the next visit: a form begins with what there is. */
  readonly isFresh?: boolean
}

/** What a run's page has read is much. */
const RUN_KEPT_MS = 30_000

/** The key names what is asked: it is asked when the key changes. */
export function useAsked<T>(key: ServerKey, ask: () => Promise<T>, { live, isFresh = false }: How = {}): Asked<T> {
  const line = useStreamLine()
  const { data, error, dataUpdatedAt, refetch } = useQuery(
    {
      queryKey: key,
      // A query may not answer nothing.
      queryFn: async () => ({ value: await ask() }),
      placeholderData: keepPreviousData,
      ...(isFresh ? { gcTime: 0 } : key[0] === "run" ? { gcTime: RUN_KEPT_MS } : {}),
      ...(live ? { refetchInterval: line === "open" ? live.slowMs : live.pollMs, refetchOnWindowFocus: true } : {}),
    },
    serverState,
  )
  return {
    value: data?.value,
    fault: error === null ? undefined : faultOf(error),
    error: error ?? undefined,
    at: dataUpdatedAt,
    again: useCallback(() => void refetch(), [refetch]),
  }
}

/** What this page knows to be otherwise, before the server is asked. */
export const changeAsked = <T>(key: ServerKey, to: (value: T) => T): unknown =>
  serverState.setQueryData<{ readonly value: T }>(key, (known) => known && { value: to(known.value) })
