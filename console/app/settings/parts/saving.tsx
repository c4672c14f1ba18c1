// The foot of a form that stays open: its button, when it was saved last, and what became of the last try.

import { useEffect, useRef, useState, type ReactNode } from "react"
import { clockTime } from "../../../../web/clock.ts"
import { Icon } from "../../shell/icons.tsx"
import { Link } from "../../shell/link.tsx"
import { WrongWords } from "./form-dialog.tsx"
import { focusFirstFault, wrongWith } from "./wrong.ts"

/** Something that was saved, and where it is. */
export interface Made {
  readonly at: number
  readonly name?: string
  readonly href?: string
}

export interface Saving {
  readonly isBusy: boolean
  readonly made: Made | undefined
  readonly error: unknown
  readonly save: (work: () => Promise<Omit<Made, "at"> | void>) => void
}

export function useSaving(): Saving {
  const [state, setState] = useState<Omit<Saving, "save">>({ isBusy: false, made: undefined, error: undefined })
  const save: Saving["save"] = (work) => {
    if (state.isBusy) return
    setState({ ...state, isBusy: true, error: undefined })
    work().then(
      (made) => setState({ isBusy: false, made: { at: Date.now(), ...made }, error: undefined }),
      (error: unknown) => setState({ isBusy: false, made: undefined, error }),
    )
  }
  return { ...state, save }
}

/** `Saved 21:05`, with the way to what was made. It is there before anything is saved, so that it is heard when it is. */
export function SavedAt({ made }: { readonly made: Made | undefined }) {
  return (
    <span className="st complete" role="status">
      {made && (
        <>
          <Icon name="check" kind="i-s" />
          Saved {clockTime(made.at)}
          {made.name !== undefined &&
            (made.href === undefined ? (
              `: ${made.name}`
            ) : (
              <Link className="link" href={made.href}>
                {made.name}
              </Link>
            ))}
        </>
      )}
    </span>
  )
}

interface Props {
  readonly of: Saving
  /** Pointers whose faults stand elsewhere. */
  readonly places: readonly string[]
  readonly act: string
  /** Absent: the button submits its form. */
  readonly onSave?: () => void
  readonly keys?: string
  readonly isOff?: boolean
  readonly children?: ReactNode
}

export function Saved({ of: { isBusy, made, error }, places, act, onSave, keys, isOff = false, children }: Props) {
  const foot = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (error !== undefined) focusFirstFault(foot.current?.closest("form"))
  }, [error])
  const wrong = wrongWith(error, places)
  return (
    <>
      <WrongWords words={wrong.words} error={wrong.error} />
      <div className="bar" ref={foot}>
        <button className="btn first" type={onSave ? "button" : "submit"} aria-disabled={isBusy || isOff} onClick={onSave}>
          {isBusy ? "Saving" : act}
          {keys !== undefined && <kbd>{keys}</kbd>}
        </button>
        {children}
        <SavedAt made={made} />
      </div>
    </>
  )
}
