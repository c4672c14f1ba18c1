// Says what the series of a plot are.

import type { Plot as PlotData, PlotSeries } from "../../../web/plot/plot.ts"
import { classes } from "./classes.ts"
import css from "./plot.module.css"

/** Its bar is drawn pale in a slice that is not over. */
const isPale = ({ as, look }: PlotSeries): boolean => as === "bar" && look !== "bad" && look !== "asks" && look !== "open"

export function PlotLegend({ plot: { series, usual, forecast, slices, each } }: { readonly plot: PlotData }) {
  return (
    <ul className={css.legend} aria-hidden="true">
      {series.map(({ label, look, as }) => (
        <li key={label}>
          <i className={classes(css.key, as === "line" && css.line, css[look])} />
          <span className="cut">{label}</span>
        </li>
      ))}
      {slices.some(({ isPartial }, i) => isPartial && series.some((one) => isPale(one) && (one.values[i] ?? 0) > 0)) && (
        <li>
          <i className={classes(css.key, css.good, css.pale)} />
          this {each}, not over
        </li>
      )}
      {usual?.some((one) => one !== null) === true && (
        <li>
          <i className={classes(css.key, css.usual)} />
          usual
        </li>
      )}
      {forecast?.some((one) => one !== null) === true && (
        <li>
          <i className={classes(css.key, css.line, css.now, css.dotted)} />
          forecast
        </li>
      )}
    </ul>
  )
}
