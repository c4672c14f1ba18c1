// Normalizes workspace paths to one spelling [G7]. Every path from outside goes through here first.
//
// The result is relative NFC text of at most 512 bytes, with parts joined by single slashes and without `.` or `..`. The same path always
// has the same spelling, and normalizing twice changes nothing. A leading slash means the workspace's root. Spellings that other programs
// could read differently (percent escapes, backslashes, parts that end in a dot or a space, control and invisible characters) are refused,
// not repaired: paths are never decoded, so encoding cannot hide anything.

import { err, ok, type Result } from "../result.ts"
import { codePointOf, invisibleIn } from "./invisible.ts"
import { utf8Length } from "./utf8.ts"

export const MAX_PATH_BYTES = 512 // limit: bytes of a path → the path is refused
/** Limit: characters of a path before it is normalized. Normalizing never makes a path four times shorter. */
export const MAX_PATH_CHARS = 4 * MAX_PATH_BYTES // limit: characters of a path before it is normalized → the path is refused

/**
 * [T1] Removes the `@` of a mention such as `@notes/plan.md`, which models write and pi's tools accept. The guard and the tool both do this
 * first, so that they mean the same file.
 */
export const unmentioned = (raw: string): string => raw.replace(/^@[@/]*/, "")

/** Normalizes a file's path. The error is a sentence for the model or the caller. */
export function normalizePath(raw: string): Result<string, string> {
  const folder = normalizeFolder(raw)
  if (!folder.ok) return folder
  if (folder.value === "") return err(`${show(raw)} names no file: give a path like "notes/plan.md"`)
  return /[/\\]\.*$/.test(raw) && raw !== folder.value
    ? err(`${show(raw)} names a folder, not a file: remove everything after the name`)
    : folder
}

/** Normalizes a folder's path: like `normalizePath`, but `""`, `.` and `/` mean the root, which is `""`. */
export function normalizeFolder(raw: string): Result<string, string> {
  // More than four times the limit in code units exceeds it in bytes, unless most of the path is `../`, which does not occur in practice.
  if (raw.length > MAX_PATH_CHARS) return err(tooLong(raw))
  const text = raw.normalize("NFC")
  const fault = faultOf(text)
  if (fault !== undefined) return err(`path ${show(raw)} ${fault}`)

  const parts: string[] = []
  for (const part of text.split("/")) {
    if (part === "" || part === ".") continue
    if (part !== "..") {
      const trick = trickOf(part)
      if (trick !== undefined) return err(`path ${show(raw)}: the part ${show(part)} ${trick}`)
      parts.push(part)
    } else if (parts.pop() === undefined) {
      return err(`path ${show(raw)} leads out of the workspace: ".." has no parent folder`)
    }
  }
  const path = parts.join("/")
  return utf8Length(path) > MAX_PATH_BYTES ? err(tooLong(raw)) : ok(path)
}

function faultOf(text: string): string | undefined {
  if (/[\p{Cc}\u2028\u2029]/u.test(text)) return "holds a control character"
  if (/[\ud800-\udfff]/u.test(text)) return "is not valid Unicode (half a surrogate pair)"
  // Invisible marks change the reading direction, and a person who approves a path must see what it is.
  if (/[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/.test(text)) return "holds an invisible direction mark"
  const invisible = invisibleIn(text)
  if (invisible !== undefined) return `holds an invisible character (${codePointOf(invisible)})`
  if (text.includes("\\")) return "holds a backslash: write / between folders"
  if (/%(?:[0-9a-f]{2}|u[0-9a-f]{4})/i.test(text)) return "holds a percent escape: paths are not decoded, write the character itself"
  return undefined
}

/** Why another program could read this part as `.`, `..`, a slash or a different name; undefined: it could not. */
function trickOf(part: string): string | undefined {
  if (part !== part.trim()) return "begins or ends with a space"
  if (part.endsWith(".")) return "ends with a dot"
  const compatible = part.normalize("NFKC")
  if (/[/\\]/.test(compatible)) return "holds a character that looks like a slash"
  if (/^\.+$/.test(compatible)) return "is made of characters that look like dots"
  return undefined
}

const tooLong = (raw: string): string => `path ${show(raw)} is longer than ${MAX_PATH_BYTES} bytes`

const show = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 77)}…` : text)
