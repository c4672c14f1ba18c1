// Runs by hour or day and how they ended, with what is usual as a band, and the revisions that became live.

import { useMemo } from "react"
import type { Overview } from "../../../src/api/doc/overview.doc.ts"
import { runsPlotOf } from "../../../web/overview/runs-plot.ts"
import type { PlotMark } from "../../../web/plot/plot.ts"
import { Plot } from "../parts/plot.tsx"
import css from "./overview.module.css"

interface Props {
  readonly overview: Pick<Overview, "data" | "each">
  readonly marks: readonly PlotMark[]
}

const HEIGHT = 190

export function RunsPlot({ overview, marks }: Props) {
  const plot = useMemo(() => runsPlotOf(overview, marks), [overview, marks])
  return (
    <section className={`panel ${css.plot}`}>
      <Plot title={`Runs by ${overview.each}`} note="local time" plot={plot} height={HEIGHT} />
    </section>
  )
}
