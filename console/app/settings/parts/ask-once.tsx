// Danger asks once, naming the thing and what goes with it.

import { useState, type ReactNode } from "react"
import { Dialog } from "../../parts/dialog.tsx"
import { WrongWords } from "./form-dialog.tsx"
import { faultOf } from "../../parts/fault.ts"

interface Props {
  readonly title: string
  readonly act: string
  readonly children: ReactNode
  readonly onClose: () => void
  /** Closes the dialog by itself when it is done. */
  readonly send: () => Promise<void>
}

export function AskOnce({ title, act, children, onClose, send }: Props) {
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<{ readonly words: string; readonly error: unknown }>()
  const doIt = (): void => {
    if (isBusy) return
    setBusy(true)
    setFault(undefined)
    send().then(onClose, (error: unknown) => {
      setBusy(false)
      setFault({ words: faultOf(error), error })
    })
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="dlg-l">
        {children}
        {fault !== undefined && <WrongWords words={[fault.words]} error={fault.error} />}
      </div>
      <div className="dlg-f">
        <button className="btn danger" type="button" aria-disabled={isBusy} onClick={doIt}>
          {act}
        </button>
        <button className="btn" type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  )
}
