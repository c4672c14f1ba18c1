// The table behind a plot: every number of it.

import { sliceTitle } from "../../../web/plot/axis.ts"
import type { Plot as PlotData } from "../../../web/plot/plot.ts"

export function PlotTable({
  title,
  plot: { slices, each, series, words, usual, forecast },
}: {
  readonly title: string
  readonly plot: PlotData
}) {
  return (
    <table className="tbl">
      <caption className="vh">{title}</caption>
      <thead>
        <tr>
          <th scope="col">{each === "hour" ? "Hour" : "Day"}</th>
          {series.map(({ label }) => (
            <th key={label} scope="col" className="num">
              {label}
            </th>
          ))}
          {usual && (
            <th scope="col" className="num">
              Usual
            </th>
          )}
          {forecast && (
            <th scope="col" className="num">
              Forecast
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {slices.map((slice, i) => (
          <tr key={slice.from}>
            <th scope="row">{sliceTitle(slice, each)}</th>
            {series.map(({ label, values }) => (
              <td key={label} className="num">
                {shown(values[i], words)}
              </td>
            ))}
            {usual && <td className="num">{range(usual[i], words)}</td>}
            {forecast && <td className="num">{shown(forecast[i], words)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const shown = (value: number | null | undefined, words: PlotData["words"]): string =>
  value === null || value === undefined ? "–" : words(value)
const range = (of: readonly [number, number] | null | undefined, words: PlotData["words"]): string =>
  of ? `${words(of[0])}–${words(of[1])}` : "–"
