// A workspace path in its one spelling [G7]. Everything that takes a path from outside goes through here first.
//
// The result is NFC, relative, parts joined by single slashes, no `.` or `..`, at most 512 bytes; the same path always has the
// same spelling, and normalising twice changes nothing. A leading slash means the workspace's root. What could mean something
// else to another reader (percent escapes, backslashes, parts that end in a dot or a space, control characters) is refused, not
// repaired: nothing here is decoded, so nothing can be hidden by encoding it once more.

import { err, ok, type Result } from "../result.ts"
import { utf8Length } from "./utf8.ts"

export const MAX_PATH_BYTES = 512

/** The path of a file. The error is a sentence for the model or the caller. */
export function normalisePath(raw: string): Result<string, string> {
  const folder = normaliseFolder(raw)
  if (!folder.ok) return folder
  if (folder.value === "") return err(`${show(raw)} names no file: give a path like "notes/plan.md"`)
  return /[/\\]\.*$/.test(raw) && raw !== folder.value
    ? err(`${show(raw)} names a folder, not a file: leave out what follows the name`)
    : folder
}

/** The path of a folder: as `normalisePath`, but `""`, `.` and `/` mean the root, and its value is `""`. */
export function normaliseFolder(raw: string): Result<string, string> {
  // Four times the limit in code units is over it whatever they are, unless much of it is `../`; nobody writes that.
  if (raw.length > 4 * MAX_PATH_BYTES) return err(tooLong(raw))
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
      return err(`path ${show(raw)} leads out of the workspace: ".." has nothing to go up to`)
    }
  }
  const path = parts.join("/")
  return utf8Length(path) > MAX_PATH_BYTES ? err(tooLong(raw)) : ok(path)
}

function faultOf(text: string): string | undefined {
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(text)) return "holds a control character"
  if (/[\ud800-\udfff]/u.test(text)) return "is not valid Unicode (half a surrogate pair)"
  // Invisible marks that turn the reading direction: a person asked to approve a path must see the path.
  if (/[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/.test(text)) return "holds an invisible direction mark"
  if (text.includes("\\")) return "holds a backslash: write / between folders"
  if (/%(?:[0-9a-f]{2}|u[0-9a-f]{4})/i.test(text)) return "holds a percent escape: paths are not decoded, write the character itself"
  return undefined
}

/** Parts that some other reader would take for `.`, `..`, a slash, or another name. */
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
