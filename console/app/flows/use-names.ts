// Names that the editor of a flow offers: agents with what they take and give, and flows.

import { useMemo } from "react"
import type { CatalogFile } from "../../../src/api/doc/catalog.doc.ts"
import type { Names } from "../../../web/flow/complete.ts"
import { useAsked } from "../parts/asked.ts"
import type { Api } from "../shell/session.ts"

export function useNames(api: Api, files: readonly CatalogFile[] | undefined): Names {
  const { value: agents } = useAsked(["catalog", "used", "agent", "names"], () => api.catalog.used("agent").all())
  return useMemo(
    () => ({
      agents: new Map(
        (agents ?? []).map(({ id, description, inputs = [], outputs = [] }) => [id, { description, inputs, outputs }] as const),
      ),
      flows: (files ?? []).flatMap(({ kind, id }) => (kind === "flow" ? [id] : [])),
    }),
    [agents, files],
  )
}
