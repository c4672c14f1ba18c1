// A score: a bar as long as it is high, and the number.

import type { CSSProperties } from "react"
import { LOW, scoreWords } from "../../../web/quality/score-words.ts"
import { classes } from "../parts/classes.ts"
import css from "./quality-parts.module.css"

interface Props {
  readonly score: number | null
  readonly error?: string | undefined
  readonly low?: number | undefined
}

/** A bad score has a mark besides its color. */
export function Score({ score, error, low = LOW }: Props) {
  if (error !== undefined) return <span className="tag error">no score</span>
  if (score === null) return <span className="dim">does not apply</span>
  const isLow = score < low
  return (
    <span className={classes(css.score, isLow && css.low)}>
      <i style={{ "--share": Math.max(score, 0.03) } as CSSProperties} aria-hidden="true" />
      <b>{scoreWords(score)}</b>
      {isLow && <span className="vh">, low</span>}
    </span>
  )
}
