// Detects the type and size of pictures and documents for models [F56], by their first bytes and never by their names. Reads only headers;
// a body that begins like a type counts as that type, whatever follows.

export const MEDIA_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"] as const
export type MediaType = (typeof MEDIA_TYPES)[number]

export interface Media {
  readonly type: MediaType
  /** Pixels of a picture whose header says them. */
  readonly width?: number
  readonly height?: number
  /** Pages of a PDF, as far as they can be counted without unpacking it. */
  readonly pages?: number
}

export const isMediaType = (type: string | undefined): type is MediaType => MEDIA_TYPES.some((known) => known === type)

/** The type and size of a body; undefined: it has none of these types. */
export function readMedia(body: Uint8Array): Media | undefined {
  if (startsWith(body, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return { type: "image/png", ...sized(pngSize(body)) }
  if (startsWith(body, [0xff, 0xd8, 0xff])) return { type: "image/jpeg", ...sized(jpegSize(body)) }
  const head = ascii(body, 0, 12)
  if (head.startsWith("GIF87a") || head.startsWith("GIF89a"))
    return { type: "image/gif", ...sized([little(body, 6, 2), little(body, 8, 2)]) }
  if (head.startsWith("RIFF") && head.endsWith("WEBP")) return { type: "image/webp", ...sized(webpSize(body)) }
  if (head.startsWith("%PDF-")) return pdf(body)
  return undefined
}

type Size = readonly [width: number, height: number]

const sized = (size: Size | undefined): { width?: number; height?: number } =>
  size === undefined || size[0] === 0 || size[1] === 0 ? {} : { width: size[0], height: size[1] }

const startsWith = (body: Uint8Array, bytes: readonly number[]): boolean => hasAt(body, 0, bytes)

const ascii = (body: Uint8Array, from: number, to: number): string => String.fromCharCode(...body.subarray(from, to))

const big = (body: Uint8Array, at: number, count: number): number => {
  let value = 0
  for (let i = 0; i < count; i++) value = value * 256 + (body[at + i] ?? 0)
  return value
}

const little = (body: Uint8Array, at: number, count: number): number => {
  let value = 0
  for (let i = count - 1; i >= 0; i--) value = value * 256 + (body[at + i] ?? 0)
  return value
}

const pngSize = (body: Uint8Array): Size | undefined => (ascii(body, 12, 16) === "IHDR" ? [big(body, 16, 4), big(body, 20, 4)] : undefined)

/** The first frame header. Its markers are C0 to CF, except C4, C8 and CC, which begin tables. */
function jpegSize(body: Uint8Array): Size | undefined {
  for (let at = 2; at + 9 < body.length;) {
    if (body[at] !== 0xff) return undefined
    const marker = body[at + 1] ?? 0
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc)
      return [big(body, at + 7, 2), big(body, at + 5, 2)]
    if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) at += 2
    else at += 2 + Math.max(2, big(body, at + 2, 2))
  }
  return undefined
}

function webpSize(body: Uint8Array): Size | undefined {
  switch (ascii(body, 12, 16)) {
    case "VP8 ":
      return [little(body, 26, 2) % 0x4000, little(body, 28, 2) % 0x4000]
    case "VP8L": {
      const bits = little(body, 21, 4)
      return [(bits % 0x4000) + 1, (Math.floor(bits / 0x4000) % 0x4000) + 1]
    }
    case "VP8X":
      return [little(body, 24, 3) + 1, little(body, 27, 3) + 1]
    default:
      return undefined
  }
}

function pdf(body: Uint8Array): Media {
  const pages = countPages(body)
  return { type: "application/pdf", ...(pages === 0 ? {} : { pages }) }
}

/** Counts uncompressed page objects; if there are none, returns the count that the page tree states. 0: neither can be found. */
export function countPages(body: Uint8Array): number {
  let objects = 0
  let stated = 0
  let nodes = 0
  for (let at = body.indexOf(SLASH); at >= 0; at = body.indexOf(SLASH, at + 1)) {
    if (!hasAt(body, at + 1, TYPE)) continue
    let next = at + 1 + TYPE.length
    while (BLANKS.has(body[next] ?? 0)) next += 1
    if (!hasAt(body, next, PAGE)) continue
    const end = body[next + PAGE.length] ?? 0
    if (!isLetter(end)) objects += 1
    else if (end === LETTER_S && objects === 0 && nodes < MAX_NODES) {
      nodes += 1
      stated = Math.max(stated, statedAround(body, at))
    }
  }
  return objects > 0 ? objects : stated
}

function statedAround(body: Uint8Array, at: number): number {
  const before = ascii(body, Math.max(0, at - NODE_CHARS), at)
  const after = ascii(body, at, at + NODE_CHARS)
  const node = before.slice(before.lastIndexOf("<<") + 1) + (after.split(">>")[0] ?? "")
  return Number(/\/Count[ \r\n\t]+(\d{1,6})/.exec(node)?.[1] ?? 0)
}

const hasAt = (body: Uint8Array, at: number, bytes: readonly number[]): boolean => bytes.every((byte, i) => body[at + i] === byte)
const isLetter = (byte: number): boolean => (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a)

const SLASH = 0x2f
const LETTER_S = 0x73
/** `Type` and `/Page`. */
const TYPE = [0x54, 0x79, 0x70, 0x65]
const PAGE = [0x2f, 0x50, 0x61, 0x67, 0x65]
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x0d, 0x0a, 0x09])
/** The root of the tree is among its first nodes. A node lists its pages before or after their count. */
const MAX_NODES = 64 // limit: nodes of a PDF's tree that are asked for its pages → further ones are not read
const NODE_CHARS = 1_024
