// Sorts the files of a foreign repository into agents, skills, flows, handlers and others, by path and
// frontmatter alone: nothing is adapted or checked here.

import { defined } from "../../core/defined.ts"
import { codePlace } from "../../core/flow/code-file.ts"
import { catalogPath } from "../../core/flow/path-id.ts"
import { isTooLarge, MAX_BYTES } from "../../core/flow/parse/yaml-scan.ts"
import { normalizePath } from "../../core/text/path.ts"
import type { Reading } from "./adapt-agent.ts"
import { isDocument, isOftenDocument, knownReason, layoutOf, type Layout } from "./layout.ts"
import { readHead, type Head } from "./loose-head.ts"

export interface ForeignFile {
  readonly path: string
  readonly bytes?: Uint8Array
  readonly fault?: string
}

export type Sorted =
  | { readonly kind: "agent" | "command"; readonly path: string; readonly text: string; readonly reading: Reading }
  | { readonly kind: "skill"; readonly path: string; readonly text: string; readonly root: string; readonly file: string }
  /** A Sluice file that needs no changes: `flows/x.yaml`, `code/f/step.ts`. */
  | { readonly kind: "flow" | "rehearsal" | "test" | "code"; readonly path: string; readonly text: string; readonly target: string }
  | { readonly kind: "other"; readonly path: string; readonly why: string }

export const MAX_FILE_BYTES = 2 * 1_048_576 // limit: bytes of a file of an import → the file is left out, with the reason
/** YAML and code that one import reads: as much as one write of a catalog brings. To parse 10 MiB would take ten seconds. */
// Limit: characters of YAML and code of an import, and 512 for each file → the files after it are left out, with the reason.
export const MOST_PARSED = 1_048_576
/** An agent of a few lines takes two thirds of a millisecond, as much as these characters of a long one. */
const CHARS_IN_ONE = 512

/** Files that reports leave out: leftovers of operating systems and tools. */
export const isLitter = (path: string): boolean =>
  /(?:^|\/)(?:__MACOSX|\.git|node_modules)\/|(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini)$/.test(path)

export function sortFiles(files: readonly ForeignFile[]): readonly Sorted[] {
  const roots = new Set(files.flatMap(({ path }) => (SKILL_FILE.test(path) ? [folderOf(path)] : [])))
  const bases = basesOf(files)
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
    if ((file.bytes?.byteLength ?? 0) > MAX_FILE_BYTES) return other("is larger than 2 MiB")
    if (file.bytes === undefined) return other(file.fault ?? "could not be read")
    const text = textOf(file.bytes)
    if (text === undefined) return other("is not UTF-8 text: only text is imported")
    const root = rootOf(clean.value, roots)
    const isMarked = root === undefined && MARKED.test(clean.value)
    if (isMarked && isTooLarge(text)) return tooLarge(path)
    // What it is shows in its head, so the head counts first.
    if (isMarked) parsed += headLength(text)
    const place = parsed > MOST_PARSED ? undefined : placed(clean.value, text, root, bases)
    if (place === undefined) return other(MANY)
    if (place.kind === "other") return place
    if (isMarked || isParsed(place)) parsed += CHARS_IN_ONE
    if (isMarked) return parsed > MOST_PARSED ? other(MANY) : place
    if (isParsed(place) && isTooLarge(text)) return tooLarge(path)
    if (isParsed(place)) parsed += place.kind === "skill" && place.file === "SKILL.md" ? headLength(text) : text.length
    return parsed > MOST_PARSED ? other(MANY) : place
  })
}

export const MANY = "is left out: the files before it have 1 MiB of YAML and code; import it on its own"
const tooLarge = (path: string): Sorted => ({ kind: "other", path, why: `is larger than ${MAX_BYTES / 1024} KiB` })
const MARKED = /\.(?:md|markdown|mdc)$/i

type Placed = Exclude<Sorted, { kind: "other" }>

/** The catalog reads it, and does not only keep it. */
const isParsed = (file: Placed): boolean => file.kind !== "skill" || file.file === "SKILL.md" || file.file === "manifest.json"

/** Characters of the frontmatter. */
function headLength(text: string): number {
  if (!/^\s*(?:<!--|---)/.test(text.slice(0, 200))) return 0
  const fence = text.indexOf("\n---", text.indexOf("---") + 3)
  return fence < 0 ? text.length : fence
}

