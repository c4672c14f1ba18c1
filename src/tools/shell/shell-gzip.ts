// Compresses for the shell piece by piece: the platform's gzip runs in one step, and ten megabytes take a third of a second.

interface Pauses {
  /** Gives others a turn. */
  pause(ms: number): Promise<void>
}

/** Bytes that take a few milliseconds at most. */
const PIECE = 128 * 1024

/** Replaces `gzipSync` of node:zlib; ignores the level. */
export const gzip =
  (meter: Pauses) =>
  (bytes: Uint8Array, { maxOutputLength }: { readonly maxOutputLength: number }): Promise<Uint8Array> =>
    through(meter, bytes, new CompressionStream("gzip"), maxOutputLength)

/** Replaces `gunzipSync`. Ends as soon as there is more than `maxOutputLength`. */
export const gunzip =
  (meter: Pauses) =>
  (bytes: Uint8Array, { maxOutputLength }: { readonly maxOutputLength: number }): Promise<Uint8Array> =>
    through(meter, bytes, new DecompressionStream("gzip"), maxOutputLength)

async function through(
  meter: Pauses,
  bytes: Uint8Array,
  stream: CompressionStream | DecompressionStream,
  most: number,
): Promise<Uint8Array> {
  const writer = stream.writable.getWriter()
  const feed = async (): Promise<void> => {
    for (let at = 0; at < bytes.length; at += PIECE) await writer.write(bytes.slice(at, at + PIECE))
    await writer.close()
  }
  // A failure shows when the output is read.
  feed().catch(() => undefined)
  const reader: ReadableStreamDefaultReader<Uint8Array> = stream.readable.getReader()
  const parts: Uint8Array[] = []
  let size = 0
  let begun = Date.now()
  let fresh = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.length
    fresh += value.length
    if (size > most) {
      await reader.cancel().catch(() => undefined)
      throw new RangeError(`it has more than ${most} bytes`)
    }
    parts.push(value)
    if (fresh < PIECE) continue
    await meter.pause(Date.now() - begun)
    begun = Date.now()
    fresh = 0
  }
  const whole = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
