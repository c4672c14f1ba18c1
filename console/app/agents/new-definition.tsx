// A new agent or skill: its name, and a file that is valid from the first line.

import { useState } from "react"
import { Dialog } from "../parts/dialog.tsx"
import { faultOf } from "../parts/fault.ts"
import { FaultLine } from "../inbox/fault-line.tsx"
import { go } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { definitionAddress, type PageKind } from "./definition-address.ts"

interface Props {
  readonly api: Api
  readonly kind: PageKind
  readonly onClose: () => void
}

/** As the catalog takes names. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

const TEXTS = {
  agent: (name: string): string =>
    `---\nname: ${name}\ndescription: What ${name} does\nmodel: "@fast"\ntools: [read]\n---\nSay what to do with the task.\n\n\${{task}}\n`,
  skill: (name: string): string => `---\nname: ${name}\ndescription: When to read ${name}\n---\n# ${name}\n\nSay how it is done.\n`,
}

export function NewDefinition({ api, kind, onClose }: Props) {
  const [name, setName] = useState("")
  const [fault, setFault] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const make = async (): Promise<void> => {
    if (isBusy) return
    if (!NAME.test(name)) return setFault("Use letters, digits, “-” and “_”: at most 64 characters, beginning with a letter or a digit.")
    setBusy(true)
    setFault(undefined)
    try {
      const used = await api.catalog.used(kind, name).page()
      if (used.data.length > 0) return setFault(`There is a ${kind} “${name}” already: choose another name.`)
      await api.catalog.put(kind, kind === "agent" ? name : `${name}/SKILL.md`, TEXTS[kind](name))
      go(definitionAddress(kind, name))
    } catch (error) {
      setFault(faultOf(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog title={kind === "agent" ? "New agent" : "New skill"} onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void make()
        }}
      >
        <div className="dlg-l">
          <div className="field">
            <label htmlFor="new-name">Name</label>
            <input
              id="new-name"
              className={fault === undefined ? "input" : "input bad"}
              autoComplete="off"
              spellCheck={false}
              value={name}
              aria-invalid={fault !== undefined}
              onChange={({ target }) => setName(target.value)}
            />
          </div>
          <p className="mid">It is saved right away, and then you edit it. Nothing uses it until a flow or an agent names it.</p>
          <FaultLine fault={fault} />
        </div>
        <div className="dlg-f">
          <button className="btn first" type="submit" aria-disabled={isBusy}>
            {isBusy ? "Creating" : kind === "agent" ? "Create agent" : "Create skill"}
          </button>
          <button className="btn" type="button" onClick={onClose}>
            Back
          </button>
        </div>
      </form>
    </Dialog>
  )
}