const SKILL_FILE = /(?:^|\/)SKILL\.md$/i

function placed(path: string, text: string, root: string | undefined, bases: ReadonlySet<string>): Sorted {
  if (root !== undefined) {
    const inside = root === "" ? path : path.slice(root.length + 1)
    return { kind: "skill", path, text, root, file: /^SKILL\.md$/i.test(inside) ? "SKILL.md" : inside }
  }
  return flowFile(path, text, bases) ?? marked(path, text)
}

/** The folders that have a folder `flows` with YAML: at the root, or below others such as `.pi/flows`. */
function basesOf(files: readonly ForeignFile[]): ReadonlySet<string> {
  const bases = new Set([""])
  for (const { path } of files) {
    const base = /\.yaml$/i.test(path) ? /^(.*\/)?flows\/[^]+$/.exec(path) : null
    if (base?.[1] !== undefined) bases.add(base[1])
  }
  return bases
}

/** A flow, a rehearsal or a handler: `flows/…` and `code/…` below a base. The nearest base counts. */
function flowFile(path: string, text: string, bases: ReadonlySet<string>): Sorted | undefined {
  if (!/\.(?:yaml|ts|js)$/.test(path)) return undefined
  const folders = path.split("/")
  for (let at = folders.length - 2; at >= 0; at--) {
    const folder = folders[at]
    const base = at === 0 ? "" : `${folders.slice(0, at).join("/")}/`
    if ((folder !== "flows" && folder !== "code") || !bases.has(base)) continue
    const target = folders.slice(at).join("/")
    const own = catalogPath(target)
    // At the root the folder says that it is a flow; elsewhere many programs have a folder of this name.
    if (own.ok && (own.value.kind === "flow" || own.value.kind === "rehearsal" || own.value.kind === "test"))
      return at === 0 || /^(?:steps|cases)[ \t]*:/m.test(text) ? { kind: own.value.kind, path, text, target } : undefined
    const code = codePlace(target)
    if (code.ok) return { kind: "code", path, text, target: code.value.path }
  }
  return undefined
}

function marked(path: string, text: string): Sorted {
  const other = (why: string): Sorted => ({ kind: "other", path, why })
  const layout = layoutOf(path)
  if (layout === undefined) return other(knownReason(path) ?? "is neither an agent nor part of a skill, a flow or a handler")
  const { role, stem, dialect } = layout
  const head = role === "command" || layout.marked ? undefined : readHead(text)
  const reading = { stem, dialect, ...defined({ head }) }
  if (!layout.marked && isDocument(stem)) return other("is documentation, not an agent")
  const isAgent = role !== "command" && isAgentText(layout, head, text)
  if (isOftenDocument(stem) && !isAgent && !layout.marked) return other("is documentation, not an agent")
  if (role === "command") return text.trim() === "" ? other("is empty") : { kind: "command", path, text, reading }
  if (isAgent) return { kind: "agent", path, text, reading }
  return other(
    role === "document"
      ? "is a document or a template, not an agent"
      : "has no frontmatter that makes it an agent: name and description between two lines of ---",
  )
}

function isAgentText({ role, stem }: Layout, head: Head | undefined, text: string): boolean {
  if (head === undefined) return true
  const { fields, present } = head
  const has = (key: string): boolean => fields.has(key)
  if (has("description") && (has("name") || has("tools") || has("model") || has("mode"))) return true
  // A folder of agents has agents without a head too, and documents in capitals.
  return role === "agent" && (present || (/^#|^You are /m.test(text) && !/^[A-Z0-9_-]+$/.test(stem) && !isOftenDocument(stem)))
}

/** The nearest parent folder with a SKILL.md. */
function rootOf(path: string, roots: ReadonlySet<string>): string | undefined {
  for (let folder = folderOf(path); ; folder = folderOf(folder)) {
    if (roots.has(folder)) return folder
    if (folder === "") return undefined
  }
}

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")))

/** The last part of a folder's path, used to name its skill. */
export const folderName = (root: string): string => root.slice(root.lastIndexOf("/") + 1)

/** Decodes a file; undefined: it is not UTF-8, or contains NUL, like images and archives. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes("\0") ? undefined : text
  } catch {
    return undefined
  }
}
