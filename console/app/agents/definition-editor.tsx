// The file in an editor, with what the server says of it below; and why a save did not happen, with the way out.

import { useState } from "react"
import { weighed } from "../../../web/flow/weighed.ts"
import { visible } from "../../../web/chat/wording.ts"
import { CodeDiff, CodeEditor } from "../code/code-editor.tsx"
import type { CodeEditorProps, CodeProblem } from "../code/code-props.ts"
import { LineProblem } from "../code/line-problem.tsx"
import { counted } from "../parts/figures.ts"
import { SMALL, useMedia } from "../parts/use-media.ts"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import type { FlowDraft } from "../flows/use-draft.ts"
import type { Editing } from "./use-definition.ts"
import { classes } from "../parts/classes.ts"
import css from "./agents.module.css"

interface Props {
  readonly label: string
  readonly editing: Editing
  readonly mayWrite: boolean
  readonly goTo?: { readonly line: number } | undefined
  readonly complete?: CodeEditorProps["complete"]
  readonly about?: CodeEditorProps["about"]
  /** What stands right in the foot. */
  readonly weight: string
  readonly head: React.ReactNode
}

export function DefinitionEditor({ label, editing, mayWrite, goTo, complete, about, weight, head }: Props) {
  const isSmall = useMedia(SMALL)
  const [line, setLine] = useState(1)
  const { draft, problems, isChecked, mend } = editing
  const { text, saved, conflict } = draft
  const fix = (problem: CodeProblem): void => {
    const mended = mayWrite && !isSmall ? mend(problem) : undefined
    if (mended !== undefined) draft.write(mended)
  }
  const { errors, warnings: others, silenced } = weighed(problems)
  return (
    <section className={classes("panel", css.agCode)} aria-label="Editor">
      <div className="panel-head">{head}</div>
      {(draft.fault !== undefined || conflict !== undefined) && <NotSaved draft={draft} />}
      <div className={css.agEd}>
        <CodeEditor
          label={label}
          text={text}
          language="markdown"
          readOnly={!mayWrite || isSmall}
          problems={problems}
          goTo={goTo}
          onChange={draft.write}
          {...(complete === undefined ? {} : { complete })}
          {...(about === undefined ? {} : { about })}
          onLine={setLine}
          onSave={() => mayWrite && draft.isChanged && draft.save()}
          onFix={fix}
        />
      </div>
      <div className={css.agFoot}>
        <span role="status" className={`msg ${errors > 0 ? "error" : others > 0 ? "waiting" : "complete"}`}>
          {isChecked ? (
            <>
              <Icon name={errors > 0 ? "failed" : others > 0 ? "warn" : "check"} kind="i-s" />
              {errors + others === 0
                ? "No problems"
                : [counts(errors, "error"), counts(others, "warning")].filter((one) => one !== "").join(", ")}
              {silenced > 0 && <span className="dim">, {counts(silenced, "silenced warning")}</span>}
            </>
          ) : (
            <span className="dim">{saved ? "Checking" : ""}</span>
          )}
        </span>
        <LineProblem problems={problems} line={line} onFix={fix} />
        <span className="grow" />
        <span className="dim nowrap">{isSmall && mayWrite ? "Read-only on a small screen" : weight}</span>
      </div>
    </section>
  )
}

const counts = (count: number, one: string): string => (count === 0 ? "" : counted(count, one))

function NotSaved({ draft: { fault, gate, conflict, text, save, take, stay } }: { readonly draft: FlowDraft }) {
  return (
    <div className={css.agNot} role="alert">
      <p className="msg error words">
        <Icon name="failed" kind="i-s" />
        <span>
          {conflict === undefined
            ? `Not saved. ${visible(fault ?? "")}`
            : conflict === null
              ? "Not saved: someone else deleted the file while you were editing."
              : "Not saved: someone else changed the file while you were editing. Below is the saved version with your changes."}
        </span>
      </p>
      {conflict && <CodeDiff label="The saved version, and yours" before={conflict.content} after={text} language="markdown" />}
      <p className="bar">
        {conflict !== undefined && (
          <>
            <button className="btn" type="button" onClick={() => save(conflict)}>
              {conflict === null ? "Save anyway" : "Overwrite theirs"}
            </button>
            {conflict && (
              <button className="btn bare" type="button" onClick={() => take(conflict)}>
                Use theirs
              </button>
            )}
            <button className="btn bare" type="button" onClick={stay}>
              Keep editing
            </button>
          </>
        )}
        {gate !== undefined && (
          <Link className="link" href={addressOf("flows")}>
            See the tests of the flows that break
          </Link>
        )}
      </p>
    </div>
  )
}
