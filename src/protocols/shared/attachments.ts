// Reads the files in a message [P3], which are in the workspace before the first step, as text from outside. An address is only mentioned,
// never fetched.

import type { GivenFile, GivenFiles } from "../../core/run/given-file.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { cutAt } from "../../core/text/cut-at.ts"
import type { Fault } from "../../http/middleware/problem.ts"

const MAX_ATTACHMENTS = 20 // limit: files of a message → 400
/** Characters of a name, which have 400 bytes at most: a path has 512. */
const MAX_NAME = 100 // limit: characters of a file's name in a message → the rest is cut
const MAX_ENDING = 12 // limit: characters of a long name's ending that stay → a longer one is cut too

export interface Attachment {
  /** As the client calls it; absent: it has none. */
  readonly name?: string | undefined
  readonly type?: string | undefined
  /** A data URL, an http(s) URL, or nothing but base64. */
  readonly content: { readonly url: string } | { readonly base64: string } | { readonly text: string }
  /** Where it stands in the body. */
  readonly pointer: string
}

export interface Attached {
  readonly files: GivenFiles
  /** One line for each file and each address. */
  readonly lines: readonly string[]
  /** Path of a file → where it stands in the body. */
  readonly places: ReadonlyMap<string, string>
}

export const NOTHING_ATTACHED: Attached = { files: {}, lines: [], places: new Map() }

export function attach(list: readonly Attachment[]): Result<Attached, Fault[]> {
  const files: Record<string, GivenFile> = {}
  const lines: string[] = []
  const places = new Map<string, string>()
  const faults: Fault[] = []
  if (list.length > MAX_ATTACHMENTS) return err([{ pointer: list[0]?.pointer ?? "", message: `more than ${MAX_ATTACHMENTS} files` }])
  for (const { name, type, content, pointer } of list) {
    const read = bodyOf(content, type)
    if (read === undefined) faults.push({ pointer, message: "must be a data URL in base64, or an http(s) address" })
    else if ("address" in read) lines.push(`Attached: ${read.address}`)
    else {
      const path = free(`attachments/${safeName(name, read.type)}`, files)
      files[path] = read.file
      places.set(path, pointer)
      lines.push(`Attached: ${path}`)
    }
  }
  return faults.length > 0 ? err(faults) : ok({ files, lines, places })
}

type Read = { readonly address: string } | { readonly file: GivenFile; readonly type: string | undefined }

function bodyOf(content: Attachment["content"], said: string | undefined): Read | undefined {
  if ("text" in content) return { file: { text: content.text, untrusted: true, ...typed(said) }, type: said }
  if ("base64" in content) return { file: { base64: content.base64, untrusted: true, ...typed(said) }, type: said }
  const { url } = content
  // An address is one word, so that it cannot say more lines.
  if (/^https?:\/\/\S+$/i.test(url)) return { address: url.slice(0, 2_048) }
  const [, type, coding, data] = /^data:([^;,]*)((?:;[^,]*)?),(.*)$/is.exec(url) ?? []
  if (type === undefined || coding === undefined || data === undefined) return undefined
  const media = type === "" ? said : type
  if (/;base64$/i.test(coding)) return { file: { base64: data, untrusted: true, ...typed(media) }, type: media }
  try {
    return { file: { text: decodeURIComponent(data), untrusted: true, ...typed(media) }, type: media }
  } catch {
    return undefined
  }
}

const typed = (type: string | undefined): { type?: string } => (type !== undefined && /^[\w.+-]+\/[\w.+-]+$/.test(type) ? { type } : {})

const ENDINGS: Readonly<Record<string, string>> = {
  "image/png": ".png",
  "image/jpeg": ".jpg",
  "image/gif": ".gif",
  "image/webp": ".webp",
  "application/pdf": ".pdf",
  "text/plain": ".txt",
  "application/json": ".json",
}

/** The last part of the name, of letters, digits and a few signs; a long one is cut before its ending. */
function safeName(name: string | undefined, type: string | undefined): string {
  const last = (name ?? "").split(/[\\/]/).at(-1) ?? ""
  const safe = last
    .normalize("NFC")
    .replace(/[^\p{L}\p{N} ._()+-]/gu, "_")
    .replace(/^[. ]+|[. ]+$/g, "")
  if (safe.length > MAX_NAME) {
    const [ending = ""] = /\.[^.]+$/.exec(safe) ?? []
    return ending.length > MAX_ENDING ? cutAt(safe, MAX_NAME) : cutAt(safe, MAX_NAME - ending.length) + ending
  }
  return safe === "" ? `file${(type !== undefined && Object.hasOwn(ENDINGS, type) && ENDINGS[type]) || ""}` : safe
}

function free(path: string, taken: Readonly<Record<string, GivenFile>>): string {
  const lower = new Set(Object.keys(taken).map((other) => other.toLowerCase()))
  const dot = path.lastIndexOf(".")
  const [stem, ending] = dot > path.lastIndexOf("/") + 1 ? [path.slice(0, dot), path.slice(dot)] : [path, ""]
  for (let n = 1; ; n++) {
    const tried = n === 1 ? path : `${stem}-${n}${ending}`
    if (!lower.has(tried.toLowerCase())) return tried
  }
}
