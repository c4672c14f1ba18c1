// The overview: is today normal, and what needs somebody. /console/overview, `?range=week` for seven days.

import { useEffect } from "react"
import { clockTime } from "../../../web/clock.ts"
import { Icon } from "../shell/icons.tsx"
import { useKeys } from "../shell/keys.ts"
import { Skeleton } from "../parts/skeleton.tsx"
import { useNow } from "../parts/use-now.ts"
import { Link } from "../shell/link.tsx"
import { addressOf, go, goQuery, useQuery } from "../shell/place.ts"
import type { PlaceProps } from "../shell/place-props.ts"
import { titled } from "../shell/title.ts"
import { holdForDialog } from "../shell/typed-ahead.ts"
import { NoRuns } from "./no-runs.tsx"
import { HREFS, OverviewBody } from "./overview-body.tsx"
import { NUMBERS } from "../../../web/overview/verdict.ts"
import { useOverview, type Range, type Seen } from "./use-overview.ts"

export function OverviewPage({ api }: PlaceProps) {
  const range: Range = useQuery().get("range") === "week" ? "week" : "day"
  const { value: seen, fault, again } = useOverview(api, range)
  const now = useNow(60_000)
  useEffect(() => titled("Overview"), [])
  useKeys("list", {
    new() {
      holdForDialog()
      go(newRun())
    },
  })
  useKeys("overview", {
    nth(event) {
      const name = NUMBERS[Number(event.key) - 1]?.name
      if (name) go(HREFS[name])
    },
    week: () => goQuery({ range: range === "week" ? undefined : "week" }),
  })
  return (
    <main id="main" className="page" aria-busy={(seen === undefined && fault === undefined) || undefined}>
      <div className="page-head">
        <h1 tabIndex={-1}>Overview</h1>
        <span className="dim">
          {new Date(now).toLocaleDateString("en-US", { weekday: "long", month: "long", day: "numeric" })}, {clockTime(now)}
        </span>
        <span className="grow" />
        <nav className="bar" aria-label="Range">
          {RANGES.map(([name, label]) => (
            <Link
              key={name}
              className="chip"
              href={`${addressOf("overview")}${name === "week" ? "?range=week" : ""}`}
              aria-current={name === range ? "true" : undefined}
            >
              {label}
            </Link>
          ))}
        </nav>
        <Link className="btn first" href={newRun()}>
          <Icon name="plus" />
          New run <kbd>N</kbd>
        </Link>
      </div>
      {fault !== undefined && (
        <div className="note failed" role="alert">
          <Icon name="failed" kind="i-s" />
          <span>Today’s numbers could not be read. Runs go on; this page only counts them. {fault}</span>
          <button className="btn" type="button" onClick={again}>
            Try again
          </button>
        </div>
      )}
      {seen === undefined && fault === undefined && <Skeleton words="Reading the overview" />}
      {seen && (isEmpty(seen) ? <NoRuns /> : <OverviewBody seen={seen} now={now} />)}
    </main>
  )
}

const RANGES = [
  ["day", "Today"],
  ["week", "7 days"],
] as const satisfies readonly (readonly [Range, string])[]

const newRun = (): string => `${addressOf("runs")}?new=1`

/** Nothing ran in the range, or in the same hours of any week before it, and nobody is asked. */
function isEmpty({ overview: { total, numbers }, plotted, asks }: Seen): boolean {
  const isQuiet = ({ began, runs }: Seen["overview"]["total"]): boolean => began + runs.succeeded + runs.failed + runs.canceled === 0
  const isKnown = Object.values(numbers ?? {}).some(({ usual }) => usual !== null)
  return isQuiet(total) && isQuiet(plotted.total) && !isKnown && asks.length === 0
}
