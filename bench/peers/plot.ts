// Draws bars as inline SVG, without a library. Each row is a name, a median and the range of the rounds.

export interface Bar {
  readonly name: string
  readonly value: number
  readonly low: number
  readonly high: number
  /** Sluice's own bars stand out. */
  readonly own: boolean
}

const [LABEL, WIDTH, ROW, FIGURE] = [190, 400, 26, 90] as const

export function bars(title: string, unit: string, rows: readonly Bar[]): string {
  const top = Math.max(...rows.map((row) => row.high), Number.MIN_VALUE)
  const x = (value: number): number => LABEL + (value / top) * WIDTH
  const height = rows.length * ROW + 34
  const lines = rows.map((row, i) => {
    const y = 30 + i * ROW
    return [
      `<text x="${LABEL - 8}" y="${y + 13}" text-anchor="end">${escaped(row.name)}</text>`,
      `<rect x="${LABEL}" y="${y}" width="${fixed(x(row.value) - LABEL)}" height="18" class="${row.own ? "own" : "peer"}"/>`,
      `<path d="M${fixed(x(row.low))} ${y + 9}H${fixed(x(row.high))}" class="range"/>`,
      `<text x="${fixed(x(row.high) + 6)}" y="${y + 13}">${figure(row.value)}</text>`,
    ].join("")
  })
  return `<svg viewBox="0 0 ${LABEL + WIDTH + FIGURE} ${height}" role="img" aria-label="${escaped(`${title}, ${unit}`)}"><text x="0" y="14" class="title">${escaped(title)} <tspan class="unit">${escaped(unit)}</tspan></text>${lines.join("")}</svg>`
}

/** Three significant digits. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return "–"
  const size = Math.abs(value)
  return value.toLocaleString("en-US", { maximumFractionDigits: size >= 100 ? 0 : size >= 10 ? 1 : 2 })
}

export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

const fixed = (value: number): string => value.toFixed(1)
