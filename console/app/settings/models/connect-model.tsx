// Connects a model: kind, key, models, a first answer, in one dialog. Nothing is saved before the model has answered.

import { useEffect, useRef, type FormEvent } from "react"
import { money } from "../../parts/figures.ts"
import { duration } from "../../../../web/chat/wording.ts"
import { Dialog } from "../../parts/dialog.tsx"
import type { Api } from "../../shell/session.ts"
import { WrongWords } from "../parts/form-dialog.tsx"
import { focusFirstFault } from "../parts/wrong.ts"
import { AnswerStep } from "./answer-step.tsx"
import { KeyStep } from "./key-step.tsx"
import { KINDS, kindOf } from "./kinds.ts"
import { ModelsStep } from "./models-step.tsx"
import { Step } from "./step.tsx"
import { useConnect } from "./use-connect.ts"
import { classes } from "../../parts/classes.ts"
import css from "./connect-model.module.css"

interface Props {
  readonly api: Api
  /** Names of the providers there are. */
  readonly taken: readonly string[]
  readonly roles: Readonly<Record<string, unknown>>
  readonly onClose: () => void
  readonly onSaved: (name: string) => void
}

export function ConnectModel({ api, taken, roles, onClose, onSaved }: Props) {
  const it = useConnect(api, roles, onSaved)
  const { draft, change, list, answer, busy, isKnown, canSave, wrong } = it
  const about = kindOf(draft.kind)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (wrong) focusFirstFault(form.current)
  }, [wrong])
  // What comes next has the focus once it is there.
  useEffect(() => {
    if (isKnown) form.current?.querySelector<HTMLElement>("[data-ask]")?.focus()
    else if (list !== undefined) form.current?.querySelector<HTMLElement>('input[aria-invalid="true"]')?.focus()
  }, [isKnown, list])
  const onward = canSave ? it.save : isKnown ? it.ask : it.check
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    // Enter in the question asks it again.
    const isAsked = document.activeElement instanceof HTMLElement && document.activeElement.dataset["ask"] !== undefined
    if (canSave && isAsked) it.ask()
    else onward()
  }
  const act = busy === "checking" ? "Checking" : busy === "asking" ? "Asking" : busy === "saving" ? "Saving" : undefined
  return (
    <Dialog title="Connect a model" onClose={onClose}>
      <form
        ref={form}
        noValidate
        autoComplete="off"
        onSubmit={submit}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return
          event.preventDefault()
          onward()
        }}
      >
        <Step title="Provider" number={1} state="done">
          <div className={css.kinds} role="radiogroup" aria-label="Provider">
            {KINDS.map(({ kind, words }) => (
              <label key={kind} className={classes(css.kind, kind === draft.kind && css.on)}>
                <input type="radio" name="kind" value={kind} checked={kind === draft.kind} onChange={() => change({ kind })} />
                {words}
              </label>
            ))}
          </div>
        </Step>
        <KeyStep of={it} about={about} isTaken={taken.includes(it.name)} />
        <ModelsStep of={it} roles={roles} />
        <AnswerStep of={it} />
        {wrong && wrong.words.length > 0 && (
          <div className={css.foot}>
            <WrongWords words={wrong.words} error={wrong.error} />
          </div>
        )}
        <div className="dlg-f">
          <button
            className="btn first"
            type={canSave ? "button" : "submit"}
            aria-disabled={busy !== undefined}
            onClick={canSave ? it.save : undefined}
          >
            {act ?? (canSave ? "Save and close" : isKnown ? "Ask it" : about.key === undefined ? "Check it" : "Check the key")}
            {act === undefined && <kbd>{canSave ? "Ctrl Enter" : "Enter"}</kbd>}
          </button>
          <button className="btn" type="button" onClick={onClose}>
            Cancel
          </button>
          <span className="dim small" role="status">
            {busy === "checking"
              ? `Asking ${about.words} for its models`
              : busy === "asking"
                ? `Asking ${draft.standard}`
                : answer?.ok === true
                  ? `It answered in ${duration(answer.ms)}${it.usd === undefined ? "" : ` for ${money(it.usd)}`}. Every flow can use it once it is saved.`
                  : isKnown
                    ? "One short answer, at the price above. Nothing is saved yet."
                    : "The check costs nothing. Nothing is saved yet."}
          </span>
        </div>
      </form>
    </Dialog>
  )
}
