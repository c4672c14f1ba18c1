import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { anyCharacter } from "../../support/any-character.ts"
import { hasWords, wordsOf } from "../../../src/core/text/plain-words.ts"

describe("words that a list is searched for", () => {
  test("[H5] case and accents do not matter, parts of words count, and every word must be there", () => {
    expect(hasWords("Refund for Zoë Müller, ticket 50912", wordsOf("MULLER zoë"))).toBe(true)
    expect(hasWords("Refund for Zoe Muller", wordsOf("müll"))).toBe(true)
    expect(hasWords("İstanbul", wordsOf("istanbul"))).toBe(true)
    expect(hasWords("Refund for Zoe", wordsOf("refund paid"))).toBe(false)
  })

  test("[H5] there is no syntax", () => {
    expect(wordsOf('  "a b"  -c OR *  a* ')).toEqual(['"a', 'b"', "-c", "or", "*", "a*"])
    expect(hasWords("a.b", wordsOf("a*b"))).toBe(false)
    expect(wordsOf(" \n\t ")).toEqual([])
  })

  test("[H5] any text has its own words, written large or small", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(hasWords(text, wordsOf(text.normalize("NFC")))).toBe(true)
        expect(hasWords(text.normalize("NFC"), wordsOf(text))).toBe(true)
      }),
    )
  })
})
