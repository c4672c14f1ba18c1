// Did the last revision make it worse: one sentence, three plots with the revisions on them, and a row for each.

import { useMemo } from "react"
import { percent } from "../../../web/overview/changes.ts"
import { compared } from "../../../web/flow-overview/compared.ts"
import { flowPlots } from "../../../web/flow-overview/plots.ts"
import type { PlotMark } from "../../../web/plot/plot.ts"
import { classes } from "../parts/classes.ts"
import { duration, fullTime, money, usd } from "../parts/figures.ts"
import { Plot } from "../parts/plot.tsx"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import type { RevisionSeen } from "./revisions.ts"
import css from "./flow-overview.module.css"
import { MeanScores } from "./mean-scores.tsx"
import { TimeCells, TimeHeads } from "./time-cells.tsx"
import type { FlowSeen } from "./use-flow-overview.ts"

interface Props {
  readonly seen: FlowSeen
  readonly revisions: readonly RevisionSeen[]
  readonly marks: readonly PlotMark[]
}

const HEIGHT = 104

export function ByRevision({ seen: { measures }, revisions, marks }: Props) {
  const { data, each } = measures
  const plots = useMemo(() => flowPlots(data, each, marks, { time: duration, money }), [data, each, marks])
  const [newest, before] = revisions.filter(({ ended }, i) => i === 0 || ended > 0)
  const said = newest && before ? compared(nameOf(newest), newest, nameOf(before), before) : undefined
  const isScored = revisions.some(({ scores }) => scores.length > 0)
  return (
    <section className="panel" aria-labelledby="by-revision">
      <div className={css.head}>
        <h2 id="by-revision">By revision</h2>
        {said && <span className={said.isWorse ? css.worse : "mid"}>{said.words}</span>}
      </div>
      <div className={css.plots}>
        <Plot title="Time" note="p50 and p95, local time" plot={plots.time} height={HEIGHT} level={3} />
        <Plot title="Cost per run" note="USD" plot={plots.cost} height={HEIGHT} level={3} hasLegend={false} />
        <Plot title="Failed" note="% of runs" plot={plots.failed} height={HEIGHT} level={3} hasLegend={false} />
      </div>
      <div className={css.scroll} tabIndex={0} role="region" aria-label="Runs by revision">
        <table className="tbl">
          <thead>
            <tr>
              <th scope="col">Revision</th>
              <th scope="col" className={css.wide}>
                What
              </th>
              <th scope="col" className="num">
                Runs
              </th>
              <TimeHeads />
              <th scope="col" className="num">
                USD
              </th>
              <th scope="col" className="num">
                Failed, %
              </th>
              {isScored && <th scope="col">Mean scores</th>}
            </tr>
          </thead>
          <tbody>
            {revisions.map((row, i) => (
              <tr key={row.revision ?? "older"} className={i === 0 ? css.live : undefined}>
                <th scope="row">
                  {row.revision === undefined ? (
                    "older"
                  ) : (
                    <Link className="link" href={row.href}>
                      r{row.revision}
                    </Link>
                  )}{" "}
                  {i === 0 && row.revision !== undefined && <span className="tag">live</span>}{" "}
                  {row.at !== undefined && (
                    <span className="dim nowrap" title={fullTime(row.at)}>
                      {new Date(row.at).toLocaleDateString("en-US", { month: "short", day: "numeric" })}
                    </span>
                  )}
                </th>
                <td className={classes("cut", css.wide)}>{row.what}</td>
                <td className="num">{row.ended.toLocaleString("en-US")}</td>
                <TimeCells {...row} />
                <td className="num">{usd(row.usd)}</td>
                <td className={classes("num", i === 0 && said?.isWorse === true && css.worse)}>
                  <span className={css.share}>
                    {i === 0 && said?.isWorse === true && <Icon name="warn" kind="i-s" />}
                    {row.share === null ? "–" : percent(row.share)}
                  </span>
                </td>
                {isScored && (
                  <td>
                    <MeanScores scores={row.scores} />
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

const nameOf = ({ revision }: RevisionSeen): string => (revision === undefined ? "before" : `r${revision}`)
