// Texts in pieces: nothing is lost, no piece is too long, no character is cut in two.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { CHUNK_CHARS, chunks } from "../../../src/core/text/chunks.ts"

describe("chunks", () => {
  test("[T24] the pieces joined are the text, and none is too long", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "é", "𝒳", " ", "\n", "\n\n", ". ", "word ", "。"), maxLength: 400 })
    fc.assert(
      fc.property(text, fc.integer({ min: 4, max: 60 }), (whole, size) => {
        const pieces = chunks(whole, size)
        expect(pieces.join("")).toBe(whole)
        for (const piece of pieces) {
          expect(piece.length).toBeLessThanOrEqual(size)
          expect(piece.length).toBeGreaterThan(0)
          expect(piece.isWellFormed()).toBe(whole.isWellFormed())
        }
      }),
    )
  })

  test("[T24] a cut falls between paragraphs before lines, lines before sentences, sentences before words", () => {
    expect(chunks("one two.\n\nthree. four\nfive six", 20)).toEqual(["one two.\n\n", "three. four\nfive six"])
    expect(chunks("one two. three\nfour five six", 20)).toEqual(["one two. three\n", "four five six"])
    expect(chunks("one two three. four five six", 20)).toEqual(["one two three. ", "four five six"])
    expect(chunks("one two three four five six", 20)).toEqual(["one two three four ", "five six"])
    expect(chunks("x".repeat(25), 20)).toEqual(["x".repeat(20), "x".repeat(5)])
  })

  test("[T24] a short text is one piece, an empty text has none", () => {
    expect(chunks("short")).toEqual(["short"])
    expect(chunks("")).toEqual([])
    expect(chunks("x".repeat(CHUNK_CHARS))).toHaveLength(1)
  })
})
