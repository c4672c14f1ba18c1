// Failures by day, today last: each row on a scale of its own, with its values in its name.

import type { FailureGroup } from "../../../src/api/doc/insight.doc.ts"
import { classes } from "../parts/classes.ts"
import css from "./sparkline.module.css"

const DAY = 8
const HEIGHT = 24
const TOP = 2

export function Sparkline({ days }: Pick<FailureGroup, "days">) {
  const width = days.length * DAY
  const most = Math.max(1, ...days.map(({ count }) => count))
  return (
    <svg
      className={css.spark}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      width={width}
      height={HEIGHT}
      role="img"
      aria-label={`Failures of each of the last ${days.length} days, today last: ${days.map(({ count }) => count).join(", ")}`}
    >
      {days.map(({ day, count }, at) => {
        const height = (count / most) * (HEIGHT - TOP)
        const isToday = at === days.length - 1
        return count === 0 ? null : (
          <rect
            key={day}
            className={isToday ? classes(css.sparkBar, css.on) : css.sparkBar}
            x={at * DAY + 1}
            y={HEIGHT - height}
            width={DAY - 2}
            height={height}
          />
        )
      })}
    </svg>
  )
}
