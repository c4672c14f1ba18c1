// A setting that is one JSON document: an editor in which what the server refuses stands at its line.

import { useState, type ReactNode } from "react"
import { editable } from "../../../web/chat/wording.ts"
import { CodeEditor } from "../code/code-editor.tsx"
import type { CodeProblem } from "../code/code-props.ts"
import { Head } from "./parts/head.tsx"
import { problemsOf, readJson } from "./parts/json-places.ts"
import { AskedView } from "../parts/asked-view.tsx"
import { Saved, useSaving } from "./parts/saving.tsx"
import { useAsked } from "../parts/asked.ts"
import css from "./settings.module.css"

interface Props {
  readonly title: string
  readonly about: string
  /** Shown below the editor. */
  readonly example: string
  readonly setting: { get(): Promise<unknown>; put(value: unknown): Promise<unknown> }
  /** What a change would do, said before it is saved. */
  readonly preview?: (draft: unknown, saved: unknown) => ReactNode
}

export function DocumentSection({ title, about, example, setting, preview }: Props) {
  const loaded = useAsked(["settings", "document", title], () => setting.get(), { isFresh: true })
  return (
    <>
      <Head title={title} about={about} />
      <AskedView what={`the ${title.toLowerCase()}`} of={loaded}>
        {(value) => (
          <Editor key={JSON.stringify(value)} title={title} value={value} put={setting.put} preview={preview} onSaved={loaded.again} />
        )}
      </AskedView>
      <details className="small">
        <summary>An example</summary>
        <pre className="code" tabIndex={0} role="region" aria-label="An example">
          {example}
        </pre>
      </details>
    </>
  )
}

interface EditorProps {
  readonly title: string
  readonly value: unknown
  readonly put: (value: unknown) => Promise<unknown>
  readonly preview: Props["preview"]
  readonly onSaved: () => void
}

function Editor({ title, value, put, preview, onSaved }: EditorProps) {
  const [text, setText] = useState(() => editable(value))
  const [problems, setProblems] = useState<readonly CodeProblem[]>([])
  const saving = useSaving()
  const change = (next: string): void => {
    setText(next)
    const read = readJson(next)
    setProblems("problem" in read ? [read.problem] : [])
  }
  const save = (): void => {
    const read = readJson(text)
    if ("problem" in read) return setProblems([read.problem])
    saving.save(async () => {
      try {
        await put(read.value)
      } catch (error) {
        setProblems(problemsOf(error, text))
        throw error
      }
      setProblems([])
      onSaved()
    })
  }
  const read = preview === undefined || text === editable(value) ? undefined : readJson(text)
  const draft = read === undefined || "problem" in read ? undefined : read.value
  return (
    <div className="panel">
      <div className={css.sedit}>
        <CodeEditor label={title} text={text} language="json" wrap problems={problems} onChange={change} onSave={save} />
      </div>
      <div className="dlg-l">
        {preview && draft !== undefined && preview(draft, value)}
        <Saved of={saving} places={[]} act={`Save the ${title.toLowerCase()}`} onSave={save} />
      </div>
    </div>
  )
}
