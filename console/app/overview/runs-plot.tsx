// Runs by hour or day and how they ended, with what is usual as a band, and the revisions that became live; below, how many were under way.

import { useMemo } from "react"
import type { Overview } from "../../../src/api/doc/overview.doc.ts"
import { runsPlotOf, underWayPlotOf } from "../../../web/overview/runs-plot.ts"
import type { PlotMark } from "../../../web/plot/plot.ts"
import { Plot } from "../parts/plot.tsx"
import css from "./overview.module.css"

interface Props {
  readonly overview: Pick<Overview, "data" | "each">
  readonly marks: readonly PlotMark[]
  readonly now: number
}

const HEIGHT = 190
const LOW = 64

export function RunsPlot({ overview, marks, now }: Props) {
  const plot = useMemo(() => runsPlotOf(overview, marks), [overview, marks])
  const underWay = useMemo(() => underWayPlotOf(overview, now), [overview, now])
  return (
    <section className={`panel ${css.plot}`}>
      <Plot title={`Runs by ${overview.each}`} note="local time" plot={plot} height={HEIGHT} />
      <Plot title="Runs under way" note={`at the end of each ${overview.each}`} plot={underWay} height={LOW} hasLegend={false} />
    </section>
  )
}
