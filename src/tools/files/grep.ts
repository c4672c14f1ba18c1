// grep: lines of the workspace's text files that match a pattern [T20]. Files the agent may not read are left out [G7].
//
// Patterns run in linear time (core/schema/linear-pattern.ts), and the whole call shares one effort budget. A line takes at most some
// 40 ms, and between lines others have their turn (ports/breath.ts): no pattern that a model can write holds up anything else.

import { MAX_PATH_CHARS } from "../../core/text/path.ts"
import { compileGlob, globWork } from "../../core/text/glob.ts"
import { compilePattern, effort, type Pattern } from "../../core/schema/linear-pattern.ts"
import type { JsonObject } from "../../core/json.ts"
import { start as startOf } from "../../core/secrets/beginning.ts"
import { NO_SECRETS, type Redactor } from "../../core/secrets/redact.ts"
import { Breath } from "../../ports/breath.ts"
import { text, type Tool } from "../../ports/tool.ts"
import type { FileEntry } from "../../ports/workspace.ts"
import { decode, filesUnder, folderOf, integer, string } from "./workspace-file.ts"

const DEFAULT_LIMIT = 100
/** A minified file can be a single line of a megabyte, which is useless in an answer. */
const SHOWN_LINE = 500 // limit: characters shown of a line → the answer says how many more there are
const MOST_BYTES = 32 * 1024 * 1024 // limit: bytes that one call searches → the answer says that more was skipped
const MOST_EFFORT = 5_000_000 // limit: steps of matching of one call → the call fails: the pattern is too costly
const MOST_EFFORT_LINE = 400_000 // limit: steps of matching one line → the call fails: the pattern is too costly

export const grep: Tool = {
  name: "grep",
  label: "Search",
  description:
    "Search the text files of the workspace, line by line. pattern is a regular expression (no look-around, no back-references), or plain text with literal. Answers path:line: text.",
  parameters: {
    type: "object",
    properties: {
      pattern: { type: "string", minLength: 1, maxLength: 1000, description: "Regular expression, or plain text when literal is true." },
      path: { type: "string", maxLength: MAX_PATH_CHARS, description: "Folder or file to search. Default: the whole workspace." },
      glob: { type: "string", maxLength: 512, description: 'Only files whose path matches, such as "*.ts" or "docs/**".' },
      literal: { type: "boolean", description: "Take pattern as plain text. Default: false." },
      ignoreCase: { type: "boolean", description: "Upper and lower case are the same. Default: false." },
      context: { type: "integer", minimum: 0, maximum: 20, description: "Lines to show before and after each match. Default: 0." },
      limit: { type: "integer", minimum: 1, maximum: 2000, description: `Maximum number of matching lines. Default: ${DEFAULT_LIMIT}.` },
    },
    required: ["pattern"],
    additionalProperties: false,
  },
  effect: "read",
  contexts: ["main", "agent", "architect"],
  groups: ["fs"],
  truncate: "head",

  async execute(_callId, params, signal, _onUpdate, powers) {
    const folder = folderOf(params)
    const matchesLine = lineTest(params)
    const glob = params["glob"] === undefined ? undefined : compileGlob(string(params, "glob"), "search")
    const limit = integer(params, "limit") ?? DEFAULT_LIMIT
    const around = integer(params, "context") ?? 0
    const start = folder === "" ? 0 : folder.length + 1
    const breath = new Breath(signal)
    const redactor = powers.redactor?.() ?? NO_SECRETS
    const files: FileEntry[] = []
    for (const file of await filesUnder(powers.workspace, folder)) {
      await breath.take(glob === undefined ? 0 : globWork(string(params, "glob"), file.path))
      if (glob === undefined || glob(file.path) || (file.path.length > start && glob(file.path.slice(start)))) files.push(file)
    }

    const out: string[] = []
    const tally = { matches: 0, files: 0, bytes: 0, binary: 0 }
    let unread = 0
    for (const [i, file] of files.entries()) {
      signal.throwIfAborted()
      if (tally.matches >= limit || tally.bytes + file.size > MOST_BYTES) {
        unread = files.length - i
        break
      }
      const body = await powers.workspace.read(file.path)
      if (body === undefined) continue
      tally.bytes += body.length
      const content = decode(body)
      if (content === undefined) {
        tally.binary++
        continue
      }
      const found = await search(linesOf(content), matchesLine, { most: limit - tally.matches, breath })
      if (found.hits.length === 0) continue
      tally.matches += found.hits.length
      tally.files++
      if (around > 0 && out.length > 0) out.push("--")
      for (const line of show(file.path, found.lines, found.hits, { around, redactor })) out.push(line)
    }
    if (out.length === 0)
      out.push(`no line matches ${string(params, "pattern")} in ${files.length} ${files.length === 1 ? "file" : "files"}`)
    if (tally.matches >= limit) out.push(`[stopped at ${limit} matches; narrow the search or raise limit]`)
    else if (unread > 0) out.push(`[${unread} files not searched: more than ${MOST_BYTES / 1024 / 1024} MiB in all; give path or glob]`)
    return text(out.join("\n"), { ...tally, unread })
  },
}

function lineTest(params: JsonObject): (line: string) => boolean {
  const ignoreCase = params["ignoreCase"] === true
  const wanted = string(params, "pattern")
  if (params["literal"] === true) {
    if (!ignoreCase) return (line) => line.includes(wanted)
    const folded = wanted.toLowerCase()
    return (line) => line.toLowerCase().includes(folded)
  }
  const compiled = compilePattern(wanted, { ignoreCase })
  if (!compiled.ok) throw new Error(`pattern: ${compiled.error}; set literal to search for it as plain text`)
  const pattern: Pattern = compiled.value
  let left = MOST_EFFORT
  return (line) => {
    const given = Math.min(left, MOST_EFFORT_LINE)
    const spend = effort(given)
    const matches = pattern.test(line, spend)
    left -= given - spend.left
    return matches
  }
}

/** The empty text after the last newline is not a line. */
function linesOf(content: string): string[] {
  const lines = content.split(/\r?\n/)
  if (lines.at(-1) === "") lines.pop()
  return lines
}

async function search(
  lines: readonly string[],
  matches: (line: string) => boolean,
  { most, breath }: { readonly most: number; readonly breath: Breath },
): Promise<{ lines: readonly string[]; hits: number[] }> {
  const hits: number[] = []
  for (let i = 0; i < lines.length && hits.length < most; i++) {
    const line = lines[i] ?? ""
    if (matches(line)) hits.push(i)
    await breath.take(line.length)
  }
  return { lines, hits }
}

interface Showing {
  readonly around: number
  readonly redactor: Redactor
}

/** `path:12: text` for a match, `path-11- text` for context; "--" between groups that do not touch. */
function show(path: string, lines: readonly string[], hits: readonly number[], { around, redactor }: Showing): string[] {
  const out: string[] = []
  const isHit = new Set(hits)
  let shown = -1
  for (const hit of hits) {
    const from = Math.max(hit - around, shown + 1, 0)
    if (around > 0 && shown >= 0 && from > shown + 1) out.push("--")
    for (let i = from; i <= Math.min(hit + around, lines.length - 1); i++) {
      const mark = isHit.has(i) ? ":" : "-"
      out.push(`${path}${mark}${i + 1}${mark} ${clip(lines[i] ?? "", redactor)}`)
      shown = i
    }
  }
  return out
}

const clip = (line: string, redactor: Redactor): string => {
  if (line.length <= SHOWN_LINE) return line
  const shown = startOf(line, SHOWN_LINE, redactor)
  return shown === line ? line : `${shown}… [${line.length - shown.length} more characters]`
}
