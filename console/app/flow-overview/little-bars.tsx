// A few bars on a scale of their own, the last one of now; their values are in their name.

import css from "./flow-overview.module.css"

interface Props {
  readonly label: string
  /** null: not known. */
  readonly values: readonly (number | null)[]
  readonly words: (value: number) => string
}

const [BAR, HEIGHT] = [6, 22]

export function LittleBars({ label, values, words }: Props) {
  const most = Math.max(...values.map(Number), 0) || 1
  const width = values.length * BAR
  return (
    <svg
      className={css.little}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}: ${values.map((value) => (value === null ? "none" : words(value))).join(", ")}`}
    >
      {values.map((value, i) => {
        const height = ((value ?? 0) / most) * (HEIGHT - 2)
        return (
          height > 0 && (
            <rect
              key={i}
              className={i === values.length - 1 ? css.last : undefined}
              x={i * BAR + 1}
              y={HEIGHT - height}
              width={BAR - 2}
              height={height}
            />
          )
        )
      })}
    </svg>
  )
}
