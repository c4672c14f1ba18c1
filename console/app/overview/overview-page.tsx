// The overview: is today normal, and what needs somebody. /console/overview, `?range=week` for seven days.

import { useEffect } from "react"
import { AGES, countByAge } from "../../../web/overview/ages.ts"
import { NUMBERS, verdictOf, type NumberName } from "../../../web/overview/verdict.ts"
import { classes } from "../parts/classes.ts"
import { age, counted } from "../parts/figures.ts"
import { Skeleton } from "../parts/skeleton.tsx"
import { useNow } from "../parts/use-now.ts"
import { Link } from "../shell/link.tsx"
import { addressOf, useQuery } from "../shell/place.ts"
import type { PlaceProps } from "../shell/place-props.ts"
import { titled } from "../shell/title.ts"
import { NumberCard } from "./number-card.tsx"
import css from "./overview.module.css"
import { RunsPlot } from "./runs-plot.tsx"
import { useOverview, type Range, type Seen } from "./use-overview.ts"

export function OverviewPage({ api }: PlaceProps) {
  const range: Range = useQuery().get("range") === "week" ? "week" : "day"
  const { value: seen, fault } = useOverview(api, range)
  const now = useNow(60_000)
  useEffect(() => titled("Overview"), [])
  const day = new Date(now).toLocaleDateString("en-US", { weekday: "long" })
  return (
    <main id="main" className="page" aria-busy={(seen === undefined && fault === undefined) || undefined}>
      <div className="bar">
        <h1 tabIndex={-1}>Overview</h1>
        <span className="dim">{new Date(now).toLocaleDateString("en-US", { weekday: "long", month: "long", day: "numeric" })}</span>
        <span className="grow" />
        <nav className="bar" aria-label="Range">
          {RANGES.map(([name, label]) => (
            <Link
              key={name}
              className="chip"
              href={`${addressOf("overview")}${name === "week" ? "?range=week" : ""}`}
              aria-current={name === range ? "true" : undefined}
            >
              {label}
            </Link>
          ))}
        </nav>
      </div>
      {fault !== undefined && (
        <p className="note failed" role="alert">
          <span>The overview could not be read. {fault}</span>
        </p>
      )}
      {seen === undefined && fault === undefined && <Skeleton words="Reading the overview" />}
      {seen && <Shown seen={seen} now={now} day={day} />}
    </main>
  )
}

const RANGES = [
  ["day", "Today"],
  ["week", "7 days"],
] as const satisfies readonly (readonly [Range, string])[]

function Shown({ seen: { range, overview, asks, groups }, now, day }: { readonly seen: Seen; readonly now: number; readonly day: string }) {
  const { total, numbers } = overview
  if (total.began === 0 && total.runs.succeeded + total.runs.failed + total.runs.canceled === 0 && asks.length === 0)
    return (
      <p className="note">
        <span>
          No runs {range === "day" ? "today" : "in these days"}. Rehearsed runs are not counted.{" "}
          <Link className="link" href={`${addressOf("runs")}?new=1`}>
            Start a run
          </Link>
        </span>
      </p>
    )
  const verdict = verdictOf(overview, day)
  return (
    <>
      {range === "day" && (
        <section className={classes(css.verdict, css[verdict.kind])} aria-label="Verdict">
          <h2>{verdict.title}</h2>
          <p>{verdict.reason}</p>
        </section>
      )}
      <div className={css.numbers}>
        {NUMBERS.map(({ name, label }) => (
          <NumberCard
            key={name}
            name={name}
            label={label}
            judged={numbers?.[name] ?? plain(overview, asks.length)[name]}
            href={HREFS[name]}
          />
        ))}
      </div>
      <div className={css.columns}>
        <RunsPlot overview={overview} marks={[]} />
        <section className={classes("panel", css.side)} aria-label="Open asks by age">
          <h2>
            <Link className="link" href={addressOf("inbox")}>
              {counted(asks.length, "open ask")}
            </Link>
          </h2>
          <AskAges counts={countByAge(asks, now)} />
        </section>
        <section className={classes("panel", css.side)} aria-label="Failing groups">
          <h2>
            <Link className="link" href={addressOf("runs", "failures")}>
              Failures
            </Link>
          </h2>
          {groups.length === 0 && <p className="dim">No failure is open.</p>}
          <ul className={css.rows}>
            {groups.map((group) => (
              <li key={group.key}>
                <Link href={addressOf("runs", "failures", group.key)}>
                  <span className="cut">
                    <b>{group.flow}</b> {group.shape}
                  </span>
                  <span className="num">{group.count.toLocaleString()}</span>
                  <span className="num dim">{age(Date.parse(group.last.at), now)}</span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      </div>
    </>
  )
}

const HREFS: Readonly<Record<NumberName, string>> = {
  runs: addressOf("runs"),
  success: addressOf("runs", "failures"),
  usd: addressOf("settings", "usage"),
  p95: addressOf("runs"),
  open: addressOf("inbox"),
}

/** The numbers of a range for which nothing is usual. */
function plain({ total }: Seen["overview"], open: number): Record<NumberName, { value: number | null; usual: null; unusual: null }> {
  const of = (value: number | null) => ({ value, usual: null, unusual: null })
  return { runs: of(total.began), success: of(total.success), usd: of(total.usd), p95: of(total.ms?.p95 ?? null), open: of(open) }
}

function AskAges({ counts }: { readonly counts: readonly number[] }) {
  const most = Math.max(1, ...counts)
  return (
    <ul className={css.ages}>
      {AGES.map(({ label }, i) => (
        <li key={label}>
          <span className="dim">{label}</span>
          <span className={css.ageTrack} aria-hidden="true">
            <span className={i === AGES.length - 1 ? css.ageLast : css.ageBar} style={{ width: `${((counts[i] ?? 0) / most) * 100}%` }} />
          </span>
          <b className="num">{counts[i] ?? 0}</b>
        </li>
      ))}
    </ul>
  )
}
