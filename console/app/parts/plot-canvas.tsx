// Draws a plot with uPlot: bars, lines and what is behind them. Names and marks are HTML around it, so nothing is written here.

import { useEffect, useRef } from "react"
import uPlot from "uplot"
import { stacked, type Plot as PlotData } from "../../../web/plot/plot.ts"
import { colorsOf, PLOT_LOOKS, watchColors } from "./plot-colors.ts"
import { drawBehind, drawInFront, type Drawn, type PlotCanvasProps } from "./plot-ground.ts"
import css from "./plot.module.css"

/** Bars take this share of their slice, and at most so many pixels. */
const BAR: [share: number, most: number] = [0.68, 64]

export function PlotCanvas(props: PlotCanvasProps) {
  const { plot, ticks, height, chosen } = props
  const box = useRef<HTMLDivElement>(null)
  const drawn = useRef<Drawn>(undefined)
  const chart = useRef<uPlot>(undefined)
  useEffect(() => {
    const element = box.current
    if (!element) return
    const draw = (): Drawn => (drawn.current = { ...props, chosen: drawn.current?.chosen, colors: colorsOf(element) })
    draw()
    const made = new uPlot(
      optionsOf(props, element, () => drawn.current ?? draw()),
      dataOf(plot),
      element,
    )
    chart.current = made
    const watch = new ResizeObserver(() => made.setSize({ width: Math.max(1, element.clientWidth), height }))
    watch.observe(element)
    const unwatch = watchColors(() => {
      draw()
      made.redraw(false)
    })
    return () => {
      watch.disconnect()
      unwatch()
      made.destroy()
      chart.current = undefined
    }
  }, [plot, ticks.at(-1), height])
  useEffect(() => {
    if (!drawn.current) return
    drawn.current = { ...drawn.current, chosen }
    chart.current?.redraw(false)
  }, [chosen])
  return (
    <div ref={box} className={css.canvas}>
      {PLOT_LOOKS.map((look) => (
        <i key={look} data-look={look} className={css[look]} />
      ))}
    </div>
  )
}

/** In the order in which they are drawn: the longest bar first, so that those below stand before it. */
const drawnOrder = ({ series }: PlotData): number[] => [
  ...series.flatMap(({ as }, i) => (as === "bar" ? [i] : [])).toReversed(),
  ...series.flatMap(({ as }, i) => (as === "line" ? [i] : [])),
]

function dataOf(plot: PlotData): uPlot.AlignedData {
  const values = stacked(plot.series)
  return [
    plot.slices.map((_, i) => i + 0.5),
    ...drawnOrder(plot).map((i) => values[i] ?? []),
    [...(plot.forecast ?? [])],
  ] as uPlot.AlignedData
}

function optionsOf({ plot, ticks, height }: PlotCanvasProps, element: HTMLElement, drawn: () => Drawn): uPlot.Options {
  const series = drawnOrder(plot).map((i): uPlot.Series => {
    const look = plot.series[i]?.look ?? "good"
    if (plot.series[i]?.as === "line")
      return {
        stroke: () => drawn().colors[look].line,
        width: 1.5,
        spanGaps: false,
        points: { show: false, filter: lonely, size: 4, fill: () => drawn().colors[look].line },
      }
    return {
      stroke: () => drawn().colors[look].line,
      fill: () => drawn().colors[look].fill,
      width: 1,
      points: { show: false },
      ...(uPlot.paths.bars ? { paths: uPlot.paths.bars({ size: BAR }) } : {}),
    }
  })
  const forecast: uPlot.Series = { stroke: () => drawn().colors.now.line, width: 2, dash: [2, 3], points: { show: false } }
  return {
    width: Math.max(1, element.clientWidth),
    height,
    padding: [0, 0, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    axes: [{ show: false }, { show: false }],
    scales: { x: { time: false, range: [0, Math.max(1, plot.slices.length)] }, y: { range: [0, ticks.at(-1) ?? 1] } },
    series: [{}, ...series, forecast],
    hooks: { drawAxes: [(u) => drawBehind(u, drawn())], draw: [(u) => drawInFront(u, drawn())] },
  }
}

/** A value between two gaps has no line: it is a point. */
function lonely(u: uPlot, series: number): number[] {
  const values = [...(u.data[series] ?? [])].map((value) => value ?? null)
  return values.flatMap((value, i) => (value !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null ? [i] : []))
}
