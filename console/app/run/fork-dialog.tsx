// Fork from here, and edit and run from here: the server says what would be kept, asked again and held back before anything begins.

import { useEffect, useMemo, useState } from "react"
import type { ForkCheck } from "../../../src/api/doc/run/forks.doc.ts"
import type { Fork } from "../../../src/api/forks.ts"
import { SluiceError } from "../../../src/client/sluice-error.ts"
import { faultsText, messageOf } from "../../../src/core/text/fault-text.ts"
import { editable } from "../../../web/chat/wording.ts"
import { CodeDiff, CodeEditor } from "../code/code-editor.tsx"
import { Dialog } from "../parts/dialog.tsx"
import { faultOf } from "../parts/fault.ts"
import { counted } from "../parts/figures.ts"
import { Icon } from "../shell/icons.tsx"
import { addressOf, go } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { placeOf, recordedOf } from "./fork-place.ts"
import type { Selection } from "./selection.ts"
import { useMended } from "./use-mended.ts"
import type { ShownRun } from "./use-run.ts"
import css from "./detail/detail.module.css"

interface Props {
  readonly api: Api
  readonly shown: ShownRun
  readonly chosen: string
  readonly selection: Selection
  readonly isEdit: boolean
  readonly onClose: () => void
}

/** The server is asked this long after the last key. */
const TYPED_MS = 350

export function ForkDialog({ api, shown, chosen, selection, isEdit, onClose }: Props) {
  const { view } = shown
  const place = useMemo(() => placeOf(shown, chosen, selection), [shown, chosen, selection])
  const recorded = useMemo(() => (isEdit ? recordedOf(shown, chosen, selection) : undefined), [shown, chosen, selection, isEdit])
  const [text, setText] = useState(() => (recorded === undefined ? "" : editable(recorded.value)))
  const [wanted, setWanted] = useState<boolean>()
  const [effects, setEffects] = useState<"staged" | "dry" | "live">("staged")
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<string>()
  const { latest, mended } = useMended(api, shown)
  const isMended = mended !== undefined && mended.step === chosen
  const isLatest = wanted ?? isMended
  const parsed = recorded === undefined ? undefined : parse(text)
  const wish = useMemo((): Fork | undefined => {
    if (recorded !== undefined && (parsed === undefined || "fault" in parsed)) return undefined
    const value = parsed !== undefined && "value" in parsed ? parsed.value : undefined
    const instead =
      recorded === undefined || value === undefined
        ? {}
        : { instead: { [recorded.kind]: value } as unknown as NonNullable<Fork["instead"]> }
    return {
      from: recorded?.from ?? place.from,
      ...instead,
      effects,
      ...(isLatest && latest !== undefined ? { patch: { revision: latest } } : {}),
    }
  }, [recorded, text, place, effects, isLatest, latest])
  const { check, refused, isChecking } = useCheck(api, view.id, wish)
  const isSame = recorded !== undefined && text === editable(recorded.value)
  const reason =
    recorded === undefined && isEdit
      ? "Nothing is recorded here that could be edited. Choose a turn, a finished step or an answered question."
      : parsed !== undefined && "fault" in parsed
        ? parsed.fault
        : isSame
          ? "Nothing is changed yet."
          : refused
  // Nothing is wrong before anything is typed.
  const isFault = reason !== undefined && !isSame
  const isOff = isBusy || reason !== undefined || isChecking || wish === undefined
  const start = (): void => {
    if (isOff || wish === undefined) return
    setBusy(true)
    api.runs.fork(view.id, wish).then(
      ({ id }) => {
        onClose()
        go(addressOf("runs", id))
      },
      (error: unknown) => {
        setFault(faultOf(error))
        setBusy(false)
      },
    )
  }
  const pinned = view.pinned["revision"]
  return (
    <Dialog
      title={isEdit ? `Edit and run from ${recorded?.words ?? place.words}` : `Fork from ${place.words}`}
      isWide={isEdit}
      onClose={onClose}
    >
      <div className="dlg-l">
        {recorded !== undefined && (
          <>
            <p className="small">{recorded.label}, as it was recorded</p>
            <CodeEditor label={`${recorded.label}, as it was recorded`} text={text} language="json" wrap onChange={setText} onRun={start} />
            {!isSame && parsed !== undefined && "value" in parsed && (
              <CodeDiff label="Difference" before={editable(recorded.value)} after={text} language="json" />
            )}
          </>
        )}
        <fieldset className={css.blk}>
          <legend className={css.label}>Definitions</legend>
          <label className="check">
            <input type="radio" name="definitions" checked={!isLatest} onChange={() => setWanted(false)} />
            <span>As they were pinned{typeof pinned === "number" ? ` (r${pinned})` : ""}</span>
          </label>
          <label className="check">
            <input type="radio" name="definitions" checked={isLatest} disabled={latest === undefined} onChange={() => setWanted(true)} />
            <span>
              The latest{latest === undefined ? "" : ` (r${latest})`}
              {latest !== undefined && latest === pinned && ": the same"}
              {isMended && `: it changes ${chosen}, where the run failed`}
            </span>
          </label>
        </fieldset>
        <fieldset className={css.blk}>
          <legend className={css.label}>Calls that change something outside</legend>
          {(
            [
              ["staged", "are kept until you decide"],
              ["dry", "are only pretended"],
              ["live", "are carried out"],
            ] as const
          ).map(([mode, words]) => (
            <label className="check" key={mode}>
              <input type="radio" name="effects" checked={effects === mode} onChange={() => setEffects(mode)} />
              <span>{words}</span>
            </label>
          ))}
        </fieldset>
        <Kept check={check} isChecking={isChecking} />
        {reason !== undefined && (
          <p className={isFault ? "msg error" : "dim"} role="status">
            {isFault && <Icon name="failed" kind="i-s" />}
            <span>{reason}</span>
          </p>
        )}
        {fault !== undefined && (
          <p className="msg error" role="alert">
            <Icon name="failed" kind="i-s" />
            <span>{fault}</span>
          </p>
        )}
      </div>
      <div className="dlg-f">
        <button className="btn first" type="button" aria-disabled={isOff} onClick={start}>
          {isBusy
            ? "Forking"
            : check === undefined || check.kept.length === 0
              ? "Fork"
              : `Fork: ${counted(check.kept.length, "step")} kept`}
          {isEdit && <kbd>Ctrl Enter</kbd>}
        </button>
        <button className="btn" type="button" onClick={onClose}>
          Back
        </button>
      </div>
    </Dialog>
  )
}

