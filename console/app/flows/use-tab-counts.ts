// How many tests and revisions a flow has, for the names of their tabs. A count that cannot be read is left out: its pane says why.

import type { GraphView } from "../../../src/core/flow/check/graph-view.ts"
import { useAsked } from "../parts/asked.ts"
import type { Api } from "../shell/session.ts"
import { ownOf, touching } from "../flow-revisions/revision-rows.ts"

/** Revisions that are read for the count, as many as the pane reads at first. */
const READ = 50

/** By the tab's name. */
export function useTabCounts(
  api: Api,
  {
    flow,
    path,
    turn,
    graph,
  }: { readonly flow: string; readonly path: string; readonly turn: number; readonly graph: GraphView | undefined },
): Readonly<Record<string, string | undefined>> {
  const cases = useAsked(["catalog", "count of cases", flow, turn], async () => (await api.flows.cases(flow)).cases.length)
  const history = useAsked(["catalog", "newest revisions", flow, turn], () => api.catalog.history(READ).page())
  const touches = touching(ownOf(flow, path), graph)
  const found = history.value?.data.filter(({ changes }) => changes.some((change) => touches(change.path))).length
  return {
    tests: cases.value === undefined ? undefined : String(cases.value),
    revisions: found === undefined ? undefined : `${found}${history.value?.next_cursor === null ? "" : "+"}`,
  }
}
