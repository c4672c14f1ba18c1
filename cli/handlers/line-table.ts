// Reads which line of a bundle came from which file, out of esbuild's source map (https://tc39.es/ecma426/). Pure.

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
const VALUE = new Map(DIGITS.split("").map((digit, value) => [digit, value]))

/** The first place of each line of the bundle: index into the map's sources and 1-based line; undefined: of no source. */
export function linesOf(mappings: string): readonly (readonly [source: number, line: number] | undefined)[] {
  let [source, line] = [0, 0]
  return mappings.split(";").map((segments) => {
    let first: readonly [number, number] | undefined
    for (const segment of segments.split(",")) {
      const [, toSource, toLine] = numbersOf(segment)
      if (toSource === undefined || toLine === undefined) continue
      source += toSource
      line += toLine
      first ??= [source, line + 1]
    }
    return first
  })
}

/** Base 64 VLQ: five bits a digit, the lowest first; the lowest bit of all is the sign. */
function numbersOf(segment: string): readonly number[] {
  const all: number[] = []
  let [value, shift] = [0, 0]
  for (const digit of segment) {
    const bits = VALUE.get(digit) ?? 0
    value += (bits & 31) << shift
    shift += 5
    if ((bits & 32) !== 0) continue
    all.push((value & 1) === 1 ? -(value >> 1) : value >> 1)
    ;[value, shift] = [0, 0]
  }
  return all
}
