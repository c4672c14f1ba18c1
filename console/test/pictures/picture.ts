// A screenshot as a small PNG: at most 256 colors, packed as tightly as zlib can. Pages have few colors; what is between them is the edges of
// letters, for which the nearest of the most frequent colors will do.

import { crc32, deflateSync, inflateSync } from "node:zlib"

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
const MAX_COLORS = 256

interface Pixels {
  readonly width: number
  readonly height: number
  /** Bytes of a pixel: 3 or 4. */
  readonly step: number
  readonly data: Buffer
}

/** `png`: 8 bits for a channel, RGB or RGBA, not interlaced, as Chromium makes it. */
export function smallPicture(png: Buffer): Buffer {
  const { width, height, step, data } = pixelsOf(png)
  const counts = new Map<number, number>()
  const colorAt = (at: number): number => ((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0)
  for (let at = 0; at < data.length; at += step) {
    const color = colorAt(at)
    counts.set(color, (counts.get(color) ?? 0) + 1)
  }
  const palette = [...counts]
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, MAX_COLORS)
    .map(([color]) => color)
  const places = new Map(palette.map((color, place) => [color, place]))
  const lines = Buffer.alloc((width + 1) * height)
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at += step) {
      const color = colorAt(at)
      let place = places.get(color)
      if (place === undefined) places.set(color, (place = nearest(palette, color)))
      lines[y * (width + 1) + 1 + x] = place
    }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  // 8 bits, a palette.
  head.set([8, 3, 0, 0, 0], 8)
  const colors = Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]))
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", head),
    chunk("PLTE", colors),
    chunk("IDAT", deflateSync(lines, { level: 9, memLevel: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ])
}

function nearest(palette: readonly number[], color: number): number {
  let [best, least] = [0, Infinity]
  for (const [place, other] of palette.entries()) {
    const [r, g, b] = [(color >> 16) - (other >> 16), ((color >> 8) & 255) - ((other >> 8) & 255), (color & 255) - (other & 255)]
    const far = 2 * r * r + 4 * g * g + 3 * b * b
    if (far < least) [best, least] = [place, far]
  }
  return best
}

function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), body])
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  size.writeUInt32BE(body.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([size, named, sum])
}

function pixelsOf(png: Buffer): Pixels {
  const packed: Buffer[] = []
  let [width, height, step] = [0, 0, 4]
  for (let at = SIGNATURE.length; at < png.length;) {
    const size = png.readUInt32BE(at)
    const type = png.toString("latin1", at + 4, at + 8)
    const body = png.subarray(at + 8, at + 8 + size)
    if (type === "IHDR") [width, height, step] = [body.readUInt32BE(0), body.readUInt32BE(4), body[9] === 2 ? 3 : 4]
    if (type === "IDAT") packed.push(body)
    at += size + 12
  }
  const raw = inflateSync(Buffer.concat(packed))
  const wide = width * step
  const data = Buffer.alloc(wide * height)
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (wide + 1)]
    for (let x = 0; x < wide; x++) {
      const left = x >= step ? (data[y * wide + x - step] ?? 0) : 0
      const up = y > 0 ? (data[(y - 1) * wide + x] ?? 0) : 0
      const corner = x >= step && y > 0 ? (data[(y - 1) * wide + x - step] ?? 0) : 0
      const by = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0
      data[y * wide + x] = (raw[y * (wide + 1) + 1 + x] ?? 0) + by
    }
  }
  return { width, height, step, data }
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)]
  return a <= b && a <= c ? left : b <= c ? up : corner
}
