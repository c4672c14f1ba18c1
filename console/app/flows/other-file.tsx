// A file that belongs to the flow, in the same editor: a handler of a code step, or the rehearsal. It is saved by itself.

import { useMemo, useState } from "react"
import { clockTime } from "../../../web/clock.ts"
import { CodeEditor } from "../code/code-editor.tsx"
import { Icon } from "../shell/icons.tsx"
import { useQuery } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import type { FlowFile } from "./file-tabs.tsx"
import { Conflict } from "./save-dialogs.tsx"
import { Tally } from "./tally.tsx"
import { useCheck } from "./use-check.ts"
import { useDraft } from "./use-draft.ts"
import { lineOf } from "./line-of.ts"
import { useProblems } from "./use-problems.ts"
import { classes } from "../parts/classes.ts"
import css from "./flow-page.module.css"

const REHEARSAL =
  "# What each step replies when the flow is rehearsed, turn by turn. A step that is not here finishes at once.\nsteps: {}\n"

export function OtherFile({ api, file, readOnly }: { readonly api: Api; readonly file: FlowFile; readonly readOnly: boolean }) {
  const { kind, id, name } = file
  const draft = useDraft(api, { kind, id }, () => (kind === "code" ? scaffoldOf(api, id) : Promise.resolve(REHEARSAL)))
  const checked = useCheck(api, kind, name, draft.state === "open" ? draft.text : undefined)
  const { shown, errors, isFresh, mend } = useProblems(checked, draft.text)
  const asked = lineOf(useQuery())
  const [goTo, setGoTo] = useState(asked === undefined ? undefined : { line: asked })
  const [line, setLine] = useState(1)
  const isOff = !draft.isChanged || draft.isSaving || (isFresh && errors > 0)
  const language = useMemo(() => (kind === "rehearsal" ? "yaml" : "text"), [kind])
  const save = (): void => {
    if (!isOff && !readOnly) draft.save()
  }
  if (draft.state === "loading") return null
  if (draft.state !== "open")
    return (
      <p className={classes("note failed", css.padN)} role="alert">
        <Icon name="failed" />
        <span>{draft.fault}</span>
      </p>
    )
  return (
    <>
      <div className={classes("bar", css.ofH)}>
        <span className="dim cut">{name}</span>
        {draft.isChanged && <span className="tag running">Not saved</span>}
        <Tally
          problems={checked.problems}
          fault={checked.fault}
          onNext={() => setGoTo({ line: (shown.find((one) => one.line > line) ?? shown[0])?.line ?? 1 })}
        />
        {draft.fault !== undefined && (
          <span className="msg error" role="alert">
            Not saved. {draft.fault}
          </span>
        )}
        <span className="grow" />
        <span className="dim nowrap" role="status">
          {draft.savedAt !== undefined && !draft.isChanged && `Saved ${clockTime(draft.savedAt)}`}
        </span>
        {!readOnly && (
          <button className="btn" type="button" aria-disabled={isOff} onClick={save}>
            {draft.isSaving ? "Saving" : "Save this file"}
          </button>
        )}
      </div>
      <CodeEditor
        label={`Text of ${name}`}
        text={draft.text}
        language={language}
        readOnly={readOnly}
        problems={shown}
        goTo={goTo}
        onChange={draft.write}
        onSave={save}
        onFix={(problem) => {
          const text = mend(problem)
          if (text !== undefined) draft.write(text)
        }}
        onLine={setLine}
      />
      {draft.conflict !== undefined && <Conflict draft={draft} theirs={draft.conflict} language={language} />}
    </>
  )
}

function scaffoldOf(api: Api, id: string): Promise<string> {
  const [flow = "", step = ""] = id.split("/")
  return api.transport.text(`/v1/code/${encodeURIComponent(flow)}/${encodeURIComponent(step)}/scaffold`)
}
