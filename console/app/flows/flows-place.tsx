// /console/flows: the list. /console/flows/NAME: one flow in its editor; NAME/overview: how its runs go. /console/flows/new?architect: one that is said.

import { useQuery } from "../shell/place.ts"
import type { PlaceProps } from "../shell/place-props.ts"
import { FlowsPage } from "./flows-page.tsx"
import { later } from "../parts/later.ts"

const FlowPage = later(async () => (await import("./flow-page.tsx")).FlowPage)
const FlowOverview = later(async () => (await import("../flow-overview/flow-overview.tsx")).FlowOverview)
const NewByArchitect = later(async () => (await import("../architect/new-by-architect.tsx")).NewByArchitect)

export function FlowsPlace({ api, rest: [flow, page] }: PlaceProps) {
  const isSaid = useQuery().has("architect")
  if (flow === "new" && isSaid) return <NewByArchitect api={api} />
  if (flow !== undefined && page === "overview") return <FlowOverview key={flow} api={api} flow={flow} />
  return flow === undefined ? <FlowsPage api={api} /> : <FlowPage key={flow} api={api} flow={flow} />
}
