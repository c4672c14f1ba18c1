// Stores the files of a start before the run begins [F55]: bodies under their hashes, so that the start names them and is as durable as the
// run. A repeated start stores the same bodies again, which changes nothing.

import { defined } from "../../core/defined.ts"
import type { StartFile } from "../../core/run/event-parts.ts"
import { MAX_GIVEN_BYTES, mediaTypeOf, namedFiles, type FileFault, type GivenFile, type GivenFiles } from "../../core/run/given-file.ts"
import { readMedia } from "../../core/media/media.ts"
import type { Redactor } from "../../core/secrets/redact.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { messageOf } from "../../core/text/fault-text.ts"
import type { Blobs } from "../../ports/blobs.ts"
import type { Objects } from "../../ports/tool.ts"
import { inPieces } from "./arrival.ts"

export interface KeepParts {
  readonly blobs: Pick<Blobs, "put">
  readonly objects: Pick<Objects, "get">
  redactor(): Promise<Redactor>
}

/** `pointer`: the place of the files in the request. */
export async function keepFiles(given: GivenFiles, pointer: string, parts: KeepParts): Promise<Result<StartFile[], FileFault[]>> {
  const named = namedFiles(given, pointer)
  if (!named.ok) return named
  const redactor = named.value.length === 0 ? undefined : await parts.redactor()
  const faults: FileFault[] = []
  const kept: StartFile[] = []
  let left = MAX_GIVEN_BYTES
  // One after another: an isolate holds one body at a time besides the request.
  for (const { path, at, file } of named.value) {
    const read = await bodyOf(file, parts)
    if (typeof read === "string") {
      faults.push({ pointer: at, message: read })
      continue
    }
    left -= read.body.byteLength
    if (left < 0) return err([...faults, { pointer: at, message: `is too much: files of one start have at most ${MAX_GIVEN_BYTES} bytes` }])
    const body = redactor ? await cleanBody(read.body, redactor) : read.body
    // [F56] What a model may be shown is decided by its bytes; for other files the caller or the name says what they are.
    const type = readMedia(read.body)?.type ?? mediaTypeOf(path, read.type)
    const tainted = read.tainted === true || (typeof file === "object" && file.untrusted === true)
    kept.push({
      path,
      hash: await parts.blobs.put(body),
      size: body.byteLength,
      ...defined({ type }),
      ...(tainted ? { tainted: true } : {}),
    })
  }
  return faults.length > 0 ? err(faults) : ok(kept)
}

/** [T32] The body without the tenant's secrets, in pieces [N4]. Bytes that are not text stay as they are. */
export async function cleanBody(body: Uint8Array, redactor: Redactor): Promise<Uint8Array> {
  const text = redactor.idle ? undefined : textOf(body)
  if (text === undefined) return body
  const clean = await inPieces(redactor.pieces(text))
  return clean === text ? body : new TextEncoder().encode(clean)
}

interface Read {
  readonly body: Uint8Array
  readonly type?: string
  readonly tainted?: boolean
}

/** The file's bytes, or what is wrong with it. */
async function bodyOf(file: GivenFile, { objects }: KeepParts): Promise<Read | string> {
  if (typeof file === "string") return { body: new TextEncoder().encode(file) }
  const type = defined({ type: file.type })
  if (file.text !== undefined) return { body: new TextEncoder().encode(file.text), ...type }
  if (file.base64 !== undefined) {
    const body = fromBase64(file.base64)
    return body ? { body, ...type } : "is not base64: encode the bytes with the standard alphabet"
  }
  const key = file.object ?? ""
  try {
    const found = await objects.get(key)
    if (!found) return `names the shared file ${JSON.stringify(key)}, which does not exist: write it first with PUT /v1/objects/{key}`
    const { body, contentType, tainted } = found
    return { body, tainted, ...defined({ type: contentType }), ...type }
  } catch (e) {
    // A malformed key, or a file that is too large to be read whole.
    return messageOf(e, "names a shared file that cannot be read")
  }
}

function fromBase64(text: string): Uint8Array | undefined {
  const standard = text.replaceAll("-", "+").replaceAll("_", "/")
  try {
    const latin1 = atob(standard)
    const bytes = new Uint8Array(latin1.length)
    for (let i = 0; i < latin1.length; i++) bytes[i] = latin1.charCodeAt(i)
    return bytes
  } catch {
    return undefined
  }
}

/** undefined: not UTF-8. */
function textOf(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    return undefined
  }
}
