// An editor for YAML, Markdown, JSON or plain text, and a difference of two texts. The editor itself loads when one is first shown; until then
// its text is there to read.

import { Suspense } from "react"
import { visible } from "../../../web/chat/wording.ts"
import { Guard } from "../parts/guard.tsx"
import { later } from "../parts/later.ts"
import type { CodeDiffProps, CodeEditorProps } from "./code-props.ts"

const Editor = later(async () => (await import("./editor-view.tsx")).EditorBox)
const Diff = later(async () => (await import("./diff-editor.tsx")).DiffBox)

export function CodeEditor(props: CodeEditorProps) {
  return (
    <Guard of={props.label} what="The editor">
      <Suspense fallback={<Plain label={props.label} text={props.text} isFirst={props.isFirst === true} />}>
        <Editor {...props} />
      </Suspense>
    </Guard>
  )
}

/** One text with what is new in it and, above each change, what it replaces. Nothing in it can be edited. */
export function CodeDiff(props: CodeDiffProps) {
  return (
    <Suspense fallback={<Plain label={props.label} text={props.after} />}>
      <Diff {...props} />
    </Suspense>
  )
}

function Plain({ label, text, isFirst = false }: { readonly label: string; readonly text: string; readonly isFirst?: boolean }) {
  return (
    <pre className="code wrap" tabIndex={0} role="region" aria-label={label} data-reading={isFirst ? "" : undefined}>
      {visible(text)}
    </pre>
  )
}
