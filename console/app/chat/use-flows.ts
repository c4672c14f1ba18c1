// Which flows there are to talk to, and what the chosen one says of itself.

import type { Choice } from "../parts/choice.ts"
import { useAsked } from "../parts/asked.ts"
import type { Api } from "../shell/session.ts"

interface Flows {
  /** Those of the tenant's own first; undefined until they are read. */
  readonly flows: readonly Choice[] | undefined
  readonly fault: string | undefined
  readonly about: string
}

export function useFlows(api: Api, flow: string | undefined): Flows {
  const flows = useAsked(["catalog", "models"], async () => {
    const [{ data }, builtIn] = await Promise.all([
      api.transport.json<{ readonly data: readonly { readonly id: string }[] }>("GET", "/v1/models"),
      builtInFlows(api),
    ])
    const offered = data.map(({ id }) => id).filter((id) => !builtIn.includes(id))
    return [...offered.sort().map((value) => ({ value })), ...builtIn.map((value) => ({ value, note: "built-in" }))]
  })
  const about = useAsked(["catalog", "card", flow], async () => ({ flow, text: flow === undefined ? "" : await aboutOf(api, flow) }))
  // Until the answer is there, the one before is of another flow.
  return { flows: flows.value, fault: flows.fault, about: about.value?.flow === flow ? (about.value?.text ?? "") : "" }
}

/** The protocols offer them only to a tenant without a flow of its own; who has talked to one here still finds it. A guest of a chat reads no catalog. */
async function builtInFlows(api: Api): Promise<readonly string[]> {
  if (!api.who.scopes.includes("catalog:read")) return []
  const { data } = await api.catalog.list()
  return data
    .filter(({ kind, tier }) => kind === "flow" && tier === "built-in")
    .map(({ id }) => id)
    .sort()
}

/** A flow that does not load has no card; it says why when it is written to. */
const aboutOf = async (api: Api, flow: string): Promise<string> =>
  api.transport.json<{ readonly description?: string }>("GET", `/a2a/${encodeURIComponent(flow)}/.well-known/agent-card.json`).then(
    ({ description }) => description ?? "",
    () => "",
  )
