// The editor. React owns its text from outside; what is typed is told by `onChange`, and comes back as the same text.

import { autocompletion, closeBrackets, completionKeymap } from "@codemirror/autocomplete"
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands"
import { bracketMatching, forceParsing, indentOnInput } from "@codemirror/language"
import { nextDiagnostic } from "@codemirror/lint"
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search"
import { Compartment, EditorState, type Extension } from "@codemirror/state"
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view"
import { useEffect, useRef } from "react"
import { useMedia } from "../parts/use-media.ts"
import { grammarOf } from "./code-language.ts"
import { codeLook } from "./code-look.ts"
import { optionsFrom } from "./code-options.ts"
import { lineAt } from "./code-place.ts"
import { problemBoxes, showProblems } from "./code-problems.ts"
import type { CodeEditorProps, CodeProblem } from "./code-props.ts"
import { templateMarks } from "./code-templates.ts"
import { softWrap } from "./code-wrap.ts"
import { meanings } from "./code-meanings.ts"
import { tint, tintedLines } from "./tinted-lines.ts"
import { mountEditor } from "./shadow-editor.ts"
import { typeOver } from "./type-over.ts"
import css from "./editor.module.css"

const NO_PROBLEMS: readonly CodeProblem[] = []
/** A screen of text has its colors when it is first seen; what comes after it is parsed while nothing else is done. */
const FIRST_SIGNS = 12_000
const FIRST_MS = 100

export function EditorBox(props: CodeEditorProps) {
  const { text, language, label, readOnly = false, isFirst = false, problems = NO_PROBLEMS, goTo } = props
  const isSmall = useMedia("(max-width: 767px)")
  const wraps = isSmall || (props.wrap ?? language !== "text")
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<EditorView>(undefined)
  const parts = useRef({ grammar: new Compartment(), wrap: new Compartment(), access: new Compartment() })
  // What the editor calls is what the last drawing was given.
  const now = useRef(props)
  /** Texts that were told and have not come back. */
  const told = useRef<string[]>([])
  useEffect(() => {
    now.current = props
  })

  useEffect(() => {
    if (host.current === null) return undefined
    const { grammar, wrap, access } = parts.current
    const state = EditorState.create({
      doc: now.current.text,
      extensions: [...base(now, told), grammar.of([]), wrap.of([]), access.of([])],
    })
    const view = mountEditor(host.current, state)
    editor.current = view
    return () => {
      editor.current = undefined
      view.destroy()
    }
  }, [])

  useEffect(() => {
    let isGone = false
    void grammarOf(language).then((grammar) => {
      const view = editor.current
      if (isGone || view === undefined) return
      view.dispatch({ effects: parts.current.grammar.reconfigure(grammar) })
      forceParsing(view, Math.min(view.state.doc.length, FIRST_SIGNS), FIRST_MS)
    })
    return () => {
      isGone = true
    }
  }, [language])
  useEffect(() => {
    editor.current?.dispatch({ effects: parts.current.wrap.reconfigure(wraps ? softWrap : []) })
  }, [wraps])
  useEffect(() => {
    const access = [
      EditorState.readOnly.of(readOnly),
      // A region that scrolls holds something that takes the focus: axe does not see that an editable element does.
      EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0", ...(readOnly ? { "aria-readonly": "true" } : {}) }),
    ]
    editor.current?.dispatch({ effects: parts.current.access.reconfigure(access) })
  }, [readOnly, label])
  useEffect(() => {
    const view = editor.current
    if (view === undefined) return
    const doc = view.state.doc.toString()
    // What was typed comes back later than the next key: that is no news.
    const isEcho = told.current.includes(text)
    if (doc === text || !isEcho) told.current = []
    if (doc === text || isEcho) return
    view.dispatch({ changes: changeTo(view.state.doc.toString(), text) })
  }, [text])
  useEffect(() => {
    if (editor.current) showProblems(editor.current, problems, (problem) => now.current.onFix?.(problem))
  }, [problems])
  const tinted = props.tinted?.join(" ") ?? ""
  useEffect(() => {
    editor.current?.dispatch({ effects: tint.of(tinted === "" ? [] : tinted.split(" ").map(Number)) })
  }, [tinted])
  useEffect(() => {
    const view = editor.current
    if (view === undefined || goTo === undefined) return
    const { from } = lineAt(view.state.doc, goTo.line)
    view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) })
  }, [goTo])

  // Once there is something to type in, the dialog may begin there.
  useEffect(() => {
    if (!isFirst || !host.current) return
    delete host.current.dataset["reading"]
    host.current.dataset["autofocus"] = ""
  }, [isFirst])

  return <div ref={host} className={css.editor} data-editor data-reading={isFirst ? "" : undefined} />
}

/** Only what differs is replaced: the cursor and what stands at a line keep their places. */
function changeTo(before: string, after: string): { readonly from: number; readonly to: number; readonly insert: string } {
  const most = Math.min(before.length, after.length)
  let from = 0
  while (from < most && before.charCodeAt(from) === after.charCodeAt(from)) from += 1
  let tail = 0
  while (tail < most - from && before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)) tail += 1
  return { from, to: before.length - tail, insert: after.slice(from, after.length - tail) }
}

function base(now: { readonly current: CodeEditorProps }, told: { readonly current: string[] }): Extension[] {
  const does = (what: () => (() => void) | undefined) => () => {
    const act = what()
    act?.()
    return act !== undefined
  }
  return [
    lineNumbers(),
    highlightActiveLineGutter(),
    highlightActiveLine(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    typeOver,
    highlightSelectionMatches(),
    autocompletion({ override: [optionsFrom((upTo, whole) => now.current.complete?.(upTo, whole) ?? [])], icons: false }),
    meanings((word, upTo) => now.current.about?.(word, upTo)),
    problemBoxes,
    tintedLines,
    ...codeLook,
    templateMarks,
    keymap.of([
      { key: "Mod-s", preventDefault: true, run: does(() => now.current.onSave) },
      { key: "Mod-Enter", run: does(() => now.current.onRun) },
      { key: "F8", run: nextDiagnostic },
      ...completionKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...defaultKeymap,
      // Escape and then Tab, within two seconds, leaves the editor: CodeMirror's own way out for those who have no pointer.
      indentWithTab,
    ]),
    EditorView.updateListener.of(({ docChanged, selectionSet, state, startState }) => {
      const text = docChanged ? state.doc.toString() : now.current.text
      if (text !== now.current.text || (docChanged && told.current.length > 0)) {
        told.current.push(text)
        now.current.onChange?.(text)
      }
      if (!selectionSet && !docChanged) return
      const line = state.doc.lineAt(state.selection.main.head).number
      if (line !== startState.doc.lineAt(startState.selection.main.head).number) now.current.onLine?.(line)
    }),
  ]
}
