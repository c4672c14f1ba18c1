// Matches over time. Dragging over the bars sets since and until; its table says the same, and leads there by keyboard.

import { useRef, useState, type PointerEvent } from "react"
import { instantOf } from "../../../web/runs/moment.ts"
import { barsOf, countedBy, stretchOf, type Bar } from "../../../web/runs/over-time.ts"
import { counted } from "../parts/figures.ts"
import { useAsked } from "../parts/asked.ts"
import { classes } from "../parts/classes.ts"
import type { Api } from "../shell/session.ts"
import type { RunsAsked } from "./use-run-list.ts"
import css from "./query.module.css"

interface Props {
  readonly api: Api
  readonly asked: RunsAsked
  readonly onRange: (since: string, until: string) => void
}

/** The count reads up to 10,000 runs, so it is not made anew with each of them. */
const AGAIN_MS = 60_000
const HEIGHT = 36
/** Fewer bars say nothing. */
const FEW = 6

export function OverTime({ api, asked, onRange }: Props) {
  const { sort: _, ...filter } = asked
  const { value } = useAsked(
    ["once", "runs over time", filter],
    async () => {
      const until = filter["until"] === undefined ? Date.now() : instantOf(filter["until"], Date.now())
      const since = filter["since"] === undefined ? undefined : instantOf(filter["since"], Date.now())
      const days = since === undefined ? await api.runs.counts("day", filter) : undefined
      const first = days?.data[0]?.key
      const by = countedBy(since ?? (first === undefined ? undefined : Date.parse(first)), until)
      const { data, total, complete } = days !== undefined && by === "day" ? days : await api.runs.counts(by, filter)
      return { bars: barsOf(data, by, { ...(since === undefined ? {} : { since }), until }), by, total, complete }
    },
    { live: { pollMs: AGAIN_MS, slowMs: AGAIN_MS } },
  )
  const [isTable, setTable] = useState(false)
  if (value === undefined || value.total === 0 || value.bars.length < FEW) return null
  const { bars, by, total, complete } = value
  const wordsOf = (bar: Bar): string => wordsIn(by, bar)
  const most = bars.reduce((a, b) => (b.count > a.count ? b : a))
  const range = (one: number, other: number): void => {
    const stretch = stretchOf(bars, one, other)
    if (stretch) onRange(stretch.since, stretch.until)
  }
  const first = bars[0]
  return (
    <section className={css.time} aria-label="Matches over time">
      {isTable ? (
        <div className={classes("panel", css.table)} tabIndex={0}>
          <table className="tbl">
            <thead>
              <tr>
                <th scope="col">Began</th>
                <th scope="col" className="num">
                  Runs
                </th>
              </tr>
            </thead>
            <tbody>
              {bars.map((bar, at) =>
                bar.count === 0 ? null : (
                  <tr key={bar.from}>
                    <td>
                      <button className="link" type="button" onClick={() => range(at, at)}>
                        {wordsOf(bar)}
                      </button>
                    </td>
                    <td className="num">{bar.count.toLocaleString()}</td>
                  </tr>
                ),
              )}
            </tbody>
          </table>
        </div>
      ) : (
        <Plot
          bars={bars}
          isFailed={filter["status"] === "failed"}
          label={`${counted(total, "match", "matches")} over time, most of them ${wordsOf(most)}: ${most.count.toLocaleString()}`}
          onRange={range}
        />
      )}
      <div className={css.axis}>
        <span>{first && wordsOf(first)}</span>
        <span>
          {complete ? "" : "of the newest 10,000 runs looked at; "}
          {by === "day" ? "days in UTC" : ""}
        </span>
        <span className="bar">
          <button type="button" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
            {isTable ? "Show as bars" : "Show as a table"}
          </button>
          {filter["until"] === undefined ? "now" : wordsOf(bars.at(-1) ?? most)}
        </span>
      </div>
    </section>
  )
}

interface PlotProps {
  readonly bars: readonly Bar[]
  readonly isFailed: boolean
  readonly label: string
  readonly onRange: (one: number, other: number) => void
}

function Plot({ bars, isFailed, label, onRange }: PlotProps) {
  const [drag, setDrag] = useState<readonly [from: number, to: number]>()
  const box = useRef<HTMLDivElement>(null)
  const most = Math.max(1, ...bars.map(({ count }) => count))
  const placeOf = ({ clientX }: PointerEvent): number => {
    const { left, width } = box.current?.getBoundingClientRect() ?? { left: 0, width: 1 }
    return Math.max(0, Math.min(bars.length - 1, Math.floor(((clientX - left) / width) * bars.length)))
  }
  const [low, high] = drag === undefined ? [0, -1] : [Math.min(...drag), Math.max(...drag)]
  return (
    <div
      ref={box}
      className={isFailed ? classes(css.plot, css.failed) : css.plot}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        setDrag([placeOf(event), placeOf(event)])
      }}
      onPointerMove={(event) => drag && setDrag([drag[0], placeOf(event)])}
      onPointerUp={() => {
        if (drag) onRange(...drag)
        setDrag(undefined)
      }}
      onPointerCancel={() => setDrag(undefined)}
    >
      <svg viewBox={`0 0 ${bars.length * 10} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {bars.map(({ from, count }, at) => {
          const height = count === 0 ? 0 : Math.max(1.5, (count / most) * HEIGHT)
          return <rect key={from} x={at * 10 + 1.5} width={7} y={HEIGHT - height} height={height} />
        })}
      </svg>
      {drag && (
        <span
          className={css.brush}
          style={{ left: `${(low / bars.length) * 100}%`, width: `${((high - low + 1) / bars.length) * 100}%` }}
        />
      )}
    </div>
  )
}

const DAY_MS = 86_400_000

/** When it begins: with the hour, if it is shorter than a day. */
function wordsIn(by: "hour" | "day", { from, until }: Bar): string {
  const hour = until - from < DAY_MS - 3_600_000 ? { hour: "numeric" as const } : {}
  return new Date(from).toLocaleString("en-US", { month: "short", day: "numeric", ...hour, ...(by === "day" ? { timeZone: "UTC" } : {}) })
}
