// Cancels the chosen runs of the list. It asks once, and names them.

import { useState } from "react"
import { Dialog } from "../parts/dialog.tsx"
import { faultOf } from "../parts/fault.ts"
import { counted } from "../parts/figures.ts"
import { Icon } from "../shell/icons.tsx"
import type { Api } from "../shell/session.ts"
import type { Row } from "./row.ts"
import css from "./runs.module.css"

interface Props {
  readonly api: Api
  /** Live ones. */
  readonly rows: readonly Row[]
  readonly onClose: (isDone: boolean) => void
}

/** Runs that are named in full; and requests at once. */
const MAX_NAMED = 8
const AT_ONCE = 4

export function CancelRuns({ api, rows, onClose }: Props) {
  const [isBusy, setBusy] = useState(false)
  const [faults, setFaults] = useState<readonly string[]>([])
  const [first] = rows
  const cancel = async (): Promise<void> => {
    setBusy(true)
    const failed: string[] = []
    const left = [...rows]
    const one = async (): Promise<void> => {
      for (let row = left.shift(); row !== undefined; row = left.shift()) {
        const { id, flow } = row
        await api.runs.cancel(id).catch((error: unknown) => failed.push(`${flow} ${id}: ${faultOf(error)}`))
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, one))
    if (failed.length === 0) return onClose(true)
    setFaults(failed)
    setBusy(false)
  }
  return (
    <Dialog
      title={rows.length === 1 ? `Cancel ${first?.flow ?? "the run"}?` : `Cancel ${counted(rows.length, "run")}?`}
      onClose={() => onClose(false)}
    >
      <div className="dlg-l">
        <ul className={css.fl}>
          {rows.slice(0, MAX_NAMED).map(({ id, flow, task }) => (
            <li key={id}>
              <b>{flow}</b>
              <span className="cut">{task}</span>
              <span className="id dim">{id}</span>
            </li>
          ))}
        </ul>
        {rows.length > MAX_NAMED && <p className="mid">and {counted(rows.length - MAX_NAMED, "more run")}</p>}
        <p className="mid">
          {rows.length === 1 ? "It ends" : "They end"} as canceled. What was done stays done; a fork can go on from any moment.
        </p>
        {faults.map((fault) => (
          <p className="msg error" role="alert" key={fault}>
            <Icon name="failed" kind="i-s" />
            <span>{fault}</span>
          </p>
        ))}
      </div>
      <div className="dlg-f">
        <button className="btn danger" type="button" aria-disabled={isBusy} onClick={() => (isBusy ? undefined : void cancel())}>
          {isBusy ? "Canceling" : rows.length === 1 ? "Cancel the run" : `Cancel ${counted(rows.length, "run")}`}
        </button>
        <button className="btn" type="button" onClick={() => onClose(false)}>
          Back
        </button>
      </div>
    </Dialog>
  )
}
