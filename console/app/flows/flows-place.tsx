// /console/flows: the list. /console/flows/NAME: one flow in its editor.

import { lazy } from "react"
import type { PlaceProps } from "../shell/place-props.ts"
import { FlowsPage } from "./flows-page.tsx"
import "./flows.css"

const FlowPage = lazy(async () => ({ default: (await import("./flow-page.tsx")).FlowPage }))

export function FlowsPlace({ api, rest: [flow] }: PlaceProps) {
  return flow === undefined ? <FlowsPage api={api} /> : <FlowPage key={flow} api={api} flow={flow} />
}
