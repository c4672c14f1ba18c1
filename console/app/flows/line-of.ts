// Reads the line that an address opens a file at: `?line=12`.

export function lineOf(query: URLSearchParams): number | undefined {
  const text = query.get("line")
  return text !== null && /^[1-9]\d{0,6}$/.test(text) ? Number(text) : undefined
}
