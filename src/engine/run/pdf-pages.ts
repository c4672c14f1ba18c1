// Counts the pages of a PDF whose page objects are packed into object streams (PDF 1.5, "ObjStm"), as most programs write them. Unpacks within
// a budget; without a count, the tokens of a PDF are guessed from its size.

import { countPages } from "../../core/media/media.ts"
import { inflate, UnpackBudget } from "../import/inflate.ts"

const MAX_UNPACKED = 8 * 1024 * 1024 // limit: bytes that are unpacked to count the pages of a PDF → its pages are guessed from its size
const MAX_STREAMS = 500 // limit: packed streams that are searched for the pages of a PDF → pages in further ones are not counted
/** Characters of a stream's dictionary. */
const HEAD_CHARS = 512
const STREAM = [0x73, 0x74, 0x72, 0x65, 0x61, 0x6d]
const NAME = [0x2f, 0x4f, 0x62, 0x6a, 0x53, 0x74, 0x6d]

/** The number of pages; undefined: no readable object stream has any. */
export function pagesOf(body: Uint8Array): number | undefined {
  const budget = new UnpackBudget(MAX_UNPACKED)
  let pages = 0
  let streams = 0
  for (let at = find(body, NAME, 0); at >= 0 && streams < MAX_STREAMS; at = find(body, NAME, at + NAME.length)) {
    streams += 1
    const opening = find(body.subarray(0, at + HEAD_CHARS), STREAM, at)
    if (opening < 0) continue
    const head = String.fromCharCode(...body.subarray(Math.max(0, at - HEAD_CHARS), opening))
    const length = Number(/\/Length[ \r\n\t]+(\d{1,8})(?![ \r\n\t]+\d+[ \r\n\t]+R)/.exec(head.slice(head.lastIndexOf("<<")))?.[1] ?? 0)
    const from = opening + STREAM.length + (body[opening + STREAM.length] === 0x0d ? 2 : 1)
    // Two bytes of zlib before the data, and four after it.
    const unpacked = length > 6 ? inflate(body.subarray(from + 2, from + length - 4), budget) : undefined
    if (unpacked) pages += countPages(unpacked)
    if (budget.isSpent) break
  }
  return pages === 0 ? undefined : pages
}

function find(body: Uint8Array, bytes: readonly number[], from: number): number {
  const [first = 0] = bytes
  for (let at = body.indexOf(first, from); at >= 0; at = body.indexOf(first, at + 1))
    if (bytes.every((byte, i) => body[at + i] === byte)) return at
  return -1
}
