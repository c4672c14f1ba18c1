// Says what a plot draws around its bars and lines: the slice that is looked at, what is usual, the marks of the axis, gaps, the limit.

import type uPlot from "uplot"
import type { Plot as PlotData } from "../../../web/plot/plot.ts"
import type { MarkColors, PlotColors } from "./plot-colors.ts"

export interface PlotCanvasProps {
  readonly plot: PlotData
  readonly ticks: readonly number[]
  readonly height: number
  /** The slice that is looked at. */
  readonly chosen: number | undefined
}

/** What is drawn next; the drawing asks for it. */
export interface Drawn extends PlotCanvasProps {
  readonly colors: PlotColors
}

/** Before the series. */
export function drawBehind(u: uPlot, { plot: { slices, usual = [], series }, ticks, chosen, colors }: Drawn): void {
  const { ctx } = u
  const { height, left, width } = u.bbox
  const x = (i: number): number => Math.round(left + (i / Math.max(1, slices.length)) * width)
  const y = (value: number): number => u.valToPos(value, "y", true)
  ctx.save()
  if (chosen !== undefined) {
    ctx.fillStyle = colors.ground.hover
    ctx.fillRect(x(chosen), u.bbox.top, x(chosen + 1) - x(chosen), height)
  }
  band(ctx, usual, { x, y, look: colors.usual })
  ctx.lineWidth = devicePixelRatio
  for (const tick of ticks) {
    ctx.strokeStyle = tick === 0 ? colors.ground.base : colors.ground.grid
    line(ctx, left, y(tick) + (tick === 0 ? -0.5 : 0.5) * devicePixelRatio, left + width)
  }
  // Of what is not known there is no value, and not 0.
  ctx.strokeStyle = colors.ground.base
  ctx.lineWidth = 2 * devicePixelRatio
  ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio])
  for (const [i] of slices.entries())
    if (series.every(({ values }) => (values[i] ?? null) === null)) line(ctx, x(i), y(0) - 3 * devicePixelRatio, x(i + 1))
  ctx.restore()
}

/** A bar that still grows; what is hollow by its kind stays so. */
const PALE = 0.35

/** After them. */
export function drawInFront(u: uPlot, { plot: { slices, series, limit, forecast = [] }, colors }: Drawn): void {
  const { ctx } = u
  const { left, width } = u.bbox
  ctx.save()
  if (limit) {
    ctx.strokeStyle = colors.limit.line
    ctx.lineWidth = 1.5 * devicePixelRatio
    ctx.setLineDash([5 * devicePixelRatio, 3 * devicePixelRatio])
    line(ctx, left, u.valToPos(limit.value, "y", true), left + width)
  }
  ctx.setLineDash([])
  // The bar of a slice that is not over is outlined and pale, but for what is wrong or waits.
  const share = width / Math.max(1, slices.length)
  for (const [i, { isPartial }] of slices.entries()) {
    if (!isPartial) continue
    let below = 0
    for (const { as, look, values } of series) {
      const value = as === "bar" ? (values[i] ?? 0) : 0
      const [from, to] = [u.valToPos(below, "y", true), u.valToPos(below + value, "y", true)]
      below += value
      if (value === 0 || look === "bad" || look === "asks") continue
      const bar = Math.min(share * 0.68, 64 * devicePixelRatio) - 2 * devicePixelRatio
      const within = [
        left + (i + 0.5) * share - bar / 2,
        to + devicePixelRatio,
        bar,
        Math.max(0, from - to - 2 * devicePixelRatio),
      ] as const
      ctx.fillStyle = colors.ground.surface
      ctx.fillRect(...within)
      ctx.globalAlpha = PALE
      ctx.fillStyle = colors[look].fill
      ctx.fillRect(...within)
      ctx.globalAlpha = 1
    }
  }
  // Of bars, what the slice that is not over should come to.
  ctx.strokeStyle = colors.now.line
  ctx.lineWidth = 1.5 * devicePixelRatio
  ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio])
  for (const [i, value] of forecast.entries()) {
    if (value === null || (forecast[i - 1] ?? null) !== null || (forecast[i + 1] ?? null) !== null) continue
    const bar = Math.min(share * 0.68, 64 * devicePixelRatio)
    const top = u.valToPos(value, "y", true)
    ctx.strokeRect(left + (i + 0.5) * share - bar / 2, top, bar, Math.max(0, u.valToPos(0, "y", true) - top))
  }
  ctx.restore()
}

function line(ctx: CanvasRenderingContext2D, from: number, y: number, to: number): void {
  ctx.beginPath()
  ctx.moveTo(from, y)
  ctx.lineTo(to, y)
  ctx.stroke()
}

interface Placed {
  readonly x: (slice: number) => number
  readonly y: (value: number) => number
  readonly look: MarkColors
}

/** Steps with edges: a slice has what is usual in it, from its beginning to its end. */
function band(ctx: CanvasRenderingContext2D, ranges: NonNullable<PlotData["usual"]>, { x, y, look }: Placed): void {
  ctx.lineWidth = devicePixelRatio
  for (const [i, range] of ranges.entries()) {
    if (!range) continue
    ctx.fillStyle = look.fill
    ctx.fillRect(x(i), y(range[1]), x(i + 1) - x(i), y(range[0]) - y(range[1]))
    ctx.strokeStyle = look.line
    const before = ranges[i - 1]
    for (const edge of [0, 1] as const) {
      line(ctx, x(i), y(range[edge]), x(i + 1))
      if (!before) continue
      ctx.beginPath()
      ctx.moveTo(x(i), y(before[edge]))
      ctx.lineTo(x(i), y(range[edge]))
      ctx.stroke()
    }
  }
}
