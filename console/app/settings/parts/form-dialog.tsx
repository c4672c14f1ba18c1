// A form in a dialog. What the server says of a field stands beside the field, and the focus goes to the first; the rest stands at the foot.

import { useEffect, useRef, useState, type FormEvent, type KeyboardEvent, type ReactNode } from "react"
import { Dialog } from "../../parts/dialog.tsx"
import { FaultDetails } from "../../parts/fault-details.tsx"
import { focusFirstFault, NOTHING_WRONG, wrongWith, type Faults } from "./wrong.ts"

interface Props {
  readonly title: string
  readonly act: string
  /** Pointers of the fields, as the server names them. */
  readonly places: readonly string[]
  readonly onClose: () => void
  /** When it is done; the form closes then, unless something else is said here. */
  readonly onDone?: () => void
  readonly send: () => Promise<void>
  readonly children: (faults: Faults) => ReactNode
}

export function FormDialog({ title, act, places, onClose, onDone = onClose, send, children }: Props) {
  const [isBusy, setBusy] = useState(false)
  const [wrong, setWrong] = useState(NOTHING_WRONG)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => focusFirstFault(form.current), [wrong])
  const submit = (event: FormEvent | KeyboardEvent): void => {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    setWrong(NOTHING_WRONG)
    const sent = async (): Promise<void> => send()
    sent()
      .then(onDone)
      .catch((error: unknown) => {
        setWrong(wrongWith(error, places))
        setBusy(false)
      })
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        ref={form}
        noValidate
        autoComplete="off"
        onSubmit={submit}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event)
        }}
      >
        <div className="dlg-l">
          {children(wrong.faults)}
          <WrongWords words={wrong.words} error={wrong.error} />
        </div>
        <div className="dlg-f">
          <button className="btn first" type="submit" aria-disabled={isBusy}>
            {act}
          </button>
          <button className="btn" type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** What no field is to blame for. */
export function WrongWords({ words, error }: { readonly words: readonly string[]; readonly error?: unknown }) {
  if (words.length === 0) return null
  return (
    <div role="alert" className="note error">
      <span>{words.join("\n")}</span>
      <FaultDetails of={error} />
    </div>
  )
}
