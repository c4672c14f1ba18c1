// Asks for the name of a view.

import { useState } from "react"
import { Dialog } from "../parts/dialog.tsx"

interface Props {
  readonly name: string
  readonly taken: readonly string[]
  readonly onSave: (name: string) => void
  readonly onClose: () => void
}

export function SaveView({ name: given, taken, onSave, onClose }: Props) {
  const [name, setName] = useState(given)
  const isTaken = taken.includes(name.trim())
  return (
    <Dialog title="Save this view" onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (name.trim() === "") return
          onSave(name.trim())
          onClose()
        }}
      >
        <div className="dlg-l">
          <div className="field">
            <label htmlFor="view-name">Name</label>
            <input
              id="view-name"
              className="input"
              data-autofocus
              maxLength={60}
              value={name}
              aria-describedby="view-name-hint"
              onFocus={({ target }) => target.select()}
              onChange={({ target }) => setName(target.value)}
            />
            <p className="hint" id="view-name-hint">
              {isTaken ? "Replaces the view with this name." : "Shown above the list in this browser. Its address can be shared."}
            </p>
          </div>
        </div>
        <div className="dlg-f">
          <button className="btn first" type="submit" aria-disabled={name.trim() === ""}>
            Save
          </button>
          <button className="btn" type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
