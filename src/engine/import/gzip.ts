// Reads gzip (RFC 1952) with the platform's decompressor, in pieces that share the thread [N4]: every unpacked byte counts as it comes.

import { joined } from "../../core/text/joined-bytes.ts"
import { Breath } from "../../ports/breath.ts"

/** Bytes that are given at one go. */
const PIECE = 64 * 1024
/** Unpacking a byte takes as long as searching a few characters. */
const WORK = 4

export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

export async function gunzip(bytes: Uint8Array, most: number): Promise<Uint8Array | "damaged" | "too large"> {
  const stream = new DecompressionStream("gzip")
  const writer = stream.writable.getWriter()
  const feed = async (): Promise<void> => {
    for (let at = 0; at < bytes.length; at += PIECE) await writer.write(bytes.slice(at, at + PIECE))
    await writer.close()
  }
  // A failure shows when the output is read.
  feed().catch(() => undefined)
  const reader: ReadableStreamDefaultReader<Uint8Array> = stream.readable.getReader()
  const parts: Uint8Array[] = []
  const breath = new Breath()
  let size = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return joined(parts)
      size += value.byteLength
      if (size > most) {
        await reader.cancel().catch(() => undefined)
        return "too large"
      }
      parts.push(value)
      await breath.take(value.byteLength * WORK)
    }
  } catch {
    return "damaged"
  }
}
