// The two faces of a setting beside each other: the form with its foot, then what a change would do, and the text.

import { useRef, type ReactNode } from "react"
import { SluiceError } from "../../../../src/client/transport/sluice-error.ts"
import { completeJson } from "../../../../web/setup/json-complete.ts"
import { CodeEditor } from "../../code/code-editor.tsx"
import { useAsked } from "../../parts/asked.ts"
import { classes } from "../../parts/classes.ts"
import { useKeys } from "../../shell/keys.ts"
import type { Api } from "../../shell/session.ts"
import { CopyText } from "../parts/copy-text.tsx"
import { Saved } from "../parts/saving.tsx"
import type { Face } from "./use-face.ts"
import css from "./faces.module.css"

interface Props {
  readonly api: Api
  readonly face: Face
  /** "policy" */
  readonly noun: string
  /** The text's label for those who do not see it. */
  readonly label: string
  readonly form: ReactNode
  readonly preview?: ReactNode
}

export function TwoFaces({ api, face, noun, label, form, preview }: Props) {
  const { text, setText, problems, tinted, saving, save, isDirty, isBroken, isRefused, discard } = face
  const box = useRef<HTMLDivElement>(null)
  // Completion is worth having and nothing waits for it.
  const schema = useAsked(["once", "schema", noun], () =>
    api.transport.json<Readonly<Record<string, unknown>>>("GET", `/v1/schemas/${noun}.json`),
  )
  /** The focus goes to the other face. */
  const turn = (): void => {
    const editor = box.current?.querySelector<HTMLElement>("[data-editor]")
    const isInText = document.activeElement !== null && editor?.contains(document.activeElement) === true
    if (isInText) box.current?.querySelector<HTMLElement>("[data-form] :is(input, button, textarea)")?.focus()
    else editor?.shadowRoot?.querySelector<HTMLElement>(".cm-content")?.focus()
  }
  useKeys("faces", { save, turn })
  return (
    <div className={css.faces} ref={box}>
      <form
        className="panel"
        noValidate
        data-form
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        {isBroken && <p className={classes("note waiting", css.broken)}>The text cannot be read yet. The form shows what it said last.</p>}
        <div className={css.formp}>{form}</div>
        <div className={css.faceFoot}>
          <Saved
            of={isPlaced(saving.error) ? { ...saving, error: undefined } : saving}
            places={[]}
            act={`Save the ${noun}`}
            keys="Ctrl S"
            isOff={isBroken || !isDirty}
          >
            <button className="btn" type="button" aria-disabled={!isDirty} onClick={() => isDirty && discard()}>
              Discard
            </button>
            {isDirty && (
              <span className={isRefused ? "msg error" : "small dim"} role={isRefused ? "alert" : undefined}>
                {isRefused ? "Not saved. Fix what is marked." : "Not saved."}
              </span>
            )}
          </Saved>
        </div>
      </form>
      <div className={css.stack}>
        {preview}
        <section className="panel" aria-label={`${label} as text`}>
          <div className="panel-head">
            <h2>{noun}.json</h2>
            <span className="dim small">
              the same as the form; edit either <kbd>Alt T</kbd>
            </span>
            <span className="grow" />
            <CopyText what="it" text={text} />
          </div>
          <div className={css.faceText}>
            <CodeEditor
              label={label}
              text={text}
              language="json"
              wrap
              problems={problems}
              tinted={tinted}
              onChange={setText}
              onSave={save}
              {...(schema.value === undefined
                ? {}
                : { complete: (upTo: string, whole: string) => completeJson(schema.value ?? {}, upTo, whole.slice(upTo.length)) })}
            />
          </div>
        </section>
      </div>
    </div>
  )
}

/** What it says stands at a field or at a line. */
const isPlaced = (error: unknown): boolean => error instanceof SluiceError && error.errors.length > 0
