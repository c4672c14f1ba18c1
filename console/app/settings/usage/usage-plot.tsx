// What was used, day by day, as stacked bars; the table below is its twin. Left and Right move the day.

import { useState, type KeyboardEvent } from "react"
import { counted } from "../../parts/figures.ts"
import { dayName, shownTotal, TICKS, topOf, totalOf, type Measure, type NamedUsage } from "./usage-days.ts"
import { classes } from "../../parts/classes.ts"
import css from "./usage.module.css"

const [WIDTH, HEIGHT, LEFT, BELOW, TOP] = [1_000, 204, 44, 24, 8] as const
const PLOT = HEIGHT - BELOW - TOP
/** Days that have their name below. */
const NAMES = 6

interface Props {
  readonly days: readonly NamedUsage[]
  readonly measure: Measure
  /** The last day is not over. */
  readonly isToday: boolean
  /** The daily limit, in what is plotted. */
  readonly limit?: number | undefined
}

export function UsagePlot({ days, measure, isToday, limit }: Props) {
  const [chosen, setChosen] = useState(days.length - 1)
  const at = Math.min(chosen, days.length - 1)
  const day = days[at]
  const highest = Math.max(limit ?? 0, ...days.map((one) => totalOf(measure, one)))
  const top = topOf(highest, measure)
  const y = (value: number): number => TOP + PLOT * (1 - value / top)
  const step = (WIDTH - LEFT) / days.length
  const every = Math.ceil(days.length / NAMES)
  const words = day ? `${dayName(day.key)}: ${shownTotal(measure, day)}, ${counted(day.runs, "run")}` : ""
  const pressed = (event: KeyboardEvent): void => {
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: days.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    setChosen(Math.max(0, Math.min(days.length - 1, to)))
  }
  return (
    <figure className={classes("panel", css.plot)}>
      <figcaption className="bar">
        <h2>{measure.label} per day</h2>
        <Legend measure={measure} day={day} />
        <span className="grow" />
        <span className="mid nowrap">{words}</span>
      </figcaption>
      <div
        role="slider"
        tabIndex={0}
        aria-label={`${measure.label} per day`}
        aria-valuemin={1}
        aria-valuemax={days.length}
        aria-valuenow={at + 1}
        aria-valuetext={words}
        onKeyDown={pressed}
      >
        <svg
          className={measure.parts.length === 1 ? css.one : undefined}
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          {Array.from({ length: TICKS + 1 }, (_, tick) => (top * tick) / TICKS).map((value) => (
            <line key={value} className={value === 0 ? css.axis : undefined} x1={LEFT} x2={WIDTH} y1={y(value)} y2={y(value)} />
          ))}
          {days.map((one, i) => (
            <g
              key={one.key}
              className={i === at ? css.on : isToday && i === days.length - 1 ? css.today : undefined}
              onPointerEnter={() => setChosen(i)}
              onClick={() => setChosen(i)}
            >
              <rect fill="transparent" x={LEFT + i * step} y={TOP} width={step} height={PLOT} />
              <Stack measure={measure} sum={one} x={LEFT + i * step + step * 0.1} width={step * 0.8} y={y} />
            </g>
          ))}
          {limit !== undefined && <line className={css.lim} x1={LEFT} x2={WIDTH} y1={y(limit)} y2={y(limit)} />}
        </svg>
        <div className={css.ax} aria-hidden="true">
          {Array.from({ length: TICKS + 1 }, (_, tick) => (top * tick) / TICKS).map((value) => (
            <span key={value} style={{ top: `${(y(value) / HEIGHT) * 100}%`, left: 0 }}>
              {measure.words(value)}
            </span>
          ))}
          {days.map(
            (one, i) =>
              (days.length - 1 - i) % every === 0 && (
                <span key={one.key} className={css.xd} style={{ left: `${((LEFT + (i + 0.5) * step) / WIDTH) * 100}%` }}>
                  {isToday && i === days.length - 1 ? "today" : dayName(one.key)}
                </span>
              ),
          )}
          {limit !== undefined && (
            <span className={css.ld} style={{ top: `${(y(limit) / HEIGHT) * 100}%` }}>
              daily budget {measure.words(limit)}
            </span>
          )}
        </div>
      </div>
    </figure>
  )
}

interface StackProps {
  readonly measure: Measure
  readonly sum: NamedUsage
  readonly x: number
  readonly width: number
  readonly y: (value: number) => number
}

function Stack({ measure: { parts }, sum, x, width, y }: StackProps) {
  let below = 0
  return parts.map(({ label, of }, i) => {
    const [from, to] = [below, below + of(sum)]
    below = to
    return to > from && <rect key={label} className={css[`p${i + 1}`]} x={x} width={width} y={y(to)} height={y(from) - y(to)} />
  })
}

function Legend({ measure: { parts, words, isByFlow }, day }: { readonly measure: Measure; readonly day: NamedUsage | undefined }) {
  if (parts.length < 2 && isByFlow === undefined) return null
  return (
    <span className={classes("bar", css.legend, "small mid")}>
      {parts.map(({ label, of }, i) => (
        <span key={label} className="bar">
          <svg viewBox="0 0 10 10" aria-hidden="true">
            <rect className={css[`p${i + 1}`]} x="1" y="1" width="8" height="8" />
          </svg>
          <span className="cut" title={day === undefined ? undefined : `${label}: ${words(of(day))} on ${dayName(day.key)}`}>
            {label}
          </span>
        </span>
      ))}
    </span>
  )
}
