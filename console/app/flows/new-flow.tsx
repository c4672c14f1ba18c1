// A new flow: its name and what it is for. Its editor opens with an example that runs, and nothing is written until it is saved.

import { useEffect, useState } from "react"
import { isFlowId } from "../../../src/core/text/names.ts"
import { Dialog } from "../parts/dialog.tsx"
import { useAsked } from "../parts/asked.ts"
import { addressOf, go } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { keepDraft } from "./kept-drafts.ts"

export function NewFlow({ api, onClose }: { readonly api: Api; readonly onClose: () => void }) {
  const [name, setName] = useState("")
  const [about, setAbout] = useState("")
  const [fault, setFault] = useState<string>()
  const { value } = useAsked(["catalog", "names"], async () => (await api.catalog.list()).data)
  useEffect(() => setFault(undefined), [name])
  const open = (): void => {
    const id = name.trim()
    if (!isFlowId(id)) return setFault('Use letters, digits, "_" and "-", with folders joined by ":".')
    if (value?.some((row) => row.kind === "flow" && row.id === id)) return setFault("There is a flow with this name.")
    const agent = value?.find((row) => row.kind === "agent" && row.tier === "local") ?? value?.find((row) => row.kind === "agent")
    keepDraft("flow", id, example(id, about.trim(), agent?.id ?? "helper"))
    go(addressOf("flows", id))
  }
  return (
    <Dialog title="New flow" onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          open()
        }}
      >
        <div className="dlg-l">
          <div className="field">
            <label htmlFor="flow-name">Name</label>
            <input
              id="flow-name"
              className={fault === undefined ? "input mono" : "input mono bad"}
              autoComplete="off"
              spellCheck={false}
              placeholder="ops:incident"
              value={name}
              aria-invalid={fault !== undefined}
              aria-describedby="flow-name-fault"
              onChange={({ target }) => setName(target.value)}
            />
            <p className="msg error" id="flow-name-fault" role="alert">
              {fault}
            </p>
          </div>
          <div className="field">
            <label htmlFor="flow-about">What it is for</label>
            <input id="flow-about" className="input" value={about} onChange={({ target }) => setAbout(target.value)} />
          </div>
        </div>
        <div className="dlg-f">
          <button className="btn first" type="submit">
            Create flow
          </button>
          <button className="btn" type="button" onClick={() => go(`${addressOf("flows", "new")}?architect=1`)}>
            Describe it to the architect
          </button>
          <span className="dim small">Opens in the editor. Nothing is saved yet.</span>
        </div>
      </form>
    </Dialog>
  )
}

/** The last part of the id is the flow's name; a line of JSON is a line of YAML. */
const example = (id: string, about: string, agent: string): string =>
  `name: ${id.slice(id.lastIndexOf(":") + 1)}
description: ${about === "" ? "Answers a task in two steps." : JSON.stringify(about)}
task_required: true

steps:
  - id: draft
    type: agent
    agent: ${agent}
    task: "\${{task}}"

  - id: check
    type: agent
    agent: ${agent}
    blockedBy: draft
    task: "Check this, and answer with what is right: \${{result.draft.summary}}"
`
