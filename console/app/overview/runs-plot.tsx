// Runs by hour or day and how they ended, with what is usual as a band. Left and Right move the slice; the table behind it says the same.

import { useState, type KeyboardEvent } from "react"
import type { Overview } from "../../../src/api/doc/overview.doc.ts"
import { classes } from "../parts/classes.ts"
import { counted } from "../parts/figures.ts"
import css from "./overview.module.css"

const [WIDTH, HEIGHT, LEFT, BELOW, TOP] = [1_000, 220, 40, 22, 10] as const
const PLOT = HEIGHT - BELOW - TOP
/** Slices that have their name below. */
const NAMES = 8
const TICKS = 4

type Slice = Overview["data"][number]

export function RunsPlot({ slices, each }: { readonly slices: readonly Slice[]; readonly each: "hour" | "day" }) {
  const [chosen, setChosen] = useState<number>()
  const [isTable, setTable] = useState(false)
  const at = Math.min(chosen ?? slices.length - 1, slices.length - 1)
  const slice = slices[at]
  const most = Math.max(TICKS, ...slices.map((one) => Math.max(endedOf(one), one.usual?.ended?.[1] ?? 0)))
  const top = Math.ceil(most / TICKS) * TICKS
  const y = (value: number): number => TOP + PLOT * (1 - value / top)
  const step = (WIDTH - LEFT) / Math.max(1, slices.length)
  const every = Math.ceil(slices.length / NAMES)
  const words = slice ? wordsOf(slice, each) : ""
  const pressed = (event: KeyboardEvent): void => {
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: slices.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    setChosen(Math.max(0, Math.min(slices.length - 1, to)))
  }
  const title = `Runs by ${each} and how they ended`
  return (
    <figure className={classes("panel", css.plot)}>
      <figcaption className="bar">
        <h2>Runs by {each}</h2>
        <span className="dim nowrap">local time</span>
        <span className="grow" />
        <span className="mid nowrap">{words}</span>
        <button className="btn bare" type="button" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          Table
        </button>
      </figcaption>
      {isTable ? (
        <RunsTable slices={slices} each={each} title={title} />
      ) : (
        <div
          role="slider"
          tabIndex={0}
          aria-label={title}
          aria-valuemin={1}
          aria-valuemax={slices.length}
          aria-valuenow={at + 1}
          aria-valuetext={words}
          onKeyDown={pressed}
        >
          <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
            {Array.from({ length: TICKS + 1 }, (_, tick) => (top * tick) / TICKS).map((value) => (
              <line key={value} className={css.grid} x1={LEFT} x2={WIDTH} y1={y(value)} y2={y(value)} />
            ))}
            {slices.map((one, i) => {
              const x = LEFT + i * step
              const { failed, canceled, succeeded } = one.runs
              const usual = one.usual?.ended
              const part = (from: number, count: number) => ({
                x: x + step * 0.15,
                width: step * 0.7,
                y: y(from + count),
                height: Math.max(0, y(from) - y(from + count)),
              })
              return (
                <g key={one.at} className={classes(i === at && css.on, one.partial && css.partial)} onPointerEnter={() => setChosen(i)}>
                  <rect fill="transparent" x={x} y={TOP} width={step} height={PLOT} />
                  {usual && (
                    <rect className={css.band} x={x} width={step} y={y(usual[1])} height={Math.max(1, y(usual[0]) - y(usual[1]))} />
                  )}
                  <rect className={css.failed} {...part(0, failed)} />
                  <rect className={css.canceled} {...part(failed, canceled)} />
                  <rect className={css.succeeded} {...part(failed + canceled, succeeded)} />
                </g>
              )
            })}
          </svg>
          <div className={css.axis} aria-hidden="true">
            {Array.from({ length: TICKS + 1 }, (_, tick) => (top * tick) / TICKS).map((value) => (
              <span key={value} style={{ top: `${(y(value) / HEIGHT) * 100}%` }}>
                {value}
              </span>
            ))}
            {slices.map(
              (one, i) =>
                i % every === 0 && (
                  <i key={one.at} style={{ left: `${((LEFT + (i + 0.5) * step) / WIDTH) * 100}%` }}>
                    {nameOf(one.at, each)}
                  </i>
                ),
            )}
          </div>
        </div>
      )}
      <ul className={css.legend} aria-hidden="true">
        <li>
          <span className={css.failed} /> failed
        </li>
        <li>
          <span className={css.canceled} /> canceled
        </li>
        <li>
          <span className={css.succeeded} /> succeeded
        </li>
        {slices.some(({ usual }) => (usual?.ended ?? null) !== null) && (
          <li>
            <span className={css.band} /> usual
          </li>
        )}
      </ul>
    </figure>
  )
}

function RunsTable({ slices, each, title }: { readonly slices: readonly Slice[]; readonly each: "hour" | "day"; readonly title: string }) {
  return (
    <div className={css.scroll}>
      <table className="table">
        <caption className="vh">{title}</caption>
        <thead>
          <tr>
            <th>{each === "hour" ? "Hour" : "Day"}</th>
            <th className="num">Failed</th>
            <th className="num">Canceled</th>
            <th className="num">Succeeded</th>
            <th className="num">Usual</th>
          </tr>
        </thead>
        <tbody>
          {slices.map(({ at, runs, usual }) => (
            <tr key={at}>
              <td>{nameOf(at, each)}</td>
              <td className="num">{runs.failed}</td>
              <td className="num">{runs.canceled}</td>
              <td className="num">{runs.succeeded}</td>
              <td className="num">{usual?.ended ? `${Math.round(usual.ended[0])}–${Math.round(usual.ended[1])}` : "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const endedOf = ({ runs }: Slice): number => runs.failed + runs.canceled + runs.succeeded

function nameOf(at: string, each: "hour" | "day"): string {
  const time = new Date(at)
  return each === "hour"
    ? `${time.getHours()}:${String(time.getMinutes()).padStart(2, "0")}`
    : time.toLocaleDateString([], { weekday: "short", day: "numeric" })
}

function wordsOf(slice: Slice, each: "hour" | "day"): string {
  const { failed, canceled } = slice.runs
  const ends = [failed > 0 && `${failed} failed`, canceled > 0 && `${canceled} canceled`].filter(Boolean).join(", ")
  return `${nameOf(slice.at, each)}: ${counted(endedOf(slice), "run")} ended${ends === "" ? "" : `, ${ends}`}${slice.partial ? ", not over yet" : ""}`
}
