// Says what the series of a plot are.

import type { Plot as PlotData } from "../../../web/plot/plot.ts"
import { classes } from "./classes.ts"
import css from "./plot.module.css"

export function PlotLegend({ plot: { series, usual, forecast } }: { readonly plot: PlotData }) {
  return (
    <ul className={css.legend} aria-hidden="true">
      {series.map(({ label, look, as }) => (
        <li key={label}>
          <i className={classes(css.key, as === "line" && css.line, css[look])} />
          <span className="cut">{label}</span>
        </li>
      ))}
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
