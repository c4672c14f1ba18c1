// A setting that is one JSON document: an editor in which what the server refuses stands at its line.

import { useState } from "react"
import { editable } from "../../../web/chat/wording.ts"
import { CodeEditor } from "../code/code-editor.tsx"
import type { CodeProblem } from "../code/code-props.ts"
import { Head } from "./parts/head.tsx"
import { problemsOf, readJson } from "./parts/json-places.ts"
import { Known } from "./parts/known.tsx"
import { Saved, useSaving } from "./parts/saving.tsx"
import { useAgain } from "./parts/use-again.ts"

interface Wish {
  readonly title: string
  readonly about: string
  /** Shown below the editor. */
  readonly example: string
  readonly setting: { get(): Promise<unknown>; put(value: unknown): Promise<unknown> }
}

export function DocumentSection({ title, about, example, setting }: Wish) {
  const loaded = useAgain(title, () => setting.get())
  return (
    <>
      <Head title={title} about={about} />
      <Known what={`the ${title.toLowerCase()}`} of={loaded}>
        {(value) => <Editor key={JSON.stringify(value)} title={title} value={value} put={setting.put} onSaved={loaded.again} />}
      </Known>
      <details className="small">
        <summary>An example</summary>
        <pre className="code" tabIndex={0} role="region" aria-label="An example">
          {example}
        </pre>
      </details>
    </>
  )
}

interface EditorWish {
  readonly title: string
  readonly value: unknown
  readonly put: (value: unknown) => Promise<unknown>
  readonly onSaved: () => void
}

function Editor({ title, value, put, onSaved }: EditorWish) {
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
  return (
    <div className="panel">
      <div className="sedit">
        <CodeEditor label={title} text={text} language="json" wrap problems={problems} onChange={change} onSave={save} />
      </div>
      <div className="dlg-l">
        <Saved of={saving} places={[]} act={`Save the ${title.toLowerCase()}`} onSave={save} />
      </div>
    </div>
  )
}
