// The runs that wait for a signal.

import { visible } from "../../../../web/chat/wording.ts"
import { age, fullTime } from "../../parts/figures.ts"
import { Icon } from "../../shell/icons.tsx"
import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"
import type { AwaitedSignal } from "./signals.ts"
import { classes } from "../../parts/classes.ts"
import css from "../inbox.module.css"

/** The part of an address that is no run's id. */
export const SIGNAL = "signal"
export const signalAddress = (run: string): string => addressOf("inbox", SIGNAL, run)

interface Props {
  readonly signals: readonly AwaitedSignal[]
  /** The run that is open. */
  readonly open: string | undefined
  readonly now: number
}

export function SignalRows({ signals, open, now }: Props) {
  if (signals.length === 0) return null
  return (
    <>
      <div className={classes("panel-head", css.lab)}>
        <h2>Signals</h2>
        <span className="count">{signals.length}</span>
      </div>
      <ul>
        {signals.map(({ row, signal }) => (
          <li key={row.id}>
            <Link
              className={open === row.id ? classes(css.it, css.on) : css.it}
              href={signalAddress(row.id)}
              aria-current={open === row.id ? "true" : undefined}
            >
              <Icon name="clock" kind="i dim" label="Waits for a signal" />
              <b className="cut mono">{visible(signal)}</b>
              <span className="num dim" title={fullTime(row.now?.at ?? row.created)}>
                {age(Date.parse(row.now?.at ?? row.created), now)}
              </span>
              <span className={classes("cut", css.sub)} dir="auto">
                {row.task === undefined || row.task === "" ? row.flow : visible(row.task)}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}
