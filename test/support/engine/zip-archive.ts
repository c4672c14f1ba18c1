// A handmade zip archive, so that it can lie about its contents.

import { deflateRawSync } from "node:zlib"
import { crc32 } from "../../../src/engine/import/zip.ts"

export interface Member {
  readonly name: string
  readonly body: Uint8Array
  readonly mode?: number
  readonly stored?: boolean
  readonly crc?: number
  readonly flags?: number
  /** Instead of the packed body. */
  readonly packed?: Uint8Array
  /** The bytes of the first member, not its own. */
  readonly same?: boolean
  /** Where the archive says it is. */
  readonly at?: number
}

export function zip(members: readonly Member[]): Uint8Array {
  const parts: Buffer[] = []
  const list: Buffer[] = []
  let at = 0
  let first: Buffer | undefined
  for (const member of members) {
    const { name, body, mode = 0o100644, stored = false, crc = crc32(body), flags = 0x800, same = false } = member
    const file = Buffer.from(name)
    const packed = Buffer.from(member.packed ?? (same ? first : stored ? body : deflateRawSync(body)))
    first ??= packed
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(flags, 2)
    common.writeUInt16LE(stored ? 0 : 8, 4)
    common.writeUInt32LE(crc, 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(1, 18)
    common.writeUInt16LE(file.length, 22)
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, file, packed])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE((mode << 16) >>> 0, 6)
    tail.writeUInt32LE(same ? 0 : (member.at ?? at), 10)
    list.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x03"), common, tail, file]))
    if (same) continue
    parts.push(local)
    at += local.length
  }
  const directory = Buffer.concat(list)
  const end = Buffer.alloc(22)
  end.write("PK\x05\x06", "latin1")
  end.writeUInt16LE(members.length, 8)
  end.writeUInt16LE(members.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(at, 16)
  return new Uint8Array(Buffer.concat([...parts, directory, end]))
}

/** Deflate: so many blocks that bring codes for all symbols and write none of them. */
export function emptyBlocks(count: number): Uint8Array {
  const bits: number[] = []
  const put = (value: number, size: number): void => {
    for (let i = 0; i < size; i++) bits.push((value >> i) & 1)
  }
  for (let i = 0; i < count; i++) {
    put(i === count - 1 ? 1 : 0, 1)
    put(2, 2)
    // 257 symbols, 1 distance; the lengths' own code has 1 for "0", "1" twice over: 18 (138 zeros), then 118 zeros, 1, 1.
    put(0, 5)
    put(0, 5)
    put(14, 4)
    for (const length of [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]) put(length, 3)
    // Canonical: symbol 1 is the bit 0, symbol 18 is the bit 1.
    put(1, 1)
    put(127, 7)
    put(1, 1)
    put(107, 7)
    put(0, 1)
    put(0, 1)
    // The end of the block.
    put(0, 1)
  }
  const packed = new Uint8Array(Math.ceil(bits.length / 8))
  bits.forEach((bit, i) => (packed[i >> 3] = (packed[i >> 3] ?? 0) | (bit << (i & 7))))
  return packed
}
