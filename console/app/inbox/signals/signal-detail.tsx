// A run that waits for a signal, and the signal, which can be sent here.

import { visible } from "../../../../web/chat/wording.ts"
import { SendSignal } from "../../run/detail/wait-view.tsx"
import { fullTime } from "../../parts/figures.ts"
import { Icon } from "../../shell/icons.tsx"
import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"
import type { Api } from "../../shell/session.ts"
import { Frame, type Around } from "../frame.tsx"
import type { AwaitedSignal } from "./signals.ts"
import { classes } from "../../parts/classes.ts"
import css from "../inbox.module.css"

interface Props {
  readonly api: Api
  readonly awaited: AwaitedSignal
  readonly around: Around
}

export function SignalDetail({ api, awaited: { row, signal }, around }: Props) {
  const run = addressOf("runs", row.id)
  const mark = (
    <span className="st">
      <Icon name="clock" kind="i-s dim" />
      Signal
    </span>
  )
  const side = (
    <section>
      <h3>Context</h3>
      <dl className={classes("kv", css.ctx)}>
        <dt>Run</dt>
        <dd>
          <Link className="link" href={run}>
            {row.flow}
          </Link>
        </dd>
        <dt>Began</dt>
        <dd>{fullTime(row.created)}</dd>
      </dl>
    </section>
  )
  return (
    <Frame
      mark={mark}
      around={around}
      run={run}
      title={
        <>
          Waits for the signal <span className="mono">{visible(signal)}</span>
        </>
      }
      sub={row.task}
      side={side}
      acts={<span className="dim">Usually another system sends it. The run continues as soon as it arrives.</span>}
    >
      <section>
        <h3>Send it yourself</h3>
        <SendSignal api={api} run={row.id} signal={signal} />
      </section>
    </Frame>
  )
}
