// Fork from here, and edit and run from here: the server says what would be kept, asked again and held back before anything begins.

import { Suspense, useMemo, useState } from "react"
import type { ForkCheck } from "../../../src/api/doc/run/forks.doc.ts"
import type { Fork } from "../../../src/api/run/forks.ts"
import { messageOf } from "../../../src/core/text/fault-text.ts"
import { editable } from "../../../web/chat/wording.ts"
import { CodeDiff, CodeEditor } from "../code/code-editor.tsx"
import { Dialog } from "../parts/dialog.tsx"
import { faultOf } from "../parts/fault.ts"
import { counted } from "../parts/figures.ts"
import { later } from "../parts/later.ts"
import { Icon } from "../shell/icons.tsx"
import { addressOf, go } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import type { Tabs as TabsOf } from "../parts/tabs.tsx"
import { useForkCheck } from "./fork-check.ts"
import { placeOf, recordedOf } from "./fork-place.ts"
import { PromptEdit, usePromptDraft } from "./prompt-edit.tsx"
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

const Tabs = later(async () => (await import("../parts/tabs.tsx")).Tabs) as typeof TabsOf

export function ForkDialog({ api, shown, chosen, selection, isEdit, onClose }: Props) {
  const { view } = shown
  const place = useMemo(() => placeOf(shown, chosen, selection), [shown, chosen, selection])
  const recorded = useMemo(() => (isEdit ? recordedOf(shown, chosen, selection) : undefined), [shown, chosen, selection, isEdit])
  const draft = usePromptDraft(api, shown, chosen, isEdit)
  const [tab, setTab] = useState<"recorded" | "prompt">(() => (recorded === undefined ? "prompt" : "recorded"))
  const isPrompt = isEdit && draft !== undefined && tab === "prompt"
  const [text, setText] = useState(() => (recorded === undefined ? "" : editable(recorded.value)))
  const [wanted, setWanted] = useState<boolean>()
  const [effects, setEffects] = useState<"staged" | "dry" | "live">("staged")
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<string>()
  const { latest, mended } = useMended(api, shown)
  const isMended = mended !== undefined && mended.step === chosen
  const isLatest = wanted ?? isMended
  const parsed = recorded === undefined || isPrompt ? undefined : parse(text)
  const { patch } = draft ?? {}
  const wish = useMemo((): Fork | undefined => {
    if (isPrompt) return patch && { from: { step: draft.step, pass: draft.pass }, patch, effects }
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
  }, [recorded, text, place, effects, isLatest, latest, isPrompt, JSON.stringify(patch)])
  const { check, refused, isChecking } = useForkCheck(api, view.id, wish)
  const isSame = isPrompt ? patch === undefined : recorded !== undefined && text === editable(recorded.value)
  const reason =
    isEdit && recorded === undefined && !isPrompt
      ? "Nothing here can be changed. Choose a turn, a finished step or an answered question."
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
  const result = recorded && (
    <>
      <p className="small">{recorded.label}, as it was recorded</p>
      <CodeEditor
        label={`${recorded.label}, as it was recorded`}
        text={text}
        language="json"
        wrap
        isFirst
        onChange={setText}
        onRun={start}
      />
      {!isSame && parsed !== undefined && "value" in parsed && (
        <CodeDiff label="Difference" before={editable(recorded.value)} after={text} language="json" />
      )}
    </>
  )
  return (
    <Dialog
      title={isEdit ? `Edit and run from ${recorded?.words ?? place.words}` : `Fork from ${place.words}`}
      isWide={isEdit}
      onClose={onClose}
    >
      <div className="dlg-l">
        {recorded !== undefined && draft !== undefined ? (
          <Suspense fallback={result}>
            <Tabs
              label="What to change"
              tabs={[
                ["recorded", TAB_WORDS[recorded.kind]],
                ["prompt", "Prompt and model"],
              ]}
              value={tab}
              onChange={setTab}
              panelClassName={css.blk ?? ""}
            >
              {isPrompt ? <PromptEdit draft={draft} onRun={start} /> : result}
            </Tabs>
          </Suspense>
        ) : isPrompt ? (
          <PromptEdit draft={draft} onRun={start} />
        ) : (
          result
        )}
        {!isPrompt && (
          <fieldset className={css.blk}>
            <legend className={css.label}>Definitions</legend>
            <label className="check">
              <input type="radio" name="definitions" checked={!isLatest} onChange={() => setWanted(false)} />
              <span>As in this run{typeof pinned === "number" ? ` (r${pinned})` : ""}</span>
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
        )}
        <fieldset className={css.blk}>
          <legend className={css.label}>Effects</legend>
          {(
            [
              ["staged", "Hold for approval"],
              ["dry", "Simulate"],
              ["live", "Execute"],
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

const TAB_WORDS = { reply: "Reply", finish: "Result", answer: "Answer" } as const

function Kept({ check, isChecking }: { readonly check: ForkCheck | undefined; readonly isChecking: boolean }) {
  if (check === undefined) return <p className="dim">{isChecking ? "Checking what it keeps." : ""}</p>
  const list = (rows: readonly { readonly step: string; readonly pass: number }[]): string =>
    rows.length === 0 ? "nothing" : rows.map(({ step, pass }) => (pass > 1 ? `${step} (pass ${pass})` : step)).join(", ")
  return (
    <dl className="kv">
      <dt>Kept, costs nothing</dt>
      <dd>{list(check.kept)}</dd>
      <dt>Runs again</dt>
      <dd>{list(check.asked)}</dd>
      <dt>Held for approval</dt>
      <dd>{check.staged.length === 0 ? "nothing" : check.staged.map(({ tool, step }) => `${tool} in ${step}`).join(", ")}</dd>
    </dl>
  )
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
