// What happens if the reader goes on: figures, what is worth knowing, and the one button. Until it is pressed nothing is written.

import type { ReactNode } from "react"
import { FaultLine } from "../inbox/fault-line.tsx"
import { useKeys } from "../shell/keys.ts"
import { classes } from "../parts/classes.ts"
import css from "./connect.module.css"

interface Props {
  readonly figures: readonly (readonly [label: string, value: ReactNode])[]
  readonly verb: string
  readonly isOff: boolean
  readonly isBusy: boolean
  readonly fault: string | undefined
  readonly foot?: string
  readonly onAct: () => void
  readonly children?: ReactNode
}

export function Side({ figures, verb, isOff, isBusy, fault, foot = "Nothing has been written yet.", onAct, children }: Props) {
  const act = (): void => {
    if (!isOff && !isBusy) onAct()
  }
  useKeys("sending", { send: act })
  return (
    <aside className={classes("panel", css.side)} aria-label="Summary">
      <section className={css.blk}>
        <h3>Summary</h3>
        <dl className="kv">
          {figures.map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </section>
      {children}
      <FaultLine fault={fault} />
      <button className="btn first wide" type="button" aria-disabled={isOff || isBusy} onClick={act}>
        {isBusy ? "Writing" : verb} <kbd>Ctrl Enter</kbd>
      </button>
      <p className="dim small">{foot}</p>
    </aside>
  )
}
