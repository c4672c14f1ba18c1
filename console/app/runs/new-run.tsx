// Starts a run from a form that is made of the flow's own inputs; the run's page opens with it.

import { useMemo, useState } from "react"
import type { FlowStart } from "../../../src/core/flow/check/graph-view.ts"
import { SluiceError } from "../../../src/client/transport/sluice-error.ts"
import { readAddress, valueOf } from "../../../web/runs/query.ts"
import { startOf, type MoreOfStart } from "../../../web/runs/start.ts"
import { Combobox } from "../parts/combobox.tsx"
import { Dialog } from "../parts/dialog.tsx"
import { faultOf } from "../parts/fault.ts"
import { placed, StartFields } from "../parts/start-fields.tsx"
import { useAsked } from "../parts/asked.ts"
import { Icon } from "../shell/icons.tsx"
import { addressOf, go, useQuery } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { valuesOf, type Field } from "../../../web/run/start-form.ts"
import { blockFrom, NO_BLOCK } from "../../../web/start/block-form.ts"
import { NO_JSON } from "../settings/parts/sent-block.ts"
import { StartBlock } from "../settings/parts/start-block.tsx"
import { MoreFields } from "./more-fields.tsx"

/** Flows that come with every instance, below those of the tenant. */
const BUILT_IN = "built-in"

export function NewRun({ api, onClose }: { readonly api: Api; readonly onClose: () => void }) {
  const address = useQuery()
  // A list of one flow's runs offers that flow.
  const wanted = useMemo(() => address.get("flow") ?? valueOf(readAddress(address), "flow"), [address])
  const { value, fault } = useAsked(["catalog", "flows"], async () => (await api.catalog.list()).data.filter(({ kind }) => kind === "flow"))
  const flows = useMemo(
    () => value?.toSorted((a, b) => Number(a.tier === BUILT_IN) - Number(b.tier === BUILT_IN) || a.id.localeCompare(b.id)) ?? [],
    [value],
  )
  // The page behind is drawn anew each second, and what is being typed stays as long as the choices are the same.
  const choices = useMemo(() => flows.map(({ id, tier }) => ({ value: id, ...(tier === BUILT_IN ? { note: "built in" } : {}) })), [flows])
  const [chosen, setChosen] = useState<string>()
  // The list may be narrowed to several flows at once.
  const flow = chosen ?? flows.find(({ id }) => id === wanted)?.id ?? flows[0]?.id
  const start = useAsked(["catalog", "start of flow", flow], async () =>
    flow === undefined ? undefined : (await api.flows.graph(flow)).start,
  )
  return (
    <Dialog title="New run" onClose={onClose}>
      {fault !== undefined && (
        <div className="dlg-l">
          <p className="msg error" role="alert">
            {fault}
          </p>
        </div>
      )}
      {value === undefined && fault === undefined && <div className="dlg-l" data-reading="" />}
      {value?.length === 0 && (
        <div className="dlg-l">
          <p className="mid">There is no flow yet. Make one under Flows first.</p>
        </div>
      )}
      {flow !== undefined && (
        <div className="dlg-l" data-reading={start.value === undefined && start.fault === undefined ? "" : undefined}>
          <div className="field">
            <label htmlFor="flow">Flow</label>
            <Combobox id="flow" value={flow} choices={choices} onChange={setChosen} />
          </div>
          {start.fault !== undefined && (
            <p className="msg error" role="alert">
              {start.fault}
            </p>
          )}
        </div>
      )}
      {flow !== undefined && start.value && <StartForm key={flow} api={api} flow={flow} start={start.value} onClose={onClose} />}
    </Dialog>
  )
}

interface FormProps {
  readonly api: Api
  readonly flow: string
  readonly start: FlowStart
  readonly onClose: () => void
}

function StartForm({ api, flow, start, onClose }: FormProps) {
  const [task, setTask] = useState("")
  const [given, setGiven] = useState<Readonly<Record<string, Field>>>({})
  const [isRehearsed, setRehearsed] = useState(false)
  const [more, setMore] = useState<MoreOfStart>({})
  const [block, setBlock] = useState(NO_BLOCK)
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({})
  const [fault, setFault] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const send = (): void => {
    if (isBusy) return
    const { values, faults: wrong } = valuesOf(start.inputs, given)
    const missing = start.task_required && task.trim() === "" ? { task: "The flow needs a task." } : {}
    const rest = startOf(more)
    const said = blockFrom(block)
    const found = { ...wrong, ...missing, ...rest.faults, ...(said === null ? { start: NO_JSON } : {}) }
    setFaults(found)
    setFault(undefined)
    if (Object.keys(found).length > 0) return
    setBusy(true)
    const wish = {
      ...(task.trim() === "" ? {} : { task }),
      ...(Object.keys(values).length === 0 ? {} : { inputs: values }),
      ...(isRehearsed ? { rehearse: true } : {}),
      ...rest.start,
      ...(said ? { start: said } : {}),
    }
    api.flows.start(rest.revision === undefined ? flow : `${flow}@${rest.revision}`, wish).then(
      ({ id: run }) => go(addressOf("runs", run)),
      (error: unknown) => {
        setBusy(false)
        setFaults(error instanceof SluiceError ? placed(error) : {})
        setFault(faultOf(error))
      },
    )
  }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <div className="dlg-l">
        {start.description !== "" && <p className="mid">{start.description}</p>}
        <StartFields lines={4} start={start} task={task} given={given} faults={faults} onTask={setTask} onGiven={setGiven} />
        <label className="check">
          <input type="checkbox" checked={isRehearsed} onChange={({ target }) => setRehearsed(target.checked)} />
          <span>Rehearse: a built-in model plays the agents, and nothing is paid</span>
        </label>
        <MoreFields more={more} faults={faults} onMore={setMore} />
        <StartBlock
          fields={block}
          faults={Object.fromEntries(Object.entries(faults).map(([place, fault]) => [`/${place}`, fault]))}
          label="When it begins"
          keyHint="Starts with the same key count together. A flow that has keys of its own keeps them."
          onChange={setBlock}
        />
        {fault !== undefined && (
          <p className="msg error" role="alert">
            <Icon name="failed" kind="i-s" />
            <span>{fault}</span>
          </p>
        )}
      </div>
      <div className="dlg-f">
        <button className="btn first" type="submit" aria-disabled={isBusy}>
          {isBusy ? "Starting" : "Start the run"}
        </button>
        <button className="btn" type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  )
}
