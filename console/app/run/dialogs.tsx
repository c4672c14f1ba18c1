// What is asked before something begins or ends: each dialog says what is kept, what is paid and what may leave.

import { useState } from "react"
import { Dialog } from "../parts/dialog.tsx"
import { faultOf } from "../parts/fault.ts"
import { useAsked } from "../parts/asked.ts"
import { Icon } from "../shell/icons.tsx"
import { addressOf, go } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
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
      return <CompareWith {...rest} />
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
        Run <span className="id">{view.id}</span> ends as canceled. What it has done stays done; a fork can go on from any of its moments.
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
        The same task, inputs and files, from the beginning, with the definitions of now. Nothing is kept
        {usd === null ? "" : `; this run has cost $${usd.toFixed(3)}`}.
      </p>
      {view.effects === "live" && <p className="mid">Calls that change something outside are carried out, as in this run.</p>}
    </Form>
  )
}

function SaveTest({ api, shown: { view }, onClose }: DialogProps) {
  const [name, setName] = useState("")
  const isName = /^[a-z0-9][a-z0-9-]*$/.test(name)
  return (
    <Form
      title="Save as test"
      verb="Save the case"
      isOff={!isName}
      onClose={onClose}
      act={async () => {
        await api.runs.test(view.id, name)
      }}
    >
      <p className="mid">
        Adds a case to the tests of {view.flow}: what this run was given, what its models and tools answered, and how it ended. Tests ask no
        model and send nothing.
      </p>
      <label className="field">
        <span className="small">Name: lower-case letters, digits and dashes</span>
        <input className="input mono" value={name} onChange={({ target }) => setName(target.value)} />
      </label>
    </Form>
  )
}

function CompareWith({ api, shown: { view }, onClose }: DialogProps) {
  const { value = [] } = useAsked(["run", "to compare", view.id], async () => {
    const [forks, same] = await Promise.all([
      api.runs.list({ fork_of: view.id, limit: 10 }).page(),
      api.runs.list({ flow: view.flow, limit: 10 }).page(),
    ])
    const ids = [...(view.fork === undefined ? [] : [view.fork.run]), ...forks.data.map(({ id }) => id), ...same.data.map(({ id }) => id)]
    return [...new Set(ids)].filter((id) => id !== view.id)
  })
  const [given, setOther] = useState<string>()
  const other = given ?? value[0] ?? ""
  return (
    <Form
      title="Compare with another run"
      verb="Compare"
      isOff={other.trim() === ""}
      onClose={onClose}
      act={() => {
        go(addressOf("runs", view.id, "compare", other.trim()))
        return Promise.resolve()
      }}
    >
      <label className="field">
        <span className="small">The other run: the source of a fork, its forks, or runs of the same flow</span>
        <input className="input mono" list="others" value={other} onChange={({ target }) => setOther(target.value)} />
      </label>
      <datalist id="others">
        {value.map((id) => (
          <option key={id}>{id}</option>
        ))}
      </datalist>
    </Form>
  )
}
