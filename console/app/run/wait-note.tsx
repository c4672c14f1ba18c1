// Says, where the detail is a tap away, that the run waits for a signal or a time, and leads there.

import { waitIn } from "../../../web/run/waits.ts"
import { classes } from "../parts/classes.ts"
import { shortTime } from "../parts/figures.ts"
import { Icon } from "../shell/icons.tsx"
import type { ShownRun } from "./use-run.ts"
import css from "./run-head.module.css"

export function WaitNote({ shown, onReview }: { readonly shown: ShownRun; readonly onReview: (step: string) => void }) {
  const wait = waitIn(shown.story)
  if (!wait) return null
  const { waiting } = shown.view
  const signal = waiting !== undefined && "signal" in waiting ? waiting.signal : undefined
  const { until } = wait.work
  return (
    <p className={classes("note pending", css.ask)}>
      <Icon name="clock" />
      <span>
        <b>{wait.step}</b> waits
        {signal !== undefined ? ` for the signal ${signal}` : until === undefined ? " for a signal" : ` until ${shortTime(until)}`}
      </span>
      <button className={classes("btn bare", css.do)} type="button" onClick={() => onReview(wait.step)}>
        {signal === undefined ? "Look" : "Send it"}
      </button>
    </p>
  )
}
