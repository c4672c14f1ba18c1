// Statistics and number formatting.

export const median = (list: readonly number[]): number => quantile(list, 0.5)

export function quantile(list: readonly number[], q: number): number {
  const sorted = [...list].sort((a, b) => a - b)
  const at = (sorted.length - 1) * q
  const low = sorted[Math.floor(at)] ?? Number.NaN
  const high = sorted[Math.ceil(at)] ?? low
  return low + (high - low) * (at - Math.floor(at))
}

export const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0)

/** Slope by least squares: growth of `y` per `x`. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mx = sum(points.map(([x]) => x)) / points.length
  const my = sum(points.map(([, y]) => y)) / points.length
  return sum(points.map(([x, y]) => (x - mx) * (y - my))) / sum(points.map(([x]) => (x - mx) ** 2))
}

/** Three significant digits: 1,234 · 56.7 · 0.89. */
export function short(n: number): string {
  if (!Number.isFinite(n)) return "–"
  const digits = Math.abs(n) >= 100 ? 0 : Math.abs(n) >= 10 ? 1 : 2
  return n.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

/** Median with minimum and maximum, because machines are noisy. */
export function spread(list: readonly number[]): string {
  return list.length < 2 ? short(median(list)) : `${short(median(list))} (${short(Math.min(...list))}–${short(Math.max(...list))})`
}

/** A Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`
  return [line(head), line(head.map((_, i) => (i === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n")
}
