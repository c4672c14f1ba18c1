// Reads a zip archive without trusting its metadata: every unpacked byte counts, whatever becomes of its entry, and reading stops at
// the limits. The directory at the end of the archive lists its files. Entries that share bytes are refused with their archive: no
// program writes them, and a few kilobytes that 500 entries share unpack 500 times.

import { shown } from "../../core/flow/parse/report.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { Breath } from "../../ports/breath.ts"
import { inflate, UnpackBudget } from "./inflate.ts"

export const MOST_FILES = 5_000 // limit: files of an import → 422 at `/files`
export const MOST_BYTES = 10 * 1_048_576 // limit: bytes of an unpacked archive → 422: nothing is read
/** Folders are entries too. */
const MOST_ENTRIES = 4 * MOST_FILES // limit: entries of an archive → 422: nothing is read
/** Work per byte, read or unpacked. */
const UNPACKED = 16
/** Files that are no text by their name are listed, not unpacked: an archive of 10 MiB is mostly pictures. */
const NOT_TEXT =
  /\.(?:png|jpe?g|gif|webp|avif|bmp|ico|tiff?|heic|mp[34]|m4[av]|mov|webm|avi|wav|ogg|flac|pdf|docx?|xlsx?|pptx?|odt|zip|gz|tgz|bz2|xz|7z|rar|jar|war|whl|woff2?|ttf|otf|eot|exe|dll|so|dylib|a|o|bin|wasm|pyc|class|db|sqlite3?|parquet|psd|sketch|fig)$/i

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
  if (entries.length > MOST_FILES)
    return err(
      `the archive has ${entries.length.toLocaleString("en")} files, and at most ${MOST_FILES.toLocaleString("en")} are read at once`,
    )
  const shared = sharedBytes(bytes, listed.value)
  if (shared !== undefined) return err(shared)
  const files: ZipFile[] = []
  const budget = new UnpackBudget(MOST_BYTES)
  const breath = new Breath()
  for (const entry of entries) {
    const { path } = entry
    if (entry.link) {
      files.push({ path, fault: "is a symbolic link, which is not followed" })
      continue
    }
    if (NOT_TEXT.test(path)) {
      files.push({ path, fault: "is not UTF-8 text: only text is imported" })
      continue
    }
    const before = budget.bytes
    const unpacked = unpack(bytes, entry, budget)
    if (budget.isSpent) return err(`the archive unpacks to more than ${MOST_BYTES / 1_048_576} MiB`)
    files.push(unpacked.ok ? { path, bytes: unpacked.value } : { path, fault: unpacked.error })
    await breath.take((before - budget.bytes + entry.packed) * UNPACKED)
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
  if (count > MOST_ENTRIES)
    return err(`the archive has ${count} entries, and at most ${MOST_FILES.toLocaleString("en")} files are read at once`)
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

/** The packed bytes of an entry: from `start` to `end`. undefined: not where the archive says. */
function placeOf(bytes: Uint8Array, { offset, packed }: Entry): { readonly start: number; readonly end: number } | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (offset + 30 > bytes.byteLength || view.getUint32(offset, true) !== 0x04034b50) return undefined
  const start = offset + 30 + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true)
  return start + packed > bytes.byteLength ? undefined : { start, end: start + packed }
}

/** A sentence if two entries share bytes, headers included. Entries without a place are not unpacked. */
function sharedBytes(bytes: Uint8Array, entries: readonly Entry[]): string | undefined {
  const placed = entries.flatMap((entry) => {
    const end = placeOf(bytes, entry)?.end
    return end === undefined ? [] : [{ path: entry.path, from: entry.offset, end }]
  })
  placed.sort((a, b) => a.from - b.from)
  for (const [i, { path, from }] of placed.entries()) {
    const before = placed[i - 1]
    if (before && before.end > from)
      return `in the archive ${shown(before.path)} and ${shown(path)} share the same bytes, which no packing program does: pack it again`
  }
  return undefined
}

function unpack(bytes: Uint8Array, entry: Entry, budget: UnpackBudget): Result<Uint8Array, string> {
  if (entry.flags & 1) return err("is encrypted")
  const place = placeOf(bytes, entry)
  if (place === undefined) return err("is not where the archive says it is")
  const data = bytes.subarray(place.start, place.end)
  if (entry.method !== 0 && entry.method !== 8) return err("uses an unsupported compression method: use deflate")
  if (entry.method === 0) budget.takeBytes(data.byteLength)
  const unpacked = entry.method === 0 ? data : inflate(data, budget)
  return unpacked === undefined || budget.isSpent || crc32(unpacked) !== entry.crc ? err("is damaged") : ok(unpacked)
}

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
