// What was used, day by day or hour by hour, as stacked bars with the day's budget and what the day comes to.

import { useMemo, type ReactNode } from "react"
import type { Plot as PlotData, PlotLook } from "../../../../web/plot/plot.ts"
import { Plot } from "../../parts/plot.tsx"
import { totalOf, type Measure, type Slots } from "./usage-days.ts"
import css from "./usage.module.css"

interface Props {
  readonly slots: Slots
  readonly measure: Measure
  /** The daily limit, in what is plotted. */
  readonly limit?: number | undefined
  /** What today comes to. */
  readonly forecast?: number | undefined
  readonly children?: ReactNode
}

const HEIGHT = 180
const LOOKS: readonly PlotLook[] = ["p1", "p2", "p3", "p4", "p5"]

export function UsagePlot({ slots, measure, limit, forecast, children }: Props) {
  const plot = useMemo(() => plotOf(slots, measure, limit, forecast), [slots, measure, limit, forecast])
  const isDay = slots.each === "day"
  return (
    <section className={`panel ${css.plot}`}>
      <Plot title={`${measure.label} per ${slots.each}`} note={isDay ? "days in UTC" : "local time"} plot={plot} height={HEIGHT}>
        {children}
      </Plot>
    </section>
  )
}

function plotOf({ each, slices, rows }: Slots, measure: Measure, limit: number | undefined, forecast: number | undefined): PlotData {
  const last = slices.length - 1
  return {
    each,
    kind: measure.name === "usd" ? "amount" : "count",
    words: measure.words,
    slices,
    series: measure.parts.map(({ label, of }, i) => ({
      label,
      look: look(measure, label, i),
      as: "bar",
      values: rows.map((row) => of(row)),
    })),
    ...(limit === undefined || each === "hour" ? {} : { limit: { value: limit, label: `daily budget ${measure.words(limit)}` } }),
    ...(forecast === undefined || each === "hour"
      ? {}
      : { forecast: rows.map((row, i) => (i === last ? Math.max(forecast, totalOf(measure, row)) : null)) }),
  }
}

const look = ({ parts }: Measure, label: string, i: number): PlotLook =>
  /failed/i.test(label) ? "bad" : (LOOKS[parts.length === 1 ? 0 : Math.min(i, LOOKS.length - 1)] ?? "p5")
