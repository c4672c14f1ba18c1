// What a body is, by its bytes [F56], and the most tokens that it can add to a request [B1].

import { describe, expect, test } from "vitest"
import fc from "fast-check"
import { readMedia } from "../../../src/core/media/media.ts"
import { tokensOf } from "../../../src/core/media/media-tokens.ts"
import { gif, jpeg, pdf, png, webp } from "../../support/media/media.ts"
import { cpuClock } from "../../support/cpu-clock.ts"

describe("what a file is", () => {
  test.each([
    ["a PNG", png(640, 480), { type: "image/png", width: 640, height: 480 }],
    ["a JPEG, after its tables", jpeg(1200, 800), { type: "image/jpeg", width: 1200, height: 800 }],
    ["a GIF", gif(320, 200), { type: "image/gif", width: 320, height: 200 }],
    ["a lossy WebP", webp("VP8 ", 400, 300), { type: "image/webp", width: 400, height: 300 }],
    ["a lossless WebP", webp("VP8L", 401, 301), { type: "image/webp", width: 401, height: 301 }],
    ["an extended WebP", webp("VP8X", 5000, 3000), { type: "image/webp", width: 5000, height: 3000 }],
    ["a PDF", pdf(3), { type: "application/pdf", pages: 3 }],
  ])("[F56] %s is known by its bytes", (_name, body, media) => {
    expect(readMedia(body)).toEqual(media)
  })

  test("[F56] the tree's own count is taken when no page object can be seen, and a count of something else is not", () => {
    const text = "%PDF-1.7\n9 0 obj << /Type /Outlines /Count 90 >>\n<< /Kids [3 0 R 4 0 R] /Count 2 /Type /Pages >>"
    expect(readMedia(new TextEncoder().encode(text))).toEqual({ type: "application/pdf", pages: 2 })
  })

  test("[F56] a header that is cut says the type and no size", () => {
    expect(readMedia(png(1, 1).subarray(0, 8))).toEqual({ type: "image/png" })
    expect(readMedia(jpeg(1, 1).subarray(0, 3))).toEqual({ type: "image/jpeg" })
    expect(readMedia(new TextEncoder().encode("%PDF-"))).toEqual({ type: "application/pdf" })
  })

  test("[F56] other bytes are none of them", () => {
    for (const text of ["", "hello", "RIFF....WAVE", "<svg/>", "GIF88a", " %PDF-1.4"])
      expect(readMedia(new TextEncoder().encode(text))).toBeUndefined()
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (body) => {
        expect(() => readMedia(body)).not.toThrow()
        expect(() => readMedia(new Uint8Array([0xff, 0xd8, 0xff, ...body]))).not.toThrow()
      }),
    )
  })

  test("[N4] 8 MiB of marks are read in less than two seconds", () => {
    const marks = new TextEncoder().encode("%PDF-" + "/Type /Pages ".repeat(640_000))
    const spent = cpuClock()
    readMedia(marks)
    expect(spent()).toBeLessThan(8_000)
  })
})

describe("the tokens of a file", () => {
  test.each([
    // Figures of the providers' pages: Anthropic 1,092 × 1,092 and 200 × 200, OpenAI 2,048 × 4,096 and 1,024 × 1,024, Gemini 384 and 960 × 540.
    [1092, 1092, 1590],
    [200, 200, 258],
    [1024, 1024, 1399],
    [384, 384, 258],
    [8000, 8000, 4784],
  ])("[B1] a picture of %d × %d takes at most what the dearest formula says", (width, height, tokens) => {
    expect(tokensOf({ type: "image/png", width, height }, 1_000)).toBe(tokens)
  })

  test("[B1] a picture of unknown size takes the most", () => {
    expect(tokensOf({ type: "image/png" }, 10)).toBe(4_784)
    expect(tokensOf({ type: "application/pdf", pages: 3 }, 10)).toBe(13_800)
    expect(tokensOf({ type: "application/pdf" }, 100_000)).toBe(13 * 4_600)
  })
})
