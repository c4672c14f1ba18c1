// The colors of a plot: those that its style sheet gives to a mark of each look, so that a canvas follows the theme and forced colors too.

import type { PlotLook } from "../../../web/plot/plot.ts"

type Mark = PlotLook | "usual" | "limit" | "ground"

export interface MarkColors {
  readonly line: string
  readonly fill: string | CanvasPattern
}

export type PlotColors = Readonly<Record<PlotLook | "usual" | "limit", MarkColors>> & {
  readonly ground: { readonly grid: string; readonly base: string; readonly surface: string; readonly hover: string }
}

export const PLOT_LOOKS: readonly Mark[] = [
  "good",
  "bad",
  "asks",
  "open",
  "now",
  "most",
  "p1",
  "p2",
  "p3",
  "p4",
  "p5",
  "usual",
  "limit",
  "ground",
]

/** Of a mark, its border is the line and its ground the fill. */
export function colorsOf(element: HTMLElement): PlotColors {
  const looks = [...element.querySelectorAll<HTMLElement>("[data-look]")].map((mark) => {
    const { borderTopColor, backgroundColor, color, outlineColor } = getComputedStyle(mark)
    if (mark.dataset["look"] === "ground")
      return ["ground", { grid: borderTopColor, base: color, surface: backgroundColor, hover: outlineColor }]
    return [
      mark.dataset["look"],
      { line: borderTopColor, fill: mark.dataset["look"] === "asks" ? stripes(color, backgroundColor) : backgroundColor },
    ]
  })
  return Object.fromEntries(looks) as PlotColors
}

const STRIPE = 5

function stripes(line: string, ground: string): string | CanvasPattern {
  const size = STRIPE * devicePixelRatio
  const tile = new OffscreenCanvas(Math.round(size), Math.round(size))
  const ctx = tile.getContext("2d")
  if (!ctx) return ground
  ctx.fillStyle = ground
  ctx.fillRect(0, 0, size, size)
  ctx.strokeStyle = line
  ctx.lineWidth = size / 3
  for (const shift of [-size, 0, size]) {
    ctx.beginPath()
    ctx.moveTo(shift, size)
    ctx.lineTo(shift + size, 0)
    ctx.stroke()
  }
  return ctx.createPattern(tile, "repeat") ?? ground
}

/** Calls when the theme or forced colors change. */
export function watchColors(changed: () => void): () => void {
  const lists = ["(prefers-color-scheme: dark)", "(forced-colors: active)"].map((query) => matchMedia(query))
  for (const list of lists) list.addEventListener("change", changed)
  const watch = new MutationObserver(changed)
  watch.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] })
  return () => {
    watch.disconnect()
    for (const list of lists) list.removeEventListener("change", changed)
  }
}
