// /console/runs: the list. /console/runs/ID: one run, whose page comes when it is asked for.

import { lazy } from "react"
import type { PlaceProps } from "../shell/place-props.ts"
import { RunsPage } from "./runs-page.tsx"

const RunPage = lazy(async () => ({ default: (await import("../run/run-page.tsx")).RunPage }))

export function RunsPlace({ api, rest: [run] }: PlaceProps) {
  return run === undefined ? <RunsPage api={api} /> : <RunPage key={run} api={api} run={run} />
}
