// A difference as one text: what was is above what is, and lines that did not change fold.

import { unifiedMergeView } from "@codemirror/merge"
import { EditorState } from "@codemirror/state"
import { EditorView, lineNumbers } from "@codemirror/view"
import { useEffect, useRef } from "react"
import { useMedia } from "../parts/use-media.ts"
import { grammarOf } from "./code-language.ts"
import { codeLook } from "./code-look.ts"
import type { CodeDiffProps } from "./code-props.ts"
import { templateMarks } from "./code-templates.ts"
import { softWrap } from "./code-wrap.ts"
import { mountEditor } from "./shadow-editor.ts"
import css from "./editor.module.css"

export function DiffBox({ label, before, after, language }: CodeDiffProps) {
  const host = useRef<HTMLDivElement>(null)
  const isSmall = useMedia("(max-width: 767px)")
  const wraps = isSmall || language !== "text"
  useEffect(() => {
    let view: EditorView | undefined
    let isGone = false
    void grammarOf(language).then((grammar) => {
      if (isGone || host.current === null) return
      const state = EditorState.create({
        doc: after,
        extensions: [
          lineNumbers(),
          EditorState.readOnly.of(true),
          EditorView.contentAttributes.of({ "aria-label": label, "aria-readonly": "true", tabindex: "0" }),
          wraps ? softWrap : [],
          unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: { margin: 3, minSize: 8 } }),
          ...codeLook,
          templateMarks,
          grammar,
        ],
      })
      view = mountEditor(host.current, state)
    })
    return () => {
      isGone = true
      view?.destroy()
    }
  }, [label, before, after, language, wraps])
  return <div ref={host} className={css.editor} data-editor />
}
