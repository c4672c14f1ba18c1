// Shows what two runs have used, beside each other.

import type { Comparison } from "../../../../src/api/doc/trust.doc.ts"
import type { RunView } from "../../../../src/core/run/views/view.ts"
import { comparedUsage, unlikeUsage, type UsedSide } from "../../../../web/run/compared-usage.ts"
import { usd } from "../../parts/figures.ts"

interface Props {
  readonly a: RunView
  readonly b: RunView
  readonly found: Comparison
}

export function ComparedUsage({ a, b, found: { usage } }: Props) {
  const [one, two]: [UsedSide, UsedSide] = [
    { usage: usage.a, kept: a.inherited, rehearsed: a.rehearsed, isOver: a.ended !== undefined },
    { usage: usage.b, kept: b.inherited, rehearsed: b.rehearsed, isOver: b.ended !== undefined },
  ]
  const why = unlikeUsage(one, two)
  return (
    <section className="panel" aria-label="Usage">
      <div className="panel-head">
        <h2>Usage</h2>
        {why !== undefined && <span className="dim">{why}</span>}
      </div>
      <table className="tbl">
        <thead>
          <tr>
            <th scope="col">
              <span className="vh">What</span>
            </th>
            <th scope="col" className="num">
              A
            </th>
            <th scope="col" className="num">
              B
            </th>
            <th scope="col" className="num">
              B vs. A
            </th>
          </tr>
        </thead>
        <tbody>
          {comparedUsage(one, two, { usd, count: (amount) => amount.toLocaleString("en-US") }).map((row) => (
            <tr key={row.name}>
              <th scope="row">{row.name}</th>
              <td className="num">{row.a}</td>
              <td className="num">{row.b}</td>
              <td className="num">{row.change}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
