// The calendar of schedules: what runs by itself on each of the next seven days, in local time.

import type { ScheduleRow } from "../../../src/api/doc/schedules.doc.ts"
import type { Schedules } from "../../../src/client/triggers.ts"
import { clockTime } from "../../../web/clock.ts"
import { visible } from "../../../web/chat/wording.ts"
import { DAYS, midnightAfter, weekOf, type DayLine, type Fires } from "../../../web/setup/week-of-fires.ts"
import { useAsked } from "../parts/asked.ts"
import { classes } from "../parts/classes.ts"
import { counted, fullTime } from "../parts/figures.ts"
import { useNow } from "../parts/use-now.ts"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import css from "./schedule-week.module.css"

/** Schedules of the calendar, those that run next, and times of each that the server tells. */
const MOST = 24
const TIMES = 100

interface Props {
  readonly schedules: Schedules
  readonly rows: readonly ScheduleRow[]
}

export function ScheduleWeek({ schedules, rows }: Props) {
  const now = useNow(60_000)
  const running = rows.filter(({ next }) => next !== null).toSorted((a, b) => (a.next ?? "").localeCompare(b.next ?? ""))
  const shown = running.slice(0, MOST)
  const asked = useAsked(["settings", "calendar", shown.map(({ id, cron, zone, next }) => [id, cron, zone, next])], () =>
    Promise.all(shown.map((row) => firesOf(schedules, row))),
  )
  if (shown.length === 0) return null
  const days = weekOf(asked.value ?? [], now)
  const left = running.length - shown.length
  return (
    <section className="panel" aria-labelledby="next-week">
      <div className={css.head}>
        <h2 id="next-week">Next 7 days</h2>
        <span className="dim">local time{left > 0 && `, without ${counted(left, "schedule")} that run later`}</span>
      </div>
      {asked.fault !== undefined && <p className="msg error">{asked.fault}</p>}
      <ol className={css.days} aria-busy={asked.value === undefined}>
        {days.map(({ from, lines }, i) => (
          <li key={from}>
            <h3>{dayName(from, i)}</h3>
            {lines.length === 0 ? (
              <p className="dim">–</p>
            ) : (
              <ul>
                {lines.map((line) => (
                  <Line key={`${line.of.id} ${line.at}`} line={line} />
                ))}
              </ul>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}

function Line({ line: { of, at, count } }: { readonly line: DayLine<ScheduleRow> }) {
  return (
    <li className={css.line}>
      <b className="num nowrap" title={count === 1 ? fullTime(at) : undefined}>
        {count === 1 ? clockTime(at) : count === null ? "often" : `${count} times`}
      </b>
      <Link className={classes("link cut", css.flow)} href={addressOf("flows", of.flow)} title={of.flow}>
        {visible(of.flow)}
      </Link>
    </li>
  )
}

async function firesOf(schedules: Schedules, row: ScheduleRow): Promise<Fires<ScheduleRow>> {
  const { next } = await schedules.preview(row.cron, row.zone, TIMES)
  const times = next.map((time) => Date.parse(time))
  const until = midnightAfter(Date.now(), DAYS)
  return { of: row, times, isAll: times.length < TIMES || (times.at(-1) ?? 0) >= until }
}

const dayName = (from: number, i: number): string =>
  i === 0 ? "Today" : new Date(from).toLocaleDateString("en-US", { weekday: "short", month: "short", day: "numeric" })
