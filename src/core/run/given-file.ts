// Reads and checks files that a run is given [F55]: with its start, by a hook's mapping, or by a schedule. Each is text, bytes in base64,
// or a shared file by its key. The shell decodes and stores them (engine/run/keep-files.ts).

import { z } from "zod"
import { recordOf } from "../schema/bounded.ts"
import { normalizePath } from "../text/path.ts"
import { pointerStep } from "../text/pointer.ts"
import { err, ok, type Result } from "../result.ts"
import { later } from "../schema/later.ts"

/** Limit: files of a start, a mapping or a schedule → 422 at `/files`. */
export const MAX_GIVEN_FILES = 200
/** Bytes of all files of one start, and of one file that is sent to a run later. */
export const MAX_GIVEN_BYTES = 10 * 1024 * 1024 // limit: bytes of all files of a start → 422 at the file, or 413
/** Characters of one file's text; in base64, which takes four characters for three bytes, as many bytes. */
const MAX_TEXT = MAX_GIVEN_BYTES // limit: characters of a given file's text → 422 at the file
const MAX_BASE64 = 13_981_016 // limit: characters of a given file's bytes in base64 → 422 at the file
/** Characters of a path before it is normalized, and of a shared file's key. */
const MAX_PATH = 2_048 // limit: characters of a given file's path, and of a shared file's key → 422 at the file
const MAX_TYPE = 200 // limit: characters of a given file's media type → 422 at the file

/** A media type, with or without parameters. */
const MediaType = later(() =>
  z
    .string()
    .max(MAX_TYPE)
    .regex(/^[\w.+-]+\/[\w.+-]+(?:\s*;.*)?$/, 'must be a media type such as "image/png"'),
)

export const GivenFile = later(() =>
  z.union([
    z.string().max(MAX_TEXT),
    z
      .strictObject({
        text: z.string().max(MAX_TEXT).exactOptional(),
        base64: z.string().max(MAX_BASE64).exactOptional(),
        object: z.string().max(MAX_PATH).exactOptional(),
        type: MediaType.exactOptional(),
        untrusted: z.boolean().exactOptional(),
      })
      .refine(({ text, base64, object }) => [text, base64, object].filter((given) => given !== undefined).length === 1, {
        error: "must have exactly one of text, base64 (bytes), object (the key of a shared file)",
      }),
  ]),
)
export type GivenFile = z.infer<typeof GivenFile>

/** Path in the workspace → the file. */
export const GivenFiles = later(() => recordOf(GivenFile, MAX_GIVEN_FILES, z.string().max(MAX_PATH)))
export type GivenFiles = Readonly<Record<string, GivenFile>>

export interface FileFault {
  readonly pointer: string
  readonly message: string
}

/** The files by normalized path, in the given order. `pointer`: the JSON pointer of the record. */
export function namedFiles(
  files: GivenFiles,
  pointer: string,
): Result<readonly { readonly path: string; readonly at: string; readonly file: GivenFile }[], FileFault[]> {
  const faults: FileFault[] = []
  const named = Object.entries(files).flatMap(([raw, file]) => {
    const at = pointer + pointerStep(raw)
    const path = normalizePath(raw)
    if (!path.ok) faults.push({ pointer: at, message: path.error })
    return path.ok ? [{ path: path.value, at, file }] : []
  })
  const places = new Set<string>()
  const folders = new Set(named.flatMap(({ path }) => foldersOf(path)))
  for (const { path, at } of named) {
    if (places.has(path)) faults.push({ pointer: at, message: `another file has the path ${path} too` })
    else if (folders.has(path)) faults.push({ pointer: at, message: `${path} is also the folder of another file: choose another name` })
    places.add(path)
  }
  return faults.length > 0 ? err(faults) : ok(named)
}

const foldersOf = (path: string): string[] =>
  path
    .split("/")
    .slice(0, -1)
    .map((_, i, parts) => parts.slice(0, i + 1).join("/"))

/** Media types by ending, for files given without one: those that a model may be shown. */
const TYPES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  pdf: "application/pdf",
}

/** The media type of a file, without parameters; undefined if its name has no known ending. */
export function mediaTypeOf(path: string, type?: string): string | undefined {
  const given = type?.split(";")[0]?.trim().toLowerCase()
  const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase()
  return given !== undefined && given !== "" ? given : Object.hasOwn(TYPES, ending) ? TYPES[ending] : undefined
}
