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
}

export function zip(members: readonly Member[]): Uint8Array {
  const parts: Buffer[] = []
  const list: Buffer[] = []
  let at = 0
  for (const { name, body, mode = 0o100644, stored = false, crc = crc32(body), flags = 0x800 } of members) {
    const file = Buffer.from(name)
    const packed = stored ? Buffer.from(body) : deflateRawSync(body)
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
    tail.writeUInt32LE(at, 10)
    list.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x03"), common, tail, file]))
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
