// What is asked before something begins or ends: each dialog says what is kept, what is paid and what may leave.

import { useState } from "react"
import { Dialog } from "../parts/dialog.tsx"
import { faultOf } from "../parts/fault.ts"
import { money } from "../parts/figures.ts"
import { Icon } from "../shell/icons.tsx"
import { addressOf, go } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { OtherRun } from "./compare/other-run.tsx"
import { ForkDialog } from "./fork-dialog.tsx"
import type { Selection } from "./selection.ts"
import type { ShownRun } from "./use-run.ts"

export interface DialogRequest {
  readonly what: "fork" | "edit" | "again" | "compare" | "test" | "cancel"
}

interface Props {
  readonly api: Api
  readonly asked: DialogRequest
  readonly shown: ShownRun
  readonly chosen: string
  readonly selection: Selection
  readonly onClose: () => void
}

export function Dialogs({ asked, ...rest }: Props) {
  switch (asked.what) {
    case "fork":
      return <ForkDialog {...rest} isEdit={false} />
    case "edit":
      return <ForkDialog {...rest} isEdit />
    case "again":
      return <Again {...rest} />
    case "compare":
      return <OtherRun api={rest.api} run={rest.shown.view} onClose={rest.onClose} />
    case "test":
      return <SaveTest {...rest} />
    case "cancel":
      return <Cancel {...rest} />
  }
}

type DialogProps = Omit<Props, "asked">

interface AskedForm {
  readonly title: string
  readonly verb: string
  readonly kind?: string
  readonly isOff?: boolean
  readonly act: () => Promise<void>
  readonly onClose: () => void
  readonly children: React.ReactNode
}

function Form({ title, verb, kind = "first", isOff = false, act, onClose, children }: AskedForm) {
  const [fault, setFault] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const isStopped = isBusy || isOff
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isStopped) return
          setBusy(true)
          act().then(onClose, (error: unknown) => {
            setFault(faultOf(error))
            setBusy(false)
          })
        }}
      >
        <div className="dlg-l">
          {children}
          {fault !== undefined && (
            <p className="msg error" role="alert">
              <Icon name="failed" kind="i-s" />
              <span>{fault}</span>
            </p>
          )}
        </div>
        <div className="dlg-f">
          <button className={`btn ${kind}`} type="submit" aria-disabled={isStopped}>
            {verb}
          </button>
          <button className="btn" type="button" onClick={onClose}>
            Back
          </button>
        </div>
      </form>
    </Dialog>
  )
}

function Cancel({ api, shown: { view }, onClose }: DialogProps) {
  return (
    <Form
      title={`Cancel ${view.flow}?`}
      verb="Cancel the run"
      kind="danger"
      onClose={onClose}
      act={async () => {
        await api.runs.cancel(view.id)
      }}
    >
      <p>
        Run <span className="id">{view.id}</span> ends as canceled. What it has done stays done, and a fork can continue from any moment of
        it.
      </p>
    </Form>
  )
}

function Again({ api, shown: { view }, onClose }: DialogProps) {
  const usd = view.usage.usd
  return (
    <Form
      title={`Run ${view.flow} again`}
      verb="Run again"
      onClose={onClose}
      act={async () => {
        const { id } = await api.runs.again(view.id)
        go(addressOf("runs", id))
      }}
    >
      <p>
        Starts over with the same task, inputs and files and the current definitions. Nothing is kept
        {usd === null ? "" : `: this run cost ${money(usd)}`}.
      </p>
      {view.effects === "live" && <p className="mid">Calls with outside effects are executed, as in this run.</p>}
    </Form>
  )
}

function SaveTest({ api, shown: { view }, onClose }: DialogProps) {
  const [name, setName] = useState("")
  const isName = /^[a-z0-9][a-z0-9-]*$/.test(name)
  return (
    <Form
      title="Save as test"
      verb="Save the test"
      isOff={!isName}
      onClose={onClose}
      act={async () => {
        await api.runs.test(view.id, name)
      }}
    >
      <p className="mid">
        Adds this run to the tests of {view.flow}: its inputs, what models and tools answered, and how it ended. Tests call no model and
        send nothing.
      </p>
      <label className="field">
        <span className="small">Name: lower-case letters, digits and dashes</span>
        <input className="input mono" value={name} onChange={({ target }) => setName(target.value)} />
      </label>
    </Form>
  )
}
