// How many tests and revisions a flow has, for the names of their tabs. A count that cannot be read is left out: its pane says why.

import { useFlowHistory } from "../flow-revisions/use-history.ts"
import { useAsked } from "../parts/asked.ts"
import type { Api } from "../shell/session.ts"

interface Of {
  readonly flow: string
  readonly path: string
  readonly turn: number
}

/** By the tab's name. */
export function useTabCounts(api: Api, { flow, path, turn }: Of): Readonly<Record<string, string | undefined>> {
  const cases = useAsked(["catalog", "count of cases", flow, turn], async () => (await api.flows.cases(flow)).cases.length)
  const { mine, more } = useFlowHistory(api, flow, path)
  return {
    tests: cases.value === undefined ? undefined : String(cases.value),
    revisions: mine === undefined ? undefined : `${mine.length}${more === undefined ? "" : "+"}`,
  }
}
