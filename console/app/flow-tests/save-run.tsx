// A case made of a run that has ended [K22]: its input, the replies of its models, the answers of people.

import { useState } from "react"
import { visible } from "../../../web/chat/wording.ts"
import { Dialog } from "../parts/dialog.tsx"
import { faultOf } from "../parts/fault.ts"
import { age, fullTime } from "../parts/figures.ts"
import { Status } from "../parts/status.tsx"
import { useAsked } from "../parts/asked.ts"
import { FaultLine } from "../inbox/fault-line.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import css from "./flow-tests.module.css"

interface Props {
  readonly api: Api
  readonly flow: string
  /** With the name of the case that it made. */
  readonly onDone: (name: string) => void
  readonly onClose: () => void
}

/** Runs to choose from. */
const SHOWN = 20

export function SaveRun({ api, flow, onDone, onClose }: Props) {
  const runs = useAsked(
    ["run", "runs to keep", flow],
    async () => (await api.runs.list({ flow, status: ["succeeded", "failed"], limit: SHOWN }).page()).data,
  )
  const [chosen, setChosen] = useState<string>()
  const [name, setName] = useState("")
  const [fault, setFault] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const now = Date.now()
  const run = chosen ?? runs.value?.[0]?.id
  const isOff = isBusy || run === undefined || name.trim() === ""
  const save = (): void => {
    if (isOff || run === undefined) return
    setBusy(true)
    api.runs.test(run, name.trim()).then(
      () => {
        onDone(name.trim())
        onClose()
      },
      (error: unknown) => {
        setBusy(false)
        setFault(faultOf(error))
      },
    )
  }
  return (
    <Dialog title="Save a run as a test" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        <div className="dlg-l">
          <FaultLine fault={fault ?? runs.fault} />
          {runs.value?.length === 0 && (
            <p>
              No run of <span className="mono">{flow}</span> has ended yet.{" "}
              <Link className="link" href={`${addressOf("runs")}?new=1&flow=${encodeURIComponent(flow)}`}>
                Start one
              </Link>
            </p>
          )}
          <fieldset className={css.pickRun}>
            <legend className="vh">Run</legend>
            {runs.value?.map(({ id, task, status, created }) => (
              <label key={id} className="check">
                <input type="radio" name="run" checked={id === run} onChange={() => setChosen(id)} />
                <Status status={status} />
                <span className="cut grow">{task === undefined || task === "" ? id : visible(task)}</span>
                <span className="dim small nowrap" title={fullTime(created)}>
                  {age(Date.parse(created), now)}
                </span>
              </label>
            ))}
          </fieldset>
          <div className="field">
            <label htmlFor="case-name">Name of the test</label>
            <input id="case-name" className="input" value={name} maxLength={200} onChange={({ target }) => setName(target.value)} />
            <p className="hint">The test keeps the run’s input, its models’ replies and people’s answers. It passes as it is.</p>
          </div>
        </div>
        <div className="dlg-f">
          <button className="btn first" type="submit" aria-disabled={isOff}>
            {isBusy ? "Saving" : "Save the test"}
          </button>
          <button className="btn" type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
