// A scorer's file in an editor. Another text is another version, and scores of versions are never mixed.

import { visible } from "../../../../web/chat/wording.ts"
import { CodeEditor } from "../../code/code-editor.tsx"
import { useDraft } from "../../flows/use-draft.ts"
import { Skeleton } from "../../parts/skeleton.tsx"
import { askAnew } from "../../shell/ask-anew.ts"
import { useKeys } from "../../shell/keys.ts"
import type { Api } from "../../shell/session.ts"
import { useEffect } from "react"
import css from "../quality.module.css"

export function ScorerFile({ api, name, mayWrite }: { readonly api: Api; readonly name: string; readonly mayWrite: boolean }) {
  const draft = useDraft(api, { kind: "scorer", id: name })
  const { state, text, isChanged, isSaving, fault, conflict, turn } = draft
  const save = (): void => {
    if (mayWrite && isChanged) draft.save()
  }
  useKeys("definition", { save })
  // A save makes another version.
  useEffect(() => {
    if (turn > 0) askAnew("catalog")
  }, [turn])
  return (
    <section className="panel" aria-label="File">
      <div className="panel-head">
        <h2 className="mono cut">scorers/{name}.yaml</h2>
        <span className="grow" />
        {mayWrite && (
          <button className="btn" type="button" aria-disabled={!isChanged || isSaving} onClick={save}>
            Save <kbd>Ctrl S</kbd>
          </button>
        )}
      </div>
      {fault !== undefined && (
        <p className="note error" role="alert">
          <span>Not saved. {visible(fault)}</span>
        </p>
      )}
      {conflict !== undefined && (
        <p className="note waiting" role="alert">
          <span>{conflict === null ? "Someone else deleted the file." : "Someone else changed the file while you were editing."}</span>
          <button className="btn" type="button" onClick={() => draft.save(conflict)}>
            {conflict === null ? "Save anyway" : "Overwrite theirs"}
          </button>
          {conflict && (
            <button className="btn bare" type="button" onClick={() => draft.take(conflict)}>
              Use theirs
            </button>
          )}
        </p>
      )}
      {state === "loading" ? (
        <Skeleton words="Reading the file" />
      ) : (
        <div className={css.file}>
          <CodeEditor
            label={`scorers/${name}.yaml`}
            text={text}
            language="yaml"
            wrap
            readOnly={!mayWrite}
            problems={[]}
            onChange={draft.write}
            onSave={save}
          />
        </div>
      )}
    </section>
  )
}
