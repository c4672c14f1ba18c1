// Reads a zip archive without trusting its metadata: sizes are counted as bytes are unpacked, and reading stops at the
// limits. The directory at the end of the archive lists its files. The platform unpacks (`DecompressionStream`).

import { err, ok, type Result } from "../../core/result.ts"

export const MOST_FILES = 500
export const MOST_BYTES = 10 * 1_048_576
/** Folders are entries too. */
const MOST_ENTRIES = 4 * MOST_FILES

export interface ZipFile {
  readonly path: string
  /** Undefined: not read; `fault` says why. */
  readonly bytes?: Uint8Array
  readonly fault?: string
}

interface Entry {
  readonly path: string
  readonly method: number
  readonly flags: number
  readonly crc: number
  readonly packed: number
  readonly offset: number
  readonly link: boolean
}

export const isZip = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && ((bytes[2] === 3 && bytes[3] === 4) || (bytes[2] === 5 && bytes[3] === 6))

/** The error is a sentence about the whole archive. `wanted` selects the paths to unpack. */
export async function readZip(
  bytes: Uint8Array,
  wanted: (path: string) => boolean = () => true,
): Promise<Result<readonly ZipFile[], string>> {
  const listed = listEntries(bytes)
  if (!listed.ok) return listed
  const entries = listed.value.filter((entry) => !entry.path.endsWith("/") && wanted(entry.path))
  if (entries.length > MOST_FILES) return err(`the archive has ${entries.length} files, and at most ${MOST_FILES} are read at once`)
  const files: ZipFile[] = []
  let left = MOST_BYTES
  for (const entry of entries) {
    const { path } = entry
    if (entry.link) {
      files.push({ path, fault: "is a symbolic link, which is not followed" })
      continue
    }
    const unpacked = await unpack(bytes, entry, left)
    if (unpacked.ok) {
      left -= unpacked.value.byteLength
      files.push({ path, bytes: unpacked.value })
    } else if (unpacked.error === FULL) return err(`the archive unpacks to more than ${MOST_BYTES / 1_048_576} MiB`)
    else files.push({ path, fault: unpacked.error })
  }
  return ok(files)
}

const NO_ZIP = "this is not a zip archive, or it is truncated"

function listEntries(bytes: Uint8Array): Result<readonly Entry[], string> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = findEnd(view)
  if (end === undefined) return err(NO_ZIP)
  const count = view.getUint16(end + 10, true)
  let at = view.getUint32(end + 16, true)
  if (count === 0xffff || at === 0xffffffff)
    return err("the archive is in the format for more than 65,534 files (zip64), which is not supported")
  if (count > MOST_ENTRIES) return err(`the archive has ${count} entries, and at most ${MOST_FILES} files are read at once`)
  const entries: Entry[] = []
  for (let i = 0; i < count; i++) {
    if (at + 46 > bytes.byteLength || view.getUint32(at, true) !== 0x02014b50) return err(NO_ZIP)
    const name = view.getUint16(at + 28, true)
    const after = at + 46 + name + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
    if (after > bytes.byteLength) return err(NO_ZIP)
    entries.push({
      // Some archives made on Windows use backslashes.
      path: nameOf(bytes.subarray(at + 46, at + 46 + name)).replaceAll("\\", "/"),
      flags: view.getUint16(at + 8, true),
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      packed: view.getUint32(at + 20, true),
      offset: view.getUint32(at + 42, true),
      // The upper half is the Unix mode, regardless of the stated system: a link is never a file.
      link: (view.getUint16(at + 40, true) & 0o170000) === 0o120000,
    })
    at = after
  }
  return ok(entries)
}

/** The record at the end, before a comment of at most 65,535 bytes. */
function findEnd(view: DataView): number | undefined {
  const last = view.byteLength - 22
  for (let at = last; at >= 0 && at >= last - 0xffff; at--)
    if (view.getUint32(at, true) === 0x06054b50 && at + 22 + view.getUint16(at + 20, true) <= view.byteLength) return at
  return undefined
}

function nameOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")
  }
}

const FULL = "full"

async function unpack(bytes: Uint8Array, entry: Entry, most: number): Promise<Result<Uint8Array, string>> {
  const { offset, packed } = entry
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (entry.flags & 1) return err("is encrypted")
  if (offset + 30 > bytes.byteLength || view.getUint32(offset, true) !== 0x04034b50) return err("is not where the archive says it is")
  const start = offset + 30 + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true)
  if (start + packed > bytes.byteLength) return err("is not where the archive says it is")
  const data = bytes.subarray(start, start + packed)
  if (entry.method === 0) return data.byteLength > most ? err(FULL) : checked(data, entry.crc)
  if (entry.method !== 8) return err("uses an unsupported compression method: use deflate")
  const unpacked = await inflate(data, most)
  return unpacked.ok ? checked(unpacked.value, entry.crc) : unpacked
}

async function inflate(data: Uint8Array, most: number): Promise<Result<Uint8Array, string>> {
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(control) {
      control.enqueue(new Uint8Array(data))
      control.close()
    },
  })
  const reader = source.pipeThrough(new DecompressionStream("deflate-raw")).getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      size += value.byteLength
      if (size > most) {
        await reader.cancel()
        return err(FULL)
      }
      chunks.push(value)
    }
  } catch {
    return err("is damaged")
  }
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return ok(whole)
}

const checked = (bytes: Uint8Array, crc: number): Result<Uint8Array, string> => (crc32(bytes) === crc ? ok(bytes) : err("is damaged"))

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1
  return c
})

export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crc >>> 8) ^ (TABLE[(crc ^ byte) & 0xff] ?? 0)
  return ~crc >>> 0
}
