// /console/runs: the list. /console/runs/failures: how they fail, /console/runs/failures/KEY one group of them. /console/runs/ID: one run;
// /console/runs/ID/compare/OTHER: two. Their pages come when they are asked for.

import { lazy } from "react"
import type { PlaceProps } from "../shell/place-props.ts"
import { RunsPage } from "./runs-page.tsx"

const RunPage = lazy(async () => ({ default: (await import("../run/run-page.tsx")).RunPage }))
const ComparePage = lazy(async () => ({ default: (await import("../run/compare-page.tsx")).ComparePage }))
const FailuresPage = lazy(async () => ({ default: (await import("../failures/failures-page.tsx")).FailuresPage }))

export function RunsPlace({ api, rest: [run, what, other] }: PlaceProps) {
  if (run === undefined) return <RunsPage api={api} />
  if (run === "failures") return <FailuresPage api={api} selected={what} />
  if (what === "compare" && other !== undefined) return <ComparePage api={api} run={run} other={other} />
  return <RunPage key={run} api={api} run={run} />
}
