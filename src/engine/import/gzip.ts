// Reads gzip (RFC 1952) through the counted inflate: every unpacked byte counts before it is written.

import { inflate, UnpackBudget } from "./inflate.ts"

export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

export function gunzip(bytes: Uint8Array, most: number): Uint8Array | "damaged" | "too large" {
  const start = isGzip(bytes) && bytes[2] === 8 ? endOfHeader(bytes) : undefined
  if (start === undefined || start + END > bytes.length) return "damaged"
  const budget = new UnpackBudget(most)
  const plain = inflate(bytes.subarray(start, bytes.length - END), budget)
  if (budget.isSpent) return "too large"
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return plain === undefined || view.getUint32(bytes.length - 4, true) !== plain.length ? "damaged" : plain
}

/** CRC and size. */
const END = 8

/** After the fixed ten bytes come the optional parts that the flags name. */
function endOfHeader(bytes: Uint8Array): number | undefined {
  const flags = bytes[3] ?? 0
  let at = 10
  if (flags & 4) at += 2 + (bytes[at] ?? 0) + 256 * (bytes[at + 1] ?? 0)
  for (const part of [8, 16]) {
    if (!(flags & part)) continue
    const end = bytes.indexOf(0, at)
    if (end < 0) return undefined
    at = end + 1
  }
  return flags & 2 ? at + 2 : at
}
