// The synchronous SHA-256 is that of the text's UTF-8, whatever its length.

import { expect, test } from "vitest"
import { sha256 } from "../../../src/cloudflare/platform/sha256.ts"
import { toHex } from "../../../src/core/text/hex.ts"

const expected = async (text: string): Promise<string> =>
  toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))))

test("[J7] the hash of a text is the SHA-256 of its UTF-8", async () => {
  const letters = ["a", "\u00e9", "\u20ac", "\ud83d\ude00", "\ud800", "\udc00x", "\u0000"]
  // 8,192 bytes, at three for each UTF-16 unit, end at 2,730 units.
  const lengths = [0, 1, 55, 56, 64, 1_000, 2_729, 2_730, 2_731, 8_192, 20_000]
  for (const letter of letters)
    for (const length of lengths) {
      const text = letter.repeat(length)
      expect(sha256(text), `${length} of ${JSON.stringify(letter)}`).toBe(await expected(text))
    }
  // A short text after a long one: nothing of the long one is left.
  expect(sha256("b")).toBe(await expected("b"))
})
