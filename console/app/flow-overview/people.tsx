// Calls that were refused, by tool and reason, and how long people took to answer.

import type { FlowMeasures } from "../../../src/api/doc/overview.doc.ts"
import { counted, shortDuration } from "../parts/figures.ts"
import css from "./flow-overview.module.css"
import { LittleBars } from "./little-bars.tsx"

interface Props {
  readonly measures: FlowMeasures
}

const MOST = 5

export function Refused({ measures: { data, total } }: Props) {
  const rows = total.tools
    .flatMap(({ tool, refused }) => Object.entries(refused).map(([reason, count]) => ({ tool, reason, count })))
    .toSorted((a, b) => b.count - a.count)
  const all = rows.reduce((sum, { count }) => sum + count, 0)
  const calls = total.tools.reduce((sum, tool) => sum + tool.calls, 0)
  const through = (name: string, reason: string): number[] =>
    data.map(({ tools = [] }) => tools.find(({ tool }) => tool === name)?.refused[reason] ?? 0)
  return (
    <section className="panel" aria-labelledby="refused">
      <div className={css.head}>
        <h2 id="refused">Refused calls</h2>
        <span className="dim">
          {all.toLocaleString("en-US")} of {(calls + all).toLocaleString("en-US")}
        </span>
      </div>
      {rows.length === 0 && <p className={css.empty}>No call was refused.</p>}
      <ul className={css.lines}>
        {rows.slice(0, MOST).map(({ tool, reason, count }) => (
          <li key={`${tool} ${reason}`}>
            <span className="cut">
              <b className="id">{tool}</b> <span className="tag">{reason.replaceAll("_", " ")}</span>
            </span>
            <LittleBars label="Refused" values={through(tool, reason)} words={String} />
            <b className="num">{count.toLocaleString("en-US")}</b>
          </li>
        ))}
      </ul>
    </section>
  )
}

export function Answers({ measures: { total } }: Props) {
  const people = total.people.toSorted((a, b) => b.answered - a.answered)
  const expired = total.approvals.expired + total.questions.expired
  const most = Math.max(1, expired, ...people.map(({ answered }) => answered))
  const { ms } = total.approvals
  return (
    <section className="panel" aria-labelledby="answers">
      <div className={css.head}>
        <h2 id="answers">Time to answer</h2>
        <span className="dim">
          {counted(total.approvals.n, "approval")}
          {ms && `, half within ${shortDuration(ms.p50)}`}
        </span>
      </div>
      {people.length === 0 && expired === 0 && <p className={css.empty}>Nobody was asked.</p>}
      <ul className={css.lines}>
        {people.slice(0, MOST).map(({ person, answered, ms: took }) => (
          <li key={person} className={css.person}>
            <span className="cut">{person}</span>
            <span className={css.track} aria-hidden="true">
              <i style={{ width: `${(answered / most) * 100}%` }} />
            </span>
            <span className="dim num">
              {answered.toLocaleString("en-US")}
              {took && `, half in ${shortDuration(took.p50)}`}
            </span>
          </li>
        ))}
        {expired > 0 && (
          <li className={css.person}>
            <span>nobody</span>
            <span className={css.track} aria-hidden="true">
              <i className={css.bad} style={{ width: `${(expired / most) * 100}%` }} />
            </span>
            <span className="dim num">{expired} expired</span>
          </li>
        )}
      </ul>
    </section>
  )
}
