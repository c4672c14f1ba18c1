// The groups of failures that failed in the range, most runs first.

import type { FailureGroup } from "../../../src/api/doc/insight.doc.ts"
import { Shape } from "../failures/shape.tsx"
import { Sparkline } from "../failures/sparkline.tsx"
import { classes } from "../parts/classes.ts"
import { counted } from "../parts/figures.ts"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import css from "./overview.module.css"
import { MOST_ROWS, type Range } from "./use-overview.ts"

export type FailingGroup = FailureGroup & { readonly inRange: number }

const DAYS: Readonly<Record<Range, number>> = { day: 1, week: 7 }

export function failingIn(groups: readonly FailureGroup[], range: Range): readonly FailingGroup[] {
  return groups
    .map((group) => ({ ...group, inRange: group.days.slice(-DAYS[range]).reduce((sum, { count }) => sum + count, 0) }))
    .filter(({ inRange }) => inRange > 0)
    .toSorted((a, b) => b.inRange - a.inRange)
}

export function Failing({ groups, range }: { readonly groups: readonly FailingGroup[]; readonly range: Range }) {
  const runs = groups.reduce((sum, { inRange }) => sum + inRange, 0)
  return (
    <section className="panel" aria-labelledby="failing">
      <div className={css.head}>
        <h2 id="failing">{range === "day" ? "Failing today" : "Failing in 7 days"}</h2>
        {runs > 0 && (
          <span className="dim">
            {counted(runs, "run")}, {counted(groups.length, "group")}
          </span>
        )}
        <span className="grow" />
        <Link className="link" href={addressOf("runs", "failures")}>
          Failures
        </Link>
      </div>
      {groups.length === 0 && <p className={classes("mid", css.empty)}>Nothing failed {range === "day" ? "today" : "in 7 days"}.</p>}
      <ul className={css.rows}>
        {groups.slice(0, MOST_ROWS).map((group) => (
          <li key={group.key}>
            <Link className={css.failed} href={addressOf("runs", "failures", group.key)}>
              <span className={css.two}>
                <b className="cut">
                  <Shape shape={group.shape} />
                </b>
                <span className="dim cut">
                  {group.flow}
                  {group.step !== undefined && `, ${group.step}`} <Since group={group} range={range} />
                </span>
              </span>
              <Sparkline days={group.days} />
              <b className="num">{group.inRange.toLocaleString("en-US")}</b>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Since({ group: { first, reopened, count, inRange }, range }: { readonly group: FailingGroup; readonly range: Range }) {
  if (reopened) return <span className="tag waiting">came back</span>
  if (count > inRange) return null
  return (
    <span className="tag error">
      {first.revision === undefined ? `new ${range === "day" ? "today" : "in 7 days"}` : `new since r${first.revision}`}
    </span>
  )
}
