// Which flows there are to talk to, and what the chosen one says of itself.

import { useAsked } from "../parts/asked.ts"
import type { Api } from "../shell/session.ts"

interface Flows {
  /** Ids; undefined until they are read. */
  readonly flows: readonly string[] | undefined
  readonly fault: string | undefined
  readonly about: string
}

export function useFlows(api: Api, flow: string | undefined): Flows {
  const flows = useAsked(["catalog", "models"], async () => {
    const { data } = await api.transport.json<{ readonly data: readonly { readonly id: string }[] }>("GET", "/v1/models")
    return data.map(({ id }) => id).sort()
  })
  const about = useAsked(["catalog", "card", flow], async () => ({ flow, text: flow === undefined ? "" : await aboutOf(api, flow) }))
  // Until the answer is there, the one before is of another flow.
  return { flows: flows.value, fault: flows.fault, about: about.value?.flow === flow ? (about.value?.text ?? "") : "" }
}

/** A flow that does not load has no card; it says why when it is written to. */
const aboutOf = async (api: Api, flow: string): Promise<string> =>
  api.transport.json<{ readonly description?: string }>("GET", `/a2a/${encodeURIComponent(flow)}/.well-known/agent-card.json`).then(
    ({ description }) => description ?? "",
    () => "",
  )
