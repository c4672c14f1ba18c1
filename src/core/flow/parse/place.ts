// Converts offsets to places in a file: line and column, both from 1 [F2].

export interface SourcePlace {
  readonly line: number
  readonly column: number
}

export const START: SourcePlace = { line: 1, column: 1 }

export type Locate = (offset: number) => SourcePlace

/** Converts offsets of a text to lines and columns. A byte order mark does not count as a column, because editors hide it. */
export function placesOf(text: string): Locate {
  const starts = [text.startsWith("\uFEFF") ? 1 : 0]
  for (let i = text.indexOf("\n"); i >= 0; i = text.indexOf("\n", i + 1)) starts.push(i + 1)
  return (offset) => {
    let low = 0
    let high = starts.length
    while (low + 1 < high) {
      const mid = (low + high) >> 1
      if ((starts[mid] ?? 0) <= offset) low = mid
      else high = mid
    }
    return { line: low + 1, column: Math.max(0, offset - (starts[low] ?? 0)) + 1 }
  }
}
