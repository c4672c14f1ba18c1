// Reads gzip (RFC 1952) with the platform's decompressor, in pieces that share the thread [N4]: every unpacked byte counts as it comes.

import { joined } from "../../core/text/joined-bytes.ts"
import { Breath } from "../../ports/breath.ts"

/** Bytes that are given at one go: a thousand times as many may come out. */
const PIECE = 8 * 1024
/** Unpacking a byte takes as long as searching a few characters. */
const WORK = 4

export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

export async function gunzip(bytes: Uint8Array, most: number): Promise<Uint8Array | "damaged" | "too large"> {
  const stream = new DecompressionStream("gzip")
  const writer = stream.writable.getWriter()
  let size = 0
  const feed = async (): Promise<void> => {
    for (let at = 0; at < bytes.length && size <= most; at += PIECE) await writer.write(bytes.slice(at, at + PIECE))
    await writer.close()
  }
  // A failure shows when the output is read.
  feed().catch(() => undefined)
  const reader: ReadableStreamDefaultReader<Uint8Array> = stream.readable.getReader()
  const parts: Uint8Array[] = []
  const breath = new Breath()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return size > most ? "too large" : joined(parts)
      size += value.byteLength
      // What was given is read to its end, because Node throws where nobody catches when such a stream is canceled.
      if (size > most) parts.length = 0
      else parts.push(value)
      await breath.take(value.byteLength * WORK)
    }
  } catch {
    return size > most ? "too large" : "damaged"
  }
}
