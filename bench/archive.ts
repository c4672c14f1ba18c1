// Builds zip archives with false entries: 500 entries share one deflated body, and all checksums are wrong.

import { deflateRawSync } from "node:zlib"

interface Entry {
  readonly name: string
  readonly body: Buffer
  /** Size of what the body inflates to. */
  readonly size: number
  /** Entries with the same place share their bytes. */
  readonly at: number
}

/** `bytes` zeros, deflated once and shared by `entries` files. */
export function sharedZeros(entries: number, bytes: number): Buffer {
  const body = deflateRawSync(Buffer.alloc(bytes))
  const local = Buffer.concat([localHead("agents/a0.md", body.length, bytes), body])
  return archive(
    local,
    Array.from({ length: entries }, (_, n) => ({ name: `agents/a${n}.md`, body, size: bytes, at: 0 })),
  )
}

/** `bytes` zeros in each of `entries` files, stored separately. */
export function separateZeros(entries: number, bytes: number): Buffer {
  const body = deflateRawSync(Buffer.alloc(bytes))
  const parts: Buffer[] = []
  const list: Entry[] = []
  let at = 0
  for (let n = 0; n < entries; n++) {
    const head = localHead(`agents/a${n}.md`, body.length, bytes)
    parts.push(head, body)
    list.push({ name: `agents/a${n}.md`, body, size: bytes, at })
    at += head.length + body.length
  }
  return archive(Buffer.concat(parts), list)
}

const WRONG_SUM = 0x12345678
const DEFLATED = 8

function localHead(name: string, packed: number, size: number): Buffer {
  const head = Buffer.alloc(30)
  head.writeUInt32LE(0x04034b50, 0)
  head.writeUInt16LE(20, 4)
  head.writeUInt16LE(DEFLATED, 8)
  head.writeUInt32LE(WRONG_SUM, 14)
  head.writeUInt32LE(packed, 18)
  head.writeUInt32LE(size, 22)
  head.writeUInt16LE(Buffer.byteLength(name), 26)
  return Buffer.concat([head, Buffer.from(name)])
}

function archive(local: Buffer, entries: readonly Entry[]): Buffer {
  const directory = Buffer.concat(
    entries.map(({ name, body, size, at }) => {
      const row = Buffer.alloc(46)
      row.writeUInt32LE(0x02014b50, 0)
      row.writeUInt16LE(20, 4)
      row.writeUInt16LE(20, 6)
      row.writeUInt16LE(DEFLATED, 10)
      row.writeUInt32LE(WRONG_SUM, 16)
      row.writeUInt32LE(body.length, 20)
      row.writeUInt32LE(size, 24)
      row.writeUInt16LE(Buffer.byteLength(name), 28)
      row.writeUInt32LE(at, 42)
      return Buffer.concat([row, Buffer.from(name)])
    }),
  )
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(local.length, 16)
  return Buffer.concat([local, directory, end])
}
