// The look of an editor. Colors and sizes are the tokens, which reach into the shadow root that the editor stands in.

import { HighlightStyle, syntaxHighlighting } from "@codemirror/language"
import { EditorView, highlightSpecialChars } from "@codemirror/view"
import { tags } from "@lezer/highlight"

const words = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName), tags.keyword], color: "var(--code-key)" },
  { tag: [tags.string, tags.attributeValue], color: "var(--code-str)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-num)" },
  { tag: [tags.link, tags.url, tags.monospace, tags.typeName, tags.labelName], color: "var(--code-tpl)" },
  { tag: [tags.comment, tags.meta, tags.processingInstruction], color: "var(--code-note)" },
  { tag: [tags.heading, tags.strong], color: "var(--ink)", fontWeight: "600" },
  { tag: tags.emphasis, fontStyle: "italic" },
])

const frame = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--surface)", height: "100%", fontSize: "var(--t-2)" },
  // Above the gutter and the line that has the cursor, which would cover an outline.
  "&.cm-focused": { outline: "0" },
  "&.cm-focused::after": {
    content: '""',
    position: "absolute",
    inset: "0",
    border: "2px solid var(--focus)",
    pointerEvents: "none",
    zIndex: "250",
  },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "20px", scrollbarWidth: "thin" },
  ".cm-content": { caretColor: "var(--ink)", padding: "6px 0" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--accent-soft)",
  },
  ".cm-specialChar": { color: "var(--error)", fontWeight: "700" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--hover) 60%, transparent)" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--ink-3)", border: "0" },
  ".cm-activeLineGutter": { backgroundColor: "var(--hover)", color: "var(--ink)" },
  ".cm-matchingBracket": { backgroundColor: "var(--selected)", outline: "1px solid var(--line-strong)" },
  ".cm-searchMatch": { backgroundColor: "var(--waiting-soft)", outline: "1px solid var(--waiting)" },
  ".cm-panels": { backgroundColor: "var(--sunken)", color: "var(--ink)", borderColor: "var(--line)" },
  ".cm-panels input, .cm-panels button": {
    font: "var(--t-2)/20px var(--sans)",
    color: "var(--ink)",
    backgroundColor: "var(--surface)",
    backgroundImage: "none",
    border: "1px solid var(--line-strong)",
    borderRadius: "var(--r-1)",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    color: "var(--ink)",
    border: "1px solid var(--line-strong)",
    borderRadius: "var(--r-2)",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--selected)", color: "var(--ink)" },
  ".cm-completionDetail": { color: "var(--ink-3)", fontStyle: "normal" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--error)", textUnderlineOffset: "3px" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--waiting)", textUnderlineOffset: "3px" },
  ".cm-lintRange-info": { backgroundImage: "none", textDecoration: "underline dotted var(--accent)", textUnderlineOffset: "3px" },
  ".tpl, .tpl *": { color: "var(--code-tpl)" },
  ".cm-marks .cm-gutterElement": { width: "14px", textAlign: "center", fontSize: "10px", fontFamily: "var(--sans)" },
  ".mark.error": { color: "var(--error)" },
  ".mark.warning": { color: "var(--waiting)" },
  ".mark.info": { color: "var(--accent)" },
  ".mark.silenced": { color: "var(--ink-3)" },
  ".meaning": { padding: "6px 10px", maxWidth: "420px", font: "var(--t-2)/18px var(--sans)", whiteSpace: "normal" },
  // A margin would not be measured, and the numbers of the lines below would stand too high.
  ".problems": { padding: "2px 12px 4px" },
  ".problem": {
    display: "flex",
    alignItems: "flex-start",
    gap: "8px",
    padding: "3px 4px 3px 10px",
    borderLeft: "2px solid var(--error)",
    backgroundColor: "var(--error-soft)",
    borderRadius: "0 var(--r-1) var(--r-1) 0",
    font: "var(--t-2)/18px var(--sans)",
    maxWidth: "640px",
    whiteSpace: "normal",
    overflowWrap: "anywhere",
  },
  ".problem.warning": { borderColor: "var(--waiting)", backgroundColor: "var(--waiting-soft)" },
  ".problem.info": { borderColor: "var(--accent)", backgroundColor: "var(--accent-soft)" },
  ".problems.gone > .problem": { visibility: "hidden" },
  ".problem > span": { flex: "1", padding: "2px 0" },
  ".problem :is(code, pre)": { font: "var(--t-2)/18px var(--mono)", whiteSpace: "pre-wrap" },
  ".problem code": { padding: "0 3px", backgroundColor: "var(--surface)", borderRadius: "var(--r-1)" },
  ".problem pre": { margin: "2px 0 0", padding: "2px 6px", backgroundColor: "var(--surface)", borderRadius: "var(--r-1)" },
  ".problem b": { fontWeight: "600", color: "var(--error)" },
  ".problem.warning b": { color: "var(--waiting)" },
  ".problem.info b": { color: "var(--accent)" },
  ".problem button": {
    font: "600 var(--t-2)/20px var(--sans)",
    minHeight: "var(--hit)",
    padding: "0 8px",
    color: "var(--ink)",
    backgroundColor: "var(--surface)",
    border: "1px solid var(--line-strong)",
    borderRadius: "var(--r-1)",
    cursor: "pointer",
  },
  "& .cm-changedLine, & .cm-inlineChangedLine": { backgroundColor: "var(--add-soft)" },
  "& ins.cm-insertedLine, & del.cm-deletedLine": { background: "none", textDecoration: "none" },
  "& .cm-deletedChunk": { backgroundColor: "var(--del-soft)", paddingLeft: "6px" },
  "& .cm-changedText": { background: "none", textDecoration: "underline var(--complete)" },
  "& .cm-deletedChunk .cm-deletedText": { background: "none", textDecoration: "line-through var(--error)" },
  ".cm-changeGutter": { width: "3px" },
  ".cm-changedLineGutter": { backgroundColor: "var(--complete)" },
  ".cm-deletedLineGutter": { backgroundColor: "var(--error)" },
  ".cm-collapsedLines": { background: "var(--sunken)", color: "var(--ink-2)", padding: "2px 12px" },
})

// A character that nobody sees, or that turns the text around, stands as a mark with its name: no file reads otherwise than it is.
const hidden = highlightSpecialChars({ addSpecialChars: /[\u202a-\u202c\u2068]/g })

export const codeLook = [hidden, frame, syntaxHighlighting(words)]
