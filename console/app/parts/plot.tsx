// A plot: what it shows in its head, the drawing, and the table behind it, which the button or T puts in its place. Left and Right move the slice,
// Up and Down what is told of it.

import { Suspense, useId, useRef, useState, type KeyboardEvent, type ReactNode } from "react"
import { namedSlices, sliceName, ticksOf } from "../../../web/plot/axis.ts"
import { placedMarks } from "../../../web/plot/marks.ts"
import { highestOf, type Plot as PlotData } from "../../../web/plot/plot.ts"
import { saidOf } from "../../../web/plot/said.ts"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { classes } from "./classes.ts"
import { Guard } from "./guard.tsx"
import { later } from "./later.ts"
import { PlotLegend } from "./plot-legend.tsx"
import { PlotTable } from "./plot-table.tsx"
import { useTables } from "./plots-as-tables.ts"
import { SMALL, useMedia } from "./use-media.ts"
import { useWidth } from "./use-width.ts"
import css from "./plot.module.css"

const PlotCanvas = later(async () => (await import("./plot-canvas.tsx")).PlotCanvas)

interface Props {
  readonly title: string
  /** What the numbers are, and of which time: "USD, local time". */
  readonly note?: string
  readonly plot: PlotData
  /** Of the drawing, in pixels. */
  readonly height: number
  /** Several plots side by side have one legend outside. */
  readonly hasLegend?: boolean
  readonly level?: 2 | 3
  readonly children?: ReactNode
}

/** Pixels between two names of the axis. */
const NAME_PX = 76

export function Plot({ title, note, plot, height, hasLegend = true, level = 2, children }: Props) {
  const { slices, each, series, words, limit, marks = [] } = plot
  const [chosen, setChosen] = useState<number>()
  const [only, setOnly] = useState<number>()
  const [isTable, turn] = useTables()
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  const isSmall = useMedia(SMALL)
  const id = useId()
  const at = Math.min(chosen ?? slices.length - 1, slices.length - 1)
  const ticks = ticksOf(highestOf(plot), plot.kind)
  const top = ticks.at(-1) ?? 1
  const said = saidOf(plot, at, only)
  const move = (event: KeyboardEvent): void => {
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: slices.length - 1 }[event.key]
    if (to !== undefined) setChosen(Math.max(0, Math.min(slices.length - 1, to)))
    else if (event.key === "ArrowUp" || event.key === "ArrowDown") setOnly(next(only, event.key === "ArrowUp" ? 1 : -1, series.length))
    else return
    event.preventDefault()
  }
  const named = namedSlices(plot, Math.max(2, Math.floor(width / (isSmall ? 2 * NAME_PX : NAME_PX))))
  const Title = level === 2 ? "h2" : "h3"
  return (
    <figure className={css.figure}>
      <figcaption className={css.head}>
        <Title id={id}>{title}</Title>
        <span className={classes(chosen === undefined ? "dim" : "mid", css.note)}>{chosen === undefined ? note : said}</span>
        <span className="grow" />
        {hasLegend && <PlotLegend plot={plot} />}
        {children}
        <button
          className={classes("btn bare square", css.turn)}
          type="button"
          aria-pressed={isTable}
          aria-label={`Table: ${title}`}
          title="Table (T)"
          onClick={turn}
        >
          <Icon name="table" kind="i-s" />
        </button>
      </figcaption>
      <div className={classes(css.body, isTable && css.hidden)}>
        <div className={css.y} aria-hidden="true">
          <b>{ticks.map((tick) => words(tick)).reduce((long, one) => (one.length > long.length ? one : long), "")}</b>
          {ticks.map((tick) => (
            <span key={tick} style={{ bottom: `${(tick / top) * 100}%` }}>
              {tick === 0 ? "0" : words(tick)}
            </span>
          ))}
        </div>
        <div
          ref={box}
          className={css.draw}
          style={{ height }}
          role="slider"
          tabIndex={isTable ? -1 : 0}
          aria-labelledby={id}
          aria-valuemin={1}
          aria-valuemax={Math.max(1, slices.length)}
          aria-valuenow={at + 1}
          aria-valuetext={said}
          onKeyDown={move}
          onPointerMove={({ clientX, currentTarget }) => {
            const { left, width: all } = currentTarget.getBoundingClientRect()
            setChosen(Math.max(0, Math.min(slices.length - 1, Math.floor(((clientX - left) / all) * slices.length))))
          }}
          onPointerLeave={() => setChosen(undefined)}
          onBlur={() => setChosen(undefined)}
        >
          <Guard of="" what={title}>
            <Suspense fallback={null}>
              <PlotCanvas plot={plot} ticks={ticks} height={height} chosen={chosen} />
            </Suspense>
          </Guard>
        </div>
        <div className={css.marks}>
          {placedMarks(slices, marks, Math.max(1, width)).map(({ at: moment, label, href, about, isLive, place, isLeft, row }) => (
            <i key={`${moment} ${label}`} className={classes(css.mark, isLive && css.live)} style={{ left: `${place * 100}%` }}>
              <Link
                className={classes(css.flag, isLeft && css.left)}
                href={href}
                title={about}
                style={{ top: row * FLAG_ROW - FLAG_ABOVE }}
              >
                <span>{label}</span>
              </Link>
            </i>
          ))}
          {limit && (
            <span className={css.limitName} style={{ bottom: `${(limit.value / top) * 100}%` }}>
              {limit.label}
            </span>
          )}
        </div>
        <div className={css.x} aria-hidden="true">
          {named.map((i) => {
            const slice = slices[i]
            return (
              slice && (
                <span key={slice.from} className={edge(i, slices.length)} style={{ left: `${((i + 0.5) / slices.length) * 100}%` }}>
                  {slice.isPartial && i === slices.length - 1 ? (each === "hour" ? "now" : "today") : sliceName(slice, each)}
                </span>
              )
            )
          })}
        </div>
      </div>
      <div
        className={isTable ? css.table : "vh"}
        style={isTable ? { height: height + BELOW } : undefined}
        {...(isTable ? { role: "region", tabIndex: 0, "aria-labelledby": id } : {})}
      >
        <PlotTable title={title} plot={plot} />
      </div>
    </figure>
  )
}

/** Pixels of a row of flags, and of the axis below the drawing. */
const FLAG_ROW = 24
const BELOW = 24
/** A flag is pressed in a box that is higher than it looks. */
const FLAG_ABOVE = 4

const next = (only: number | undefined, by: number, n: number): number | undefined => {
  const to = (only ?? -1) + by
  return to >= n || to === -1 ? undefined : (to + n) % n
}
const edge = (i: number, n: number): string | undefined => (i === n - 1 && n > 3 ? css.last : i === 0 && n > 3 ? css.first : undefined)
