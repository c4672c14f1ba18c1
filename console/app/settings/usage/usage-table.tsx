// The sums that the plot shows, by day or by name, with all of them in the foot.

import type { Usage } from "../../../../src/api/doc/insight.doc.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { tokens, usd } from "../../parts/figures.ts"
import { dayName, totalOf, type Measure, type Named, type Sum } from "./usage-days.ts"

/** Rows at once; the file has them all. */
export const MAX_ROWS = 400

interface Wish {
  readonly label: string
  readonly rows: readonly Named[]
  readonly usage: Usage
  readonly measure: Measure
}

export function UsageTable({ label, rows, usage: { total, by, complete }, measure }: Wish) {
  const highest = Math.max(0, ...rows.map((row) => totalOf(measure, row)))
  return (
    <div className="panel utab" tabIndex={0} role="region" aria-label={`Usage by ${label.toLowerCase()}`}>
      <table className="tbl">
        <thead>
          <tr>
            <th scope="col">{label}</th>
            <th scope="col" className="c-b">
              {measure.label}
            </th>
            <th scope="col" className="num">
              Runs
            </th>
            <th scope="col" className="num c-o">
              Failed
            </th>
            <th scope="col" className="num c-t">
              Input
            </th>
            <th scope="col" className="num c-t">
              From cache
            </th>
            <th scope="col" className="num c-t">
              Output
            </th>
            <th scope="col" className="num c-o">
              Calls
            </th>
            <th scope="col" className="num">
              USD
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MAX_ROWS).map((row) => (
            <tr key={row.key}>
              <th scope="row">{by === "day" ? dayName(row.key) : visible(row.key)}</th>
              <td className="c-b">
                <Bar measure={measure} sum={row} highest={highest} />
              </td>
              <Numbers sum={row} />
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">All runs</th>
            <td className="c-b" />
            <Numbers sum={total} />
          </tr>
        </tfoot>
      </table>
      {(!complete || rows.length > MAX_ROWS) && (
        <p className="mid small sabout">Not every name is here: the first {Math.min(rows.length, MAX_ROWS).toLocaleString()}.</p>
      )}
    </div>
  )
}

function Numbers({ sum }: { readonly sum: Sum }) {
  return (
    <>
      <td className="num">{sum.runs.toLocaleString()}</td>
      <td className="num c-o">{sum.failed.toLocaleString()}</td>
      <td className="num c-t">{tokens(sum.input)}</td>
      <td className="num c-t">{tokens(sum.cached)}</td>
      <td className="num c-t">{tokens(sum.output)}</td>
      <td className="num c-o">{(sum.model_calls + sum.tool_calls).toLocaleString()}</td>
      <td className="num">{usd(sum.usd)}</td>
    </>
  )
}

function Bar({ measure: { parts }, sum, highest }: { readonly measure: Measure; readonly sum: Named; readonly highest: number }) {
  let before = 0
  return (
    <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      {parts.map(({ label, of }, i) => {
        const width = highest === 0 ? 0 : (of(sum) / highest) * 100
        const x = before
        before += width
        return width > 0 && <rect key={label} className={`p${i + 1}`} x={x} y="0" width={width} height="10" />
      })}
    </svg>
  )
}
