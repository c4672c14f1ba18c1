// The line of each number of the overview over its day, in what is usual for it, and where the day should end.

import type { NumberName } from "./verdict.ts"

type Range = readonly [number, number, ...never[]] | null
export type Numbers<Value> = Readonly<Record<NumberName, Value>>

/** What the line needs of a slice of the day. */
export interface NumberSlice {
  readonly at: string
  readonly open: number | null
  readonly so_far?: Numbers<number | null>
  readonly usual?: Numbers<Range>
  readonly usual_so_far?: Numbers<Range>
}

export interface NumberLine {
  /** null: there is none, or it is yet to come. */
  readonly values: readonly (number | null)[]
  readonly usual: readonly Range[]
  /** From the slice of now on. */
  readonly forecast: readonly (number | null)[]
}

/** Those that grow through the day. */
const GROWING: ReadonlySet<NumberName> = new Set(["runs", "usd"])

/** `judged`: the number now, and what is usual by now. */
export function lineOf(
  name: NumberName,
  data: readonly NumberSlice[],
  judged: { readonly value: number | null; readonly usual: Range } | undefined,
  now: number,
): NumberLine {
  const usual = data.map((slice) => (name === "open" ? slice.usual : slice.usual_so_far)?.[name] ?? null)
  const isCome = data.map(({ at }) => Date.parse(at) <= now)
  const values = data.map((slice, i) => (isCome[i] === true ? ((name === "open" ? slice.open : slice.so_far?.[name]) ?? null) : null))
  const last = isCome.lastIndexOf(true)
  return { values, usual, forecast: GROWING.has(name) ? forecastOf(usual, judged, last) : values.map(() => null) }
}

/** As the usual day goes on from here. */
function forecastOf(usual: readonly Range[], judged: Parameters<typeof lineOf>[2], last: number): (number | null)[] {
  const [value, byNow] = [judged?.value ?? null, middle(judged?.usual ?? null)]
  return usual.map((range, i) => {
    const then = middle(range)
    if (i < last || value === null || byNow === null || byNow === 0 || then === null) return null
    return i === last ? value : (value * then) / byNow
  })
}

const middle = (range: Range): number | null => (range ? (range[0] + range[1]) / 2 : null)

/** Where the day should end; null: not known. */
export const endOf = ({ forecast }: NumberLine): number | null => forecast.at(-1) ?? null
