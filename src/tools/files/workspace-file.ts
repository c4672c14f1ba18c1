// Reads the path in an argument, and a file as text, for the file tools. Failures throw; the message is for the model.

import { readMedia, type Media } from "../../core/media/media.ts"
import { nearest } from "../../core/text/nearest.ts"
import { normalizeFolder, normalizePath, unmentioned } from "../../core/text/path.ts"
import type { JsonObject } from "../../core/json.ts"
import type { FileEntry, Workspace } from "../../ports/workspace.ts"

export function pathOf(params: JsonObject, name = "path"): string {
  const path = normalizePath(unmentioned(string(params, name)))
  if (!path.ok) throw new Error(path.error)
  return path.value
}

/** A path for the file.* tools: a leading `@`, as in a mention of a file, is ignored [T20]. */
export const mentioned = (params: JsonObject, name = "path"): JsonObject => ({
  ...params,
  [name]: string(params, name).replace(/^[@/]+/, ""),
})

/** `""`, like a missing argument, is the workspace's root. */
export function folderOf(params: JsonObject, name = "path"): string {
  const path = normalizeFolder(params[name] === undefined ? "" : unmentioned(string(params, name)))
  if (!path.ok) throw new Error(path.error)
  return path.value
}

/** Arguments are already validated: these functions only narrow types. */
export function string(params: JsonObject, name: string): string {
  const value = params[name]
  if (typeof value !== "string") throw new Error(`"${name}" must be a string`)
  return value
}
export const integer = (params: JsonObject, name: string): number | undefined => {
  const value = params[name]
  return typeof value === "number" ? value : undefined
}

/** An empty workspace is valid; a missing folder is an error. The caller must report each name that it shows [G11]. */
export async function filesUnder(workspace: Workspace, folder: string): Promise<readonly FileEntry[]> {
  const files = await workspace.survey(folder)
  if (files.length === 0 && folder !== "") throw new Error(`there is no file or folder ${folder}: use ls without a path to see the root`)
  return files
}

export interface TextFile {
  readonly entry: FileEntry
  readonly text: string
}

/** [F56] A picture or a PDF. */
interface MediaFile {
  readonly entry: FileEntry
  readonly media: Media
}

export async function readTextFile(workspace: Workspace, path: string): Promise<TextFile>
/** `orMedia`: also accepts a picture or a PDF. */
export async function readTextFile(workspace: Workspace, path: string, orMedia: boolean): Promise<TextFile | MediaFile>
export async function readTextFile(workspace: Workspace, path: string, orMedia = false): Promise<TextFile | MediaFile> {
  const entry = await workspace.stat(path)
  const body = entry === undefined ? undefined : await workspace.read(path)
  if (entry === undefined || body === undefined) throw new Error(await notThere(workspace, path))
  const media = orMedia ? readMedia(body) : undefined
  if (media) return { entry, media }
  const text = decode(body)
  if (text === undefined)
    throw new Error(`${path} is not text (${body.length} bytes of binary data): it can be listed and kept, not read or edited`)
  return { entry, text }
}

/** Decodes a file; undefined: it is not UTF-8, or contains NUL. A byte order mark is kept, so that an edit preserves it. */
export function decode(body: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body)
    return text.includes("\0") ? undefined : text
  } catch {
    return undefined
  }
}

async function notThere(workspace: Workspace, path: string): Promise<string> {
  const all = await workspace.survey("")
  if (all.some((file) => file.path.startsWith(`${path}/`))) return `${path} is a folder: use ls to see what is in it`
  const byPath = new Map(all.map((file) => [file.path, file]))
  const near = byPath.get(nearest(path, byPath.keys()) ?? "") ?? sameName(all, path)
  if (near === undefined) return `there is no file ${path}: use ls or find to see what there is`
  workspace.named([near])
  return `there is no file ${path}; did you mean ${near.path}?`
}

/** Right file name, wrong folder: the most common mistake of a model. */
function sameName(all: readonly FileEntry[], path: string): FileEntry | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1)
  return all.find((file) => file.path === name || file.path.endsWith(`/${name}`))
}
