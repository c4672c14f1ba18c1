// Writes a table as CSV (RFC 4180), for spreadsheets. A text cell that a spreadsheet would evaluate gets an apostrophe in front, so that
// the name of a flow or a model never becomes a formula.

type Cell = string | number | null

export const csvOf = (names: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [names, ...rows].map((row) => `${row.map(cellOf).join(",")}\r\n`).join("")

function cellOf(cell: Cell): string {
  if (cell === null) return ""
  if (typeof cell === "number") return String(cell)
  // Spreadsheets skip spaces before they look for a formula, and read full-width signs as the plain ones.
  const safe = /^[\s\p{Cf}]*[=+\-@\t\r＝＋－＠]/u.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
