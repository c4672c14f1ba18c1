// The catalog's history, newest first, as far as the reader has asked for it, and what of it touches a flow.

import { useInfiniteQuery } from "@tanstack/react-query"
import type { Revision } from "../../../src/api/doc/catalog.doc.ts"
import { ownOf, touching, type Touch } from "../../../web/flow/revision-words.ts"
import { useAsked } from "../parts/asked.ts"
import { faultOf } from "../parts/fault.ts"
import { serverState } from "../shell/server-state.ts"
import type { Api } from "../shell/session.ts"

const AT_ONCE = 50

export interface History {
  readonly rows: readonly Revision[] | undefined
  readonly fault: string | undefined
  /** Reads the next ones; undefined: there are none. */
  readonly more: (() => void) | undefined
}

export function useHistory(api: Api): History {
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery(
    {
      queryKey: ["catalog", "history"],
      queryFn: ({ pageParam }) => api.catalog.history(AT_ONCE).page(pageParam),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    },
    serverState,
  )
  return {
    rows: data?.pages.flatMap((page) => page.data),
    fault: error === null ? undefined : faultOf(error),
    more: hasNextPage ? () => void fetchNextPage() : undefined,
  }
}

export interface FlowHistory extends History {
  readonly mine: readonly Revision[] | undefined
  readonly own: Touch
  readonly touches: Touch
}

/** One telling for the count in the tab and for the rows below it. */
export function useFlowHistory(api: Api, flow: string, path: string): FlowHistory {
  const history = useHistory(api)
  const graph = useAsked(["catalog", "graph", flow], () => api.flows.graph(flow).catch(() => null))
  const own = ownOf(flow, path)
  const touches = touching(own, graph.value ?? undefined)
  const isKnown = graph.value !== undefined
  return {
    ...history,
    mine: isKnown ? history.rows?.filter(({ changes }) => changes.some((change) => touches(change.path))) : undefined,
    own,
    touches,
  }
}
