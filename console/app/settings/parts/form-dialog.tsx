// A form in a dialog. What the server says of a field stands beside the field; the rest stands at the foot.

import { useState, type FormEvent, type ReactNode } from "react"
import { SluiceError } from "../../../../src/client/sluice-error.ts"
import { Dialog } from "../../parts/dialog.tsx"
import { faultOf } from "../../parts/fault.ts"

/** By the JSON Pointer of the field. */
export type Faults = Readonly<Record<string, string>>

/** What is wrong with a form before it is sent. */
export class FormFault extends Error {
  readonly faults: Faults

  constructor(faults: Faults) {
    super("Some fields are wrong.")
    this.faults = faults
  }
}

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
  const [wrong, setWrong] = useState<{ readonly faults: Faults; readonly words: readonly string[] }>({ faults: {}, words: [] })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    setWrong({ faults: {}, words: [] })
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
      <form noValidate autoComplete="off" onSubmit={submit}>
        <div className="dlg-l">
          {children(wrong.faults)}
          {wrong.words.length > 0 && (
            <div role="alert">
              {wrong.words.map((words) => (
                <p className="msg error" key={words}>
                  {words}
                </p>
              ))}
            </div>
          )}
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

export function wrongWith(error: unknown, places: readonly string[]): { readonly faults: Faults; readonly words: readonly string[] } {
  if (error instanceof FormFault) return { faults: error.faults, words: [] }
  if (!(error instanceof SluiceError)) return { faults: {}, words: [faultOf(error)] }
  const placeOf = (pointer: string): string | undefined => places.find((place) => pointer === place || pointer.startsWith(`${place}/`))
  const faults: Record<string, string> = {}
  const words: string[] = []
  for (const { pointer, message } of error.errors) {
    const place = placeOf(pointer)
    if (place === undefined) words.push(pointer === "" ? `It ${message}.` : `${pointer} ${message}`)
    else faults[place] = pointer === place ? message : `${pointer.slice(place.length + 1)} ${message}`
  }
  return { faults, words: Object.keys(faults).length > 0 ? words : [faultOf(error), ...words] }
}
