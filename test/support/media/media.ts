// Pictures and PDFs made by hand: headers that say their size, and a body as long as wanted.

const latin1 = (text: string): number[] => Array.from(text, (char) => char.charCodeAt(0))
const big = (value: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.floor(value / 256 ** (count - 1 - i)) % 256)
const little = (value: number, count: number): number[] => big(value, count).toReversed()

/** `length`: bytes in all, if more than the header. */
function body(head: readonly number[], length = 0): Uint8Array {
  const bytes = new Uint8Array(Math.max(head.length, length))
  bytes.set(head)
  return bytes
}

export const png = (width: number, height: number, length?: number): Uint8Array =>
  body([0x89, ...latin1("PNG\r\n\x1a\n"), 0, 0, 0, 13, ...latin1("IHDR"), ...big(width, 4), ...big(height, 4), 8, 2, 0, 0, 0], length)

export const jpeg = (width: number, height: number, length?: number): Uint8Array =>
  body(
    [
      0xff,
      0xd8,
      0xff,
      0xe0,
      0,
      4,
      0,
      0,
      0xff,
      0xc4,
      0,
      3,
      0,
      0xff,
      0xc2,
      0,
      11,
      8,
      ...big(height, 2),
      ...big(width, 2),
      1,
      1,
      1,
      1,
      0xff,
      0xd9,
    ],
    length,
  )

export const gif = (width: number, height: number): Uint8Array =>
  body([...latin1("GIF89a"), ...little(width, 2), ...little(height, 2), 0, 0, 0, 0])

export const webp = (kind: "VP8 " | "VP8L" | "VP8X", width: number, height: number): Uint8Array => {
  const head = [...latin1("RIFF"), 0, 0, 0, 0, ...latin1(`WEBP${kind}`), 0, 0, 0, 0]
  if (kind === "VP8X") return body([...head, 0, 0, 0, 0, ...little(width - 1, 3), ...little(height - 1, 3)], 40)
  if (kind === "VP8L") return body([...head, 0x2f, ...little(width - 1 + (height - 1) * 0x4000, 4)], 40)
  return body([...head, 0, 0, 0, 0x9d, 0x01, 0x2a, ...little(width, 2), ...little(height, 2)], 40)
}

/** A PDF in plain ASCII, as printing programs write it. */
export const pdf = (pages: number, more = ""): Uint8Array => {
  const kids = Array.from({ length: pages }, (_, i) => `${i + 3} 0 obj\n<< /Type /Page /Parent 2 0 R >>\nendobj\n`).join("")
  return body(
    latin1(
      `%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Count ${pages} >>\nendobj\n${kids}${more}%%EOF\n`,
    ),
  )
}

/** A PDF whose objects are packed into one stream, as most programs write it since version 1.5. */
export async function packedPdf(pages: number, more = ""): Promise<Uint8Array> {
  const objects = Array.from({ length: pages }, () => "<< /Type /Page /Parent 2 0 R >> ").join("") + more
  const packed = new Uint8Array(
    await new Response(new Blob([objects]).stream().pipeThrough(new CompressionStream("deflate"))).arrayBuffer(),
  )
  const head = latin1(
    `%PDF-1.5\n4 0 obj\n<< /Type /ObjStm /N ${pages} /First 10 /Filter /FlateDecode /Length ${packed.length} >>\nstream\r\n`,
  )
  return body([...head, ...packed, ...latin1("\nendstream\nendobj\n%%EOF\n")])
}

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64")
