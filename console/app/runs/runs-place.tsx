// /console/runs: the list. /console/runs/ID: one run; /console/runs/ID/compare/OTHER: two. Their pages come when they are asked for.

import { lazy } from "react"
import type { PlaceProps } from "../shell/place-props.ts"
import { RunsPage } from "./runs-page.tsx"

const RunPage = lazy(async () => ({ default: (await import("../run/run-page.tsx")).RunPage }))
const ComparePage = lazy(async () => ({ default: (await import("../run/compare-page.tsx")).ComparePage }))

export function RunsPlace({ api, rest: [run, what, other] }: PlaceProps) {
  if (run === undefined) return <RunsPage api={api} />
  if (what === "compare" && other !== undefined) return <ComparePage api={api} run={run} other={other} />
  return <RunPage key={run} api={api} run={run} />
}
