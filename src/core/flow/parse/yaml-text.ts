// Accepts values that are not valid YAML, but that people write and other tools accept: `model: @planning`, `description: Use when: …` [F1].

import type { Document, YAMLError } from "yaml"
import { codePointOf } from "../../text/invisible.ts"

/** The library reports the fault, but still reads the value as plain text. */
export const takenAsText = (fault: YAMLError, text: string): boolean =>
  fault.code === "BAD_SCALAR_START" && /[@`]/.test(text[fault.pos[0]] ?? "")

/** The spans, as in `description: Use when: …`, that are invalid only because they contain `: `. */
export function linesTakenAsText(document: Document, text: string): [number, number][] {
  const spans: [number, number][] = []
  const seen = new Set<number>()
  for (const fault of document.errors) {
    if (fault.code !== "BLOCK_AS_IMPLICIT_KEY") continue
    const [start] = fault.pos
    const lineStart = text.lastIndexOf("\n", start - 1) + 1
    if (seen.has(lineStart)) continue
    seen.add(lineStart)
    const lineEnd = text.indexOf("\n", start) < 0 ? text.length : text.indexOf("\n", start)
    const line = text.slice(start, lineEnd)
    const comment = line.search(/\s#/)
    const span = (comment < 0 ? line : line.slice(0, comment)).trimEnd()
    if (!/^[\s"'[\]{}|>?#&*!%-]/.test(span) && span.includes(": ")) spans.push([start, start + span.length])
  }
  return spans.sort((a, b) => a[0] - b[0])
}

/** A line or a key that begins with a sign that YAML does not know where it needs a space or a colon: in the indent, after a dash, after a name. */
const LOOKALIKE =
  /^([ \t]*(?:-[ \t]*)?(?:[\w.-]+:[ \t]*)?)([\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000\ufeff])|^([ \t]*(?:-[ \t]+)?[\w.-]+)(\uff1a)/u
const SPACES: Readonly<Record<string, string>> = { "\u00a0": "a no-break space", "\u3000": "a wide space" }

export interface Lookalike {
  /** Its offset in the text. */
  readonly at: number
  readonly says: string
  readonly write: string
}

export function lookalikeIn(text: string): Lookalike | undefined {
  const [, before = "", space, name = "", colon] = LOOKALIKE.exec(text) ?? []
  if (space !== undefined)
    return {
      at: before.length,
      says: `${SPACES[space] ?? "an unusual space"} (${codePointOf(space)}), which YAML does not treat as a space`,
      write: "write an ordinary space",
    }
  return colon === undefined
    ? undefined
    : {
        at: name.length,
        says: `a wide colon (${codePointOf(colon)}), which YAML does not treat as a colon`,
        write: "write an ordinary colon and a space",
      }
}

/** Quotes the spans. `edits` are the offsets, in the new text, of the inserted characters. */
export function quote(
  text: string,
  before: readonly number[],
  spans: readonly (readonly [number, number])[],
): { text: string; edits: number[] } {
  const edits: number[] = []
  let out = ""
  let at = 0
  let old = 0
  const copy = (until: number): void => {
    while (old < before.length && (before[old] ?? 0) < until) edits.push((before[old++] ?? 0) - at + out.length)
    out += text.slice(at, until)
    at = until
  }
  const insert = (): void => {
    edits.push(out.length)
    out += "'"
  }
  for (const [start, end] of spans) {
    copy(start)
    insert()
    for (let i = text.indexOf("'", start); i >= 0 && i < end; i = text.indexOf("'", i + 1)) {
      copy(i)
      insert()
    }
    copy(end)
    insert()
  }
  copy(text.length)
  return { text: out, edits }
}

/** Converts an offset in the quoted text to an offset in the original. */
export function undo(edits: readonly number[], offset: number): number {
  let low = 0
  let high = edits.length
  while (low < high) {
    const mid = (low + high) >> 1
    if ((edits[mid] ?? 0) < offset) low = mid + 1
    else high = mid
  }
  return offset - low
}
