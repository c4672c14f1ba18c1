// The sums that the plot shows, by day or by name, with all of them in the foot.

import { visible } from "../../../../web/chat/wording.ts"
import { tokens, usd } from "../../parts/figures.ts"
import { dayName, tookOf, totalOf, type Measure, type NamedUsage, type Sum } from "./usage-days.ts"
import { isUse, type NamedSums } from "./use-usage.ts"
import { classes } from "../../parts/classes.ts"
import css from "./usage.module.css"
import settingsCss from "../settings.module.css"

/** Rows at once; the file has them all. */
export const MAX_ROWS = 400

interface Props {
  readonly label: string
  readonly rows: readonly NamedUsage[]
  readonly usage: NamedSums
  readonly measure: Measure
  /** The flows of the plot, whose bars have their colors here too. */
  readonly stack?: Measure | undefined
}

export function UsageTable({ label, rows, usage: { total, by, complete }, measure, stack }: Props) {
  const highest = Math.max(0, ...rows.map((row) => totalOf(measure, row)))
  return (
    <div className={classes("panel", css.utab)} tabIndex={0} role="region" aria-label={`Usage by ${label.toLowerCase()}`}>
      <table className="tbl">
        <thead>
          <tr>
            <th scope="col">{label}</th>
            <th scope="col" className={css.cB}>
              {measure.label}
            </th>
            <th scope="col" className="num">
              Runs
            </th>
            <th scope="col" className={classes("num", css.cO)}>
              Failed
            </th>
            <th scope="col" className={classes("num", css.cT)}>
              Input
            </th>
            <th scope="col" className={classes("num", css.cT)}>
              From cache
            </th>
            <th scope="col" className={classes("num", css.cT)}>
              Output
            </th>
            <th scope="col" className={classes("num", css.cT)}>
              Asked
            </th>
            <th scope="col" className={classes("num", css.cT)}>
              Answered in
            </th>
            <th scope="col" className={classes("num", css.cO)}>
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
              <td className={css.cB}>
                <Bar parts={stack === undefined ? partsOf(measure, row) : [stackedPart(stack, measure, row)]} highest={highest} />
              </td>
              <Numbers sum={row} isUse={isUse(by)} />
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">All runs</th>
            <td className={css.cB} />
            <Numbers sum={total} />
          </tr>
        </tfoot>
      </table>
      {(!complete || rows.length > MAX_ROWS) && (
        <p className={classes("mid small", settingsCss.sabout)}>
          This list is not complete: the first {Math.min(rows.length, MAX_ROWS).toLocaleString()}.
        </p>
      )}
    </div>
  )
}

/** `isUse`: of an API key or a tag there are no more than ends, tokens and dollars. */
function Numbers({ sum, isUse: isFew = false }: { readonly sum: Sum; readonly isUse?: boolean }) {
  return (
    <>
      <td className="num">{sum.runs.toLocaleString()}</td>
      <td className={classes("num", css.cO)}>{sum.failed.toLocaleString()}</td>
      <td className={classes("num", css.cT)}>{tokens(sum.input)}</td>
      <td className={classes("num", css.cT)}>{isFew ? "–" : tokens(sum.cached)}</td>
      <td className={classes("num", css.cT)}>{tokens(sum.output)}</td>
      <td className={classes("num", css.cT)}>{isFew ? "–" : (sum.questions + sum.approvals).toLocaleString()}</td>
      <td className={classes("num", css.cT)}>{isFew ? "–" : tookOf(sum)}</td>
      <td className={classes("num", css.cO)}>{isFew ? "–" : (sum.model_calls + sum.tool_calls).toLocaleString()}</td>
      <td className="num">{usd(sum.usd)}</td>
    </>
  )
}

interface Part {
  readonly place: number
  readonly value: number
}

const partsOf = ({ parts }: Measure, row: NamedUsage): Part[] => parts.map(({ of }, i) => ({ place: i + 1, value: of(row) }))

/** A flow without a part of its own in the plot is one of its last, the others. */
function stackedPart({ parts }: Measure, measure: Measure, row: NamedUsage): Part {
  const at = parts.findIndex(({ label }) => label === visible(row.key))
  return { place: at === -1 ? parts.length : at + 1, value: totalOf(measure, row) }
}

function Bar({ parts, highest }: { readonly parts: readonly Part[]; readonly highest: number }) {
  let before = 0
  return (
    <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      {parts.map(({ place, value }) => {
        const width = highest === 0 ? 0 : (value / highest) * 100
        const x = before
        before += width
        return width > 0 && <rect key={place} className={css[`p${place}`]} x={x} y="0" width={width} height="10" />
      })}
    </svg>
  )
}
