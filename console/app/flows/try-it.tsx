// Try it: the form of a start, a rehearsal of what is in the editor, and a run of what is saved.

import { useEffect, useRef } from "react"
import type { FlowStart } from "../../../src/core/flow/check/graph-view.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import { triedWords } from "../../../web/flow/tried-words.ts"
import { CopyButton } from "../parts/copy-button.tsx"
import { curlOf } from "../parts/curl.ts"
import { counted } from "../parts/figures.ts"
import { StartFields } from "../parts/start-fields.tsx"
import { StatusMark } from "../parts/status.tsx"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import { useMay } from "../shell/session.ts"
import type { Tried, useTry } from "./use-try.ts"
import { classes } from "../parts/classes.ts"
import css from "./try-it.module.css"

interface Props {
  readonly start: FlowStart | undefined
  readonly trying: ReturnType<typeof useTry>
  readonly isChanged: boolean
  readonly isStored: boolean
  /** Errors of the text: it cannot be rehearsed. */
  readonly errors: number
}

export function TryIt({ start, trying, isChanged, isStored, errors }: Props) {
  const { task, setTask, given, setGiven, faults, fault, busy, tried, view, rehearse, run, filled, flow } = trying
  const mayRun = useMay("runs:write")
  if (start === undefined) return <p className={classes(css.tryit, "dim")}>The form appears once the file can be read.</p>
  const notMine = mayRun ? undefined : "Your key may not run flows: it needs runs:write."
  const noRehearsal = notMine ?? (errors > 0 ? `Fix ${counted(errors, "error")} first.` : undefined)
  const noRun = notMine ?? (isStored ? undefined : "A run needs a saved flow.")
  const curl = (): string | undefined => {
    const wish = filled()
    return wish === undefined ? undefined : curlOf(flow, { ...wish })
  }
  return (
    <form
      className={css.tryit}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (noRehearsal === undefined) rehearse()
      }}
    >
      <div className={css.form2}>
        <StartFields lines={2} start={start} task={task} given={given} faults={faults} onTask={setTask} onGiven={setGiven} />
      </div>
      {fault !== undefined && (
        <p className="msg error" role="alert">
          <Icon name="failed" kind="i-s" />
          <span>{fault}</span>
        </p>
      )}
      <div className={classes("bar", css.acts2)}>
        <button className="btn first" type="submit" aria-disabled={busy !== undefined || noRehearsal !== undefined} title={noRehearsal}>
          {busy === "rehearse" ? "Rehearsing" : isChanged ? "Rehearse the draft" : "Rehearse"} <kbd>Ctrl Enter</kbd>
        </button>
        <button
          className="btn"
          type="button"
          aria-disabled={busy !== undefined || noRun !== undefined}
          title={noRun}
          onClick={() => noRun === undefined && run()}
        >
          {busy === "run" ? "Starting" : isChanged && isStored ? "Run the saved flow" : "Run"}
        </button>
        <CopyButton text={curl} />
        <span className="dim small">{noRehearsal ?? noRun ?? "A rehearsal asks no model and costs nothing."}</span>
      </div>
      {tried && <LastTry tried={tried} view={view} />}
    </form>
  )
}

const NAMES = { draft: "The draft’s rehearsal", saved: "The rehearsal" } as const

export function LastTry({ tried: { run, of }, view }: { readonly tried: Tried; readonly view: RunView | undefined }) {
  const what = typeof of === "string" ? NAMES[of] : `The rehearsal of the draft ${of.draft} on the server`
  const { status, words, link, isPatient } = triedWords(what, view)
  const place = useRef<HTMLParagraphElement>(null)
  // It stands below the form: whoever asked for it sees it.
  useEffect(() => {
    place.current?.scrollIntoView({ block: "nearest" })
  }, [run, status])
  return (
    <p ref={place} className={css.lastrun} role="status">
      <StatusMark status={status} kind="i-s" isPatient={isPatient === true} />
      <span>{words}</span>
      <Link className="link" href={addressOf("runs", run)}>
        {link}
      </Link>
    </p>
  )
}
