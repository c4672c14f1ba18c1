// Where a flow and its tests are in the catalog, and the revision that is live.

import type { CatalogList } from "../../../src/api/doc/catalog.doc.ts"
import { useAsked } from "../parts/asked.ts"
import type { Api } from "../shell/session.ts"

export interface FlowFiles {
  readonly revision: number
  readonly path: string
  readonly files: CatalogList["data"]
}

/** `turn`: read again when it changes. */
export function useFlowFiles(
  api: Api,
  flow: string,
  turn: unknown,
): { readonly value: FlowFiles | undefined; readonly fault: string | undefined } {
  return useAsked(["once", "files of flow", flow, turn], async () => {
    const { revision, data } = await api.catalog.list()
    const own = data.find(({ kind, id, tier }) => kind === "flow" && id === flow && tier === "local")
    return { revision, path: own?.path ?? pathOf(flow), files: data }
  })
}

/** Where a flow is written that is not in the catalog yet. */
export const pathOf = (flow: string): string => `flows/${flow.replaceAll(":", "/")}.yaml`
export const testsPathOf = (flow: string): string => `flows/${flow.replaceAll(":", "/")}.test.yaml`
