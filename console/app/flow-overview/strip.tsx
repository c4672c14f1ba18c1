// Four numbers of a flow [S14], each with its bars through the range.

import type { FlowMeasures } from "../../../src/api/doc/overview.doc.ts"
import { percent } from "../../../web/overview/changes.ts"
import { costOf, endedIn, failedShare } from "../../../web/flow-overview/plots.ts"
import { classes } from "../parts/classes.ts"
import { duration, money } from "../parts/figures.ts"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import css from "./flow-overview.module.css"
import { runsOf } from "./runs-of.ts"
import { LittleBars } from "./little-bars.tsx"

export function Strip({ flow, measures: { data, total } }: { readonly flow: string; readonly measures: FlowMeasures }) {
  const share = failedShare(total)
  const cost = costOf(total)
  const numbers = [
    { label: "Runs", value: endedIn(total).toLocaleString("en-US"), href: runsOf(flow), values: data.map(endedIn), words: String },
    {
      label: "Failed",
      value: share === null ? "–" : `${percent(share)}%`,
      href: runsOf(flow, "&status=failed"),
      values: data.map(failedShare),
      words: (value: number) => `${percent(value)}%`,
    },
    {
      label: "Cost per run",
      value: cost === null ? "–" : money(cost),
      href: addressOf("settings", "usage"),
      values: data.map(costOf),
      words: money,
    },
    {
      label: "Time, p95",
      value: total.ms === null ? "–" : duration(total.ms.p95),
      href: runsOf(flow),
      values: data.map(({ ms }) => ms?.p95 ?? null),
      words: duration,
    },
  ]
  return (
    <div className={classes("panel", css.strip)} role="group" aria-label="Numbers of the flow">
      {numbers.map(({ label, value, href, values, words }) => (
        <Link key={label} href={href}>
          <span className="dim">{label}</span>
          <b>{value}</b>
          <LittleBars label={label} values={values} words={words} />
        </Link>
      ))}
    </div>
  )
}
