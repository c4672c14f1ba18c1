// /console/flows: the list. /console/flows/NAME: one flow in its editor; NAME/overview: how its runs go. /console/flows/new?architect: one that is said.

import { lazy } from "react"
import { useQuery } from "../shell/place.ts"
import type { PlaceProps } from "../shell/place-props.ts"
import { FlowsPage } from "./flows-page.tsx"

const FlowPage = lazy(async () => ({ default: (await import("./flow-page.tsx")).FlowPage }))
const FlowOverview = lazy(async () => ({ default: (await import("../flow-overview/flow-overview.tsx")).FlowOverview }))
const NewByArchitect = lazy(async () => ({ default: (await import("../architect/new-by-architect.tsx")).NewByArchitect }))

export function FlowsPlace({ api, rest: [flow, page] }: PlaceProps) {
  const isSaid = useQuery().has("architect")
  if (flow === "new" && isSaid) return <NewByArchitect api={api} />
  if (flow !== undefined && page === "overview") return <FlowOverview key={flow} api={api} flow={flow} />
  return flow === undefined ? <FlowsPage api={api} /> : <FlowPage key={flow} api={api} flow={flow} />
}
