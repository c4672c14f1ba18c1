// What every blob store promises (ports/blobs.ts), tested on each: memory in Node, R2 in workerd.

import { describe, expect, test } from "vitest"
import { sha256 } from "../../src/engine/sha256.ts"
import type { Blobs } from "../../src/ports/blobs.ts"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

export function blobsContract(name: string, fresh: () => Promise<Blobs> | Blobs): void {
  describe(`blobs: ${name}`, () => {
    test("[F71] a body is stored under its SHA-256 and read back byte for byte", async () => {
      const blobs = await fresh()
      const body = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 7) % 256)
      const hash = await blobs.put(body)
      expect(hash).toBe(await sha256(body))
      expect(await blobs.get(hash)).toEqual(body)
    })

    test("[F71] the same body twice is one body", async () => {
      const blobs = await fresh()
      expect(await blobs.put(bytes("twice"))).toBe(await blobs.put(bytes("twice")))
    })

    test("[F71] an empty body is a body", async () => {
      const blobs = await fresh()
      const hash = await blobs.put(new Uint8Array())
      expect(await blobs.get(hash)).toEqual(new Uint8Array())
    })

    test("[F71] an unknown hash and an invalid hash are undefined", async () => {
      const blobs = await fresh()
      expect(await blobs.get("0".repeat(64))).toBeUndefined()
      expect(await blobs.get("../other")).toBeUndefined()
      expect(await blobs.get("")).toBeUndefined()
    })

    test("[F71] a caller's later changes to its bytes have no effect", async () => {
      const blobs = await fresh()
      const body = bytes("kept")
      const hash = await blobs.put(body)
      body[0] = 0
      const read = await blobs.get(hash)
      expect(read).toEqual(bytes("kept"))
      if (read) read[0] = 0
      expect(await blobs.get(hash)).toEqual(bytes("kept"))
    })
  })
}
