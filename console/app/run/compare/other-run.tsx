// Chooses the run to compare with: forks of this one, its source, then recent runs of the same flow.

import { useState } from "react"
import type { RunRow } from "../../../../src/api/doc/run/runs.doc.ts"
import type { Choice } from "../../parts/choice.ts"
import { Combobox } from "../../parts/combobox.tsx"
import { Dialog } from "../../parts/dialog.tsx"
import { useAsked } from "../../parts/asked.ts"
import { age } from "../../parts/figures.ts"
import { lookOf } from "../../parts/status.tsx"
import { addressOf, go } from "../../shell/place.ts"
import type { Api } from "../../shell/session.ts"

interface Props {
  readonly api: Api
  readonly run: { readonly id: string; readonly flow: string; readonly fork?: { readonly run: string } }
  readonly onClose: () => void
}

const MOST_FORKS = 20
const MOST_RUNS = 50

export function OtherRun({ api, run, onClose }: Props) {
  const { value, fault } = useAsked(["run", "to compare", run.id], async (): Promise<readonly Choice[]> => {
    const source = run.fork?.run
    const [forks, recent] = await Promise.all([
      api.runs.list({ fork_of: run.id, limit: MOST_FORKS }).page(),
      api.runs.list({ flow: run.flow, limit: MOST_RUNS }).page(),
    ])
    const choices = [
      ...forks.data.map((row) => choiceOf(row, "fork of this run")),
      ...(source === undefined ? [] : [recent.data.find(({ id }) => id === source) ?? source].map(sourceChoice)),
      ...recent.data.map((row) => choiceOf(row)),
    ]
    return choices.filter(({ value: id }, at) => id !== run.id && choices.findIndex((one) => one.value === id) === at)
  })
  const [given, setGiven] = useState<string>()
  const other = given ?? value?.[0]?.value ?? ""
  const compare = (): void => {
    if (other === "") return
    onClose()
    go(addressOf("runs", run.id, "compare", other))
  }
  return (
    <Dialog title="Compare with another run" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          compare()
        }}
      >
        <div className="dlg-l">
          <label className="field" htmlFor="other-run">
            <span className="small">Run to compare with</span>
          </label>
          <div data-reading={value === undefined && fault === undefined ? "" : undefined}>
            <Combobox id="other-run" value={other} choices={value ?? []} onChange={setGiven} placeholder="Find by id, revision or status" />
          </div>
          {value?.length === 0 && <p className="dim">No other run of {run.flow} is there yet.</p>}
          {fault !== undefined && (
            <p className="msg error" role="alert">
              {fault}
            </p>
          )}
        </div>
        <div className="dlg-f">
          <button className="btn first" type="submit" aria-disabled={other === ""}>
            Compare
          </button>
          <button className="btn" type="button" onClick={onClose}>
            Back
          </button>
        </div>
      </form>
    </Dialog>
  )
}

const sourceChoice = (source: RunRow | string): Choice =>
  typeof source === "string" ? { value: source, words: source, note: "source of this run" } : choiceOf(source, "source of this run")

function choiceOf({ id, status, revision, created, task }: RunRow, kin?: string): Choice {
  const words = [
    `${id.slice(0, 12)}…`,
    lookOf(status).word.toLowerCase(),
    ...(revision === undefined ? [] : [`r${revision}`]),
    age(Date.parse(created), Date.now()),
  ]
  const note = [kin, task].filter((one) => one !== undefined && one !== "").join(", ")
  return { value: id, words: words.join(" · "), ...(note === "" ? {} : { note: note.slice(0, 120) }) }
}
