// Bytes as text: base64url and hex.

import fc from "fast-check"
import { expect, test } from "vitest"
import { fromBase64url, toBase64url } from "../../../src/core/text/base64url.ts"
import { toHex } from "../../../src/core/text/hex.ts"

test("bytes come back from base64url, and from one spelling only", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const text = toBase64url(bytes)
      expect(text).toBe(Buffer.from(bytes).toString("base64url"))
      expect(fromBase64url(text)).toEqual(Uint8Array.from(bytes))
      expect(toHex(bytes)).toBe(Buffer.from(bytes).toString("hex"))
    }),
  )
  // The last character of "AB" has bits that no byte holds.
  for (const text of ["AB", "AA==", "A", "+/", "A A", "ä"]) expect(fromBase64url(text)).toBeUndefined()
})
