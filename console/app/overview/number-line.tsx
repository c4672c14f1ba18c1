// The line of a number through its day, in the band of what is usual: red where it leaves the band, dotted where it should go. The number beside it and
// the plot below say the same.

import type { NumberLine as Line } from "../../../web/overview/lines.ts"
import css from "./number-line.module.css"

interface Props {
  readonly line: Line
  /** Rates near 100 % do not begin at 0. */
  readonly isShare: boolean
  readonly limit: number | undefined
  readonly ends: readonly [string, string, string]
}

const [WIDTH, HEIGHT] = [232, 54]
const PAD = 3

export function NumberLine({ line: { values, usual, forecast }, isShare, limit, ends }: Props) {
  const all = [...values, ...forecast, ...usual.flatMap((range) => range ?? []), limit ?? null].filter((one) => one !== null)
  const [low, high] = [isShare ? Math.min(...all, 1) : 0, isShare ? 1 : Math.max(...all, 0)]
  const y = (value: number): number => round(PAD + (HEIGHT - 2 * PAD) * (1 - (value - low) / (high - low || 1)))
  const x = (i: number): number => round(((i + 0.5) / Math.max(1, values.length)) * WIDTH)
  const last = values.findLastIndex((value) => value !== null)
  const now = values[last] ?? null
  const isOdd = (i: number): boolean => isOut(values[i] ?? null, usual[i] ?? null)
  return (
    <span className={css.line} aria-hidden="true">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
        {runsOf(usual.map((range) => range !== null)).map((at) => (
          <g key={at[0]}>
            <path
              className={css.band}
              d={`${pathOf(
                at,
                (i) => x(i),
                (i) => y(usual[i]?.[1] ?? 0),
              )}${back(at, x, (i) => y(usual[i]?.[0] ?? 0))}Z`}
            />
            {[0, 1].map((edge) => (
              <path key={edge} className={css.edge} d={pathOf(at, x, (i) => y(usual[i]?.[edge] ?? 0))} />
            ))}
          </g>
        ))}
        {limit !== undefined && <path className={css.limit} d={`M0 ${y(limit)}H${WIDTH}`} />}
        {runsOf(values.map((value) => value !== null)).map((at) => (
          <path key={at[0]} className={css.own} d={pathOf(at, x, (i) => y(values[i] ?? 0))} />
        ))}
        {runsOf(values.map((value, i) => value !== null && isOdd(i))).map((at) => (
          <path key={at[0]} className={css.odd} d={pathOf(withOneBefore(at, values), x, (i) => y(values[i] ?? 0))} />
        ))}
        {runsOf(forecast.map((value) => value !== null)).map((at) => (
          <path key={at[0]} className={css.forecast} d={pathOf(at, x, (i) => y(forecast[i] ?? 0))} />
        ))}
        {now !== null && <path className={isOdd(last) ? css.oddDot : css.dot} d={`M${x(last)} ${y(now)}h.01`} />}
      </svg>
      <span className={css.ends}>
        {ends.map((end, i) => (
          <span key={i}>{end}</span>
        ))}
      </span>
    </span>
  )
}

const round = (value: number): number => Math.round(value * 10) / 10

const isOut = (value: number | null, range: readonly number[] | null): boolean =>
  value !== null && range !== null && (value < (range[0] ?? 0) || value > (range[1] ?? Number.POSITIVE_INFINITY))

/** Places that follow each other. */
function runsOf(are: readonly boolean[]): number[][] {
  const runs: number[][] = []
  for (const [i, is] of are.entries()) {
    if (!is) continue
    if (are[i - 1] === true) runs.at(-1)?.push(i)
    else runs.push([i])
  }
  return runs
}

const withOneBefore = (at: readonly number[], values: readonly (number | null)[]): readonly number[] => {
  const before = (at[0] ?? 0) - 1
  return (values[before] ?? null) === null ? at : [before, ...at]
}

type Of = (i: number) => number
const pathOf = (at: readonly number[], x: Of, y: Of): string => at.map((i, n) => `${n === 0 ? "M" : "L"}${x(i)} ${y(i)}`).join("")
const back = (at: readonly number[], x: Of, y: Of): string =>
  at
    .toReversed()
    .map((i) => `L${x(i)} ${y(i)}`)
    .join("")
