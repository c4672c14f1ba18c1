// Splits a Markdown file into its YAML frontmatter and its body. Places in both are places in the whole file.

import { defined } from "../../defined.ts"
import type { Diagnostic } from "../../diagnostic.ts"
import { type SourcePlace, placesOf } from "./place.ts"
import { readYaml } from "./source.ts"
import { isTooLarge, MAX_BYTES } from "./yaml-scan.ts"
import type { MapNode } from "./yaml-tree.ts"

export interface Frontmatter {
  readonly head: MapNode
  /** Without surrounding blank lines. */
  readonly body: string
  /** The place of an offset in `body`. */
  bodyPlace(offset: number): SourcePlace
}

/** `front` is absent if the file is unreadable. */
export function readFrontmatter(text: string, family: "AV" | "SV"): { front?: Frontmatter; diagnostics: readonly Diagnostic[] } {
  const fault = (
    code: "LIMIT" | "FM-MISSING" | "FM-OPEN" | "PARSE",
    line: number,
    message: string,
    suggestion?: string,
  ): { diagnostics: Diagnostic[] } => ({
    diagnostics: [{ code: `${family}-${code}`, line, column: 1, severity: "error", message, ...defined({ suggestion }) }],
  })
  if (isTooLarge(text))
    return fault("LIMIT", 1, `the file is larger than ${MAX_BYTES / 1024} KiB`, "move long texts into a skill or the workspace")
  const opening = /^\uFEFF?---[ \t]*\r?(?:\n|$)/.exec(text)
  if (opening === null)
    return fault(
      "FM-MISSING",
      1,
      'the file does not begin with frontmatter: its first line must be "---"',
      "---\nname: NAME\ndescription: …\n---",
    )
  const start = opening[0].length
  const closing = /^---[ \t]*\r?$/m.exec(text.slice(start))
  if (closing === null) return fault("FM-OPEN", 1, 'the frontmatter is not closed: a second line "---" is missing', "---")

  // An empty line in place of the opening fence keeps the line numbers of the file.
  const source = readYaml(`\n${text.slice(start, start + closing.index)}`, family)
  const after = start + closing.index + closing[0].length
  const rest = text.slice(after)
  const lead = /^\s*/.exec(rest)?.[0].length ?? 0
  const body = rest.trim()
  const root = source.root
  if (root?.kind !== "map") {
    return source.diagnostics.length > 0
      ? { diagnostics: source.diagnostics }
      : fault("PARSE", 1, "the frontmatter is not a mapping of fields", "name: NAME")
  }
  const at = placesOf(text)
  return { front: { head: root, body, bodyPlace: (offset) => at(after + lead + offset) }, diagnostics: source.diagnostics }
}