function Kept({ check, isChecking }: { readonly check: ForkCheck | undefined; readonly isChecking: boolean }) {
  if (check === undefined) return <p className="dim">{isChecking ? "Checking what it would keep." : ""}</p>
  const list = (rows: readonly { readonly step: string; readonly pass: number }[]): string =>
    rows.length === 0 ? "nothing" : rows.map(({ step, pass }) => (pass > 1 ? `${step} (pass ${pass})` : step)).join(", ")
  return (
    <dl className="kv">
      <dt>Kept, costs nothing</dt>
      <dd>{list(check.kept)}</dd>
      <dt>Asked again</dt>
      <dd>{list(check.asked)}</dd>
      <dt>Not carried out by itself</dt>
      <dd>{check.staged.length === 0 ? "nothing" : check.staged.map(({ tool, step }) => `${tool} in ${step}`).join(", ")}</dd>
    </dl>
  )
}

interface Check {
  readonly check: ForkCheck | undefined
  readonly refused: string | undefined
  readonly isChecking: boolean
}

function useCheck(api: Api, run: string, wish: Fork | undefined): Check {
  const [found, setFound] = useState<{ readonly about: string; readonly check?: ForkCheck; readonly refused?: string }>()
  const about = wish === undefined ? undefined : JSON.stringify(wish)
  useEffect(() => {
    if (about === undefined) return
    let isOver = false
    const timer = setTimeout(() => {
      api.runs.checkFork(run, JSON.parse(about) as Fork).then(
        (check) => {
          if (!isOver) setFound({ about, check })
        },
        (error: unknown) => {
          if (!isOver) setFound({ about, refused: refusalOf(error) })
        },
      )
    }, TYPED_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [api, run, about])
  const isHere = found !== undefined && found.about === about
  return { check: found?.check, refused: isHere ? found.refused : undefined, isChecking: about !== undefined && !isHere }
}

/** Each fault of the body with its place in it. */
function refusalOf(error: unknown): string {
  if (!(error instanceof SluiceError) || error.errors.length === 0) return faultOf(error)
  return faultsText(error.errors)
}

type Parsed = { readonly value: object } | { readonly fault: string }

function parse(text: string): Parsed {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { value } : { fault: "This is not a JSON object." }
  } catch (error) {
    return { fault: `This is not JSON: ${messageOf(error, "")}` }
  }
}
