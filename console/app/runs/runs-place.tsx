// /console/runs: the list. /console/runs/failures: how they fail, /console/runs/failures/KEY one group of them. /console/runs/bulk: what was done
// with many at once, /console/runs/bulk/ID one of these. /console/runs/ID: one run; /console/runs/ID/compare/OTHER: two. Their pages come when
// they are asked for.

import type { PlaceProps } from "../shell/place-props.ts"
import { later } from "../parts/later.ts"

const RunsPage = later(async () => (await import("./runs-page.tsx")).RunsPage)
const RunPage = later(async () => (await import("../run/run-page.tsx")).RunPage)
const ComparePage = later(async () => (await import("../run/compare-page.tsx")).ComparePage)
const FailuresPage = later(async () => (await import("../failures/failures-page.tsx")).FailuresPage)
const BulkPage = later(async () => (await import("./bulk/bulk-page.tsx")).BulkPage)
const BulksPage = later(async () => (await import("./bulk/bulks-page.tsx")).BulksPage)

export function RunsPlace({ api, rest: [run, what, other] }: PlaceProps) {
  if (run === undefined) return <RunsPage api={api} />
  if (run === "failures") return <FailuresPage api={api} selected={what} />
  if (run === "bulk") return what === undefined ? <BulksPage api={api} /> : <BulkPage key={what} api={api} id={what} />
  if (what === "compare" && other !== undefined) return <ComparePage api={api} run={run} other={other} />
  return <RunPage key={run} api={api} run={run} />
}
