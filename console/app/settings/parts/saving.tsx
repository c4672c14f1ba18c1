// The foot of a form that stays open: its button, and what became of the last try.

import { useState } from "react"
import { Icon } from "../../shell/icons.tsx"
import { wrongWith } from "./form-dialog.tsx"

export interface Saving {
  readonly isBusy: boolean
  readonly isSaved: boolean
  readonly error: unknown
  readonly save: (work: () => Promise<void>) => void
}

export function useSaving(): Saving {
  const [state, setState] = useState<{ readonly isBusy: boolean; readonly isSaved: boolean; readonly error?: unknown }>({
    isBusy: false,
    isSaved: false,
  })
  const save = (work: () => Promise<void>): void => {
    if (state.isBusy) return
    setState({ isBusy: true, isSaved: false })
    work().then(
      () => setState({ isBusy: false, isSaved: true }),
      (error: unknown) => setState({ isBusy: false, isSaved: false, error }),
    )
  }
  return { ...state, error: state.error, save }
}

interface Props {
  readonly of: Saving
  /** Pointers whose faults stand elsewhere. */
  readonly places: readonly string[]
  readonly act: string
  /** Absent: the button submits its form. */
  readonly onSave?: () => void
}

export function Saved({ of: { isBusy, isSaved, error }, places, act, onSave }: Props) {
  const words = error === undefined ? [] : wrongWith(error, places).words
  return (
    <>
      {words.length > 0 && (
        <div role="alert">
          {words.map((one) => (
            <p className="msg error" key={one}>
              {one}
            </p>
          ))}
        </div>
      )}
      <div className="bar">
        <button className="btn first" type={onSave ? "button" : "submit"} aria-disabled={isBusy} onClick={onSave}>
          {isBusy ? "Saving" : act}
        </button>
        <span className="st complete" role="status">
          {isSaved && (
            <>
              <Icon name="check" kind="i-s" />
              Saved
            </>
          )}
        </span>
      </div>
    </>
  )
}
