// Sorts the files of a foreign repository into agents, skills, flows, handlers and others, by path and
// frontmatter alone: nothing is adapted or checked here.

import { codePlace } from "../../core/flow/code-file.ts"
import { catalogPath } from "../../core/flow/path-id.ts"
import { isTooLarge, MAX_BYTES } from "../../core/flow/parse/yaml-scan.ts"
import { normalizePath } from "../../core/text/path.ts"
import { readHead } from "./loose-head.ts"

export interface ForeignFile {
  readonly path: string
  readonly bytes?: Uint8Array
  readonly fault?: string
}

export type Sorted =
  | { readonly kind: "agent"; readonly path: string; readonly text: string; readonly stem: string }
  | { readonly kind: "skill"; readonly path: string; readonly text: string; readonly root: string; readonly file: string }
  /** A Sluice file that needs no changes: `flows/x.yaml`, `code/f/step.ts`. */
  | { readonly kind: "flow" | "rehearsal" | "code"; readonly path: string; readonly text: string; readonly target: string }
  | { readonly kind: "other"; readonly path: string; readonly why: string }

/** The same limit as for a single file. */
const MAX_FILE_BYTES = 1_048_576
/** YAML and code that one import reads: as much as one write of a catalog brings. To parse 10 MiB would take ten seconds. */
const MOST_PARSED = 1_048_576

/** Files that reports leave out: leftovers of operating systems and tools. */
export const isLitter = (path: string): boolean =>
  /(?:^|\/)(?:__MACOSX|\.git|node_modules)\/|(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini)$/.test(path)

export function sortFiles(files: readonly ForeignFile[]): readonly Sorted[] {
  const roots = new Set(files.flatMap(({ path }) => (SKILL_FILE.test(path) ? [folderOf(path)] : [])))
  const seen = new Set<string>()
  let parsed = 0
  const kept = files.filter((file) => !isLitter(file.path))
  return kept.map((file): Sorted => {
    const { path } = file
    const other = (why: string): Sorted => ({ kind: "other", path, why })
    const clean = normalizePath(path)
    if (!clean.ok) return other(clean.error)
    if (path.startsWith("/")) return other("is an absolute path")
    if (seen.has(clean.value)) return other("occurs twice")
    seen.add(clean.value)
    if ((file.bytes?.byteLength ?? 0) > MAX_FILE_BYTES) return other("is larger than 1 MiB")
    if (file.bytes === undefined) return other(file.fault ?? "could not be read")
    const text = textOf(file.bytes)
    if (text === undefined) return other("is not UTF-8 text: only text is imported")
    if (isMarked(clean.value) && isTooLarge(text)) return other(`is larger than ${MAX_BYTES / 1024} KiB`)
    parsed += parsedLength(clean.value, text)
    if (parsed > MOST_PARSED) return other("is left out: the files before it have 1 MiB of YAML and code; import it on its own")
    return sortText(clean.value, text, roots)
  })
}

const isMarked = (path: string): boolean => /\.(?:md|markdown|mdc)$/i.test(path)

/** Characters that a parser will read: of Markdown the frontmatter. */
function parsedLength(path: string, text: string): number {
  if (/\.(?:ya?ml|[tj]s|json)$/i.test(path)) return text.length
  if (!isMarked(path) || !/^\s*(?:<!--|---)/.test(text.slice(0, 200))) return 0
  const fence = text.indexOf("\n---", text.indexOf("---") + 3)
  return fence < 0 ? text.length : fence
}

const SKILL_FILE = /(?:^|\/)SKILL\.md$/i
const DOCUMENTS =
  /^(?:readme|claude|agents|gemini|copilot-instructions|contributing|changelog|license|licence|security|code_of_conduct|index|template)\b/i
const NOT_AGENTS = /(?:^|\/)(?:commands|prompts|rules|instructions|hooks|docs|references|output-styles|templates)\//i
const AGENT_FOLDER = /(?:^|\/)(?:agents?|subagents?|chatmodes|modes)\/(?:[^/]+\/)*[^/]+$/i

function sortText(path: string, text: string, roots: ReadonlySet<string>): Sorted {
  const root = rootOf(path, roots)
  if (root !== undefined) {
    const inside = root === "" ? path : path.slice(root.length + 1)
    return { kind: "skill", path, text, root, file: /^SKILL\.md$/i.test(inside) ? "SKILL.md" : inside }
  }
  const own = catalogPath(path)
  if (own.ok && (own.value.kind === "flow" || own.value.kind === "rehearsal")) return { kind: own.value.kind, path, text, target: path }
  const code = /^(?:code|flows)\//.test(path) ? codePlace(path) : undefined
  if (code?.ok === true) return { kind: "code", path, text, target: code.value.path }
  const name = path.slice(path.lastIndexOf("/") + 1)
  const stem = /^(.+?)(?:\.(?:agent|chatmode|subagent))?\.(?:md|markdown|mdc)$/i.exec(name)?.[1]
  if (stem === undefined) return { kind: "other", path, why: "is neither an agent nor part of a skill, a flow or a handler" }
  if (DOCUMENTS.test(stem)) return { kind: "other", path, why: "is documentation, not an agent" }
  if (NOT_AGENTS.test(path)) return { kind: "other", path, why: "is a command, a rule or a document, not an agent" }
  return isAgent(path, name, text)
    ? { kind: "agent", path, text, stem }
    : { kind: "other", path, why: "has no frontmatter that makes it an agent: name and description between two lines of ---" }
}

/** The nearest parent folder with a SKILL.md. */
function rootOf(path: string, roots: ReadonlySet<string>): string | undefined {
  for (let folder = folderOf(path); ; folder = folderOf(folder)) {
    if (roots.has(folder)) return folder
    if (folder === "") return undefined
  }
}

function isAgent(path: string, name: string, text: string): boolean {
  const { fields, present } = readHead(text)
  if (/\.(?:agent|chatmode|subagent)\.md$/i.test(name)) return true
  if (AGENT_FOLDER.test(path)) return present || /^#|^You are /m.test(text)
  const has = (key: string): boolean => fields.has(key)
  return has("description") && (has("name") || has("tools") || has("model") || has("mode"))
}

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")))

/** The last part of a folder's path, used to name its skill. */
export const folderName = (root: string): string => root.slice(root.lastIndexOf("/") + 1)

/** undefined: not UTF-8, or contains NUL, like images and archives. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes("\0") ? undefined : text
  } catch {
    return undefined
  }
}
