// Draws how the times of a row are spread: few long ones look other than many.

import { placeOf, spreadBars, spreadWords, type Spread, type SpreadAxis } from "../../../web/flow-overview/spread.ts"
import { duration } from "../parts/figures.ts"
import css from "./spread.module.css"

interface Props {
  readonly times: { readonly p50: number; readonly p95: number; readonly spread?: Spread } | null
  readonly axis: SpreadAxis | undefined
}

const [WIDTH, HEIGHT] = [240, 24]

export function SpreadCell({ times, axis }: Props) {
  const spread = times?.spread ?? []
  if (times === null || axis === undefined || spread.length === 0) return <td className={css.cell} />
  const words = spreadWords(spread, duration)
  return (
    <td className={css.cell}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" className={css.spread} aria-hidden="true">
        <title>{words}</title>
        <path className={css.base} d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} />
        {spreadBars(spread, axis).map(({ left, width, height }) => (
          <rect
            key={left}
            x={left * WIDTH + 0.5}
            width={Math.max(1, width * WIDTH - 1)}
            y={HEIGHT - 1 - Math.max(1.5, height * (HEIGHT - 2))}
            height={Math.max(1.5, height * (HEIGHT - 2))}
          />
        ))}
        {[times.p50, times.p95].map((ms, i) => (
          <path key={i} className={css.mark} d={`M${placeOf(ms, axis) * WIDTH} 0V${HEIGHT}`} />
        ))}
      </svg>
      <span className="vh">{words}</span>
    </td>
  )
}

/** The ends of the axis stand in the head, once for all rows. */
export function SpreadHead({ axis }: { readonly axis: SpreadAxis | undefined }) {
  return (
    <th scope="col" className={css.cell}>
      Time{axis && axis.bars > 1 && `, ${duration(axis.from)} to ${duration(axis.to)}`}
    </th>
  )
}
