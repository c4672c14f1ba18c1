// Long output is cut at line and UTF-8 boundaries [T5].

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { countLines, OUTPUT_LIMITS, truncate as inPieces, truncationNotice } from "../../../src/core/text/truncate.ts"
import { utf8Length } from "../../../src/core/text/utf8.ts"
import { anyCharacter } from "../../support/any-character.ts"
import { worked } from "../../support/worked.ts"

const truncate = (...what: Parameters<typeof inPieces>) => worked(inPieces(...what)).value

const bytes = (text: string): number => new TextEncoder().encode(text).length
const line = fc.array(fc.constantFrom("a", "ü", "日", "😀", " "), { maxLength: 12 }).map((c) => c.join(""))
const someText = fc.array(line, { maxLength: 30 }).map((lines) => lines.join("\n"))

describe("utf8Length", () => {
  test("[T5] agrees with an encoder, including lone surrogates", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(utf8Length(text)).toBe(bytes(text))
      }),
    )
    for (const text of ["\ud83d", "\ude00", "\ude00\ud83d", "a\ud83d\ud83d\ude00", "😀😀"]) expect(utf8Length(text)).toBe(bytes(text))
  })
})

describe("truncate", () => {
  test("[T5] the limits are 50 KiB and 2,000 lines", () => expect(OUTPUT_LIMITS).toEqual({ bytes: 51_200, lines: 2_000 }))

  test("[T5] a text that fits stays unchanged", () => {
    const text = `${"x\n".repeat(2_000)}`
    expect(truncate(text, "tail")).toEqual({
      text,
      cut: false,
      totalBytes: 4_000,
      totalLines: 2_000,
      outputBytes: 4_000,
      outputLines: 2_000,
    })
    expect(truncate("y".repeat(51_200), "head").cut).toBe(false)
  })

  test("[T5] one line or one byte too many is cut", () => {
    expect(truncate(`first\n${"x\n".repeat(2_000)}`, "tail").text).toBe("x\n".repeat(2_000))
    expect(truncate(`${"x\n".repeat(2_000)}last`, "head").text).toBe("x\n".repeat(2_000))
    expect(truncate(`a\n${"y".repeat(51_199)}`, "tail").text).toBe("y".repeat(51_199))
  })

  test("[T5] a single line that is too long is cut between characters", () => {
    expect(truncate("😀".repeat(10), "head", { bytes: 10, lines: 5 }).text).toBe("😀😀")
    expect(truncate("😀".repeat(10), "tail", { bytes: 10, lines: 5 }).text).toBe("😀😀")
    expect(truncate(`short\n${"ü".repeat(10)}`, "tail", { bytes: 7, lines: 5 }).text).toBe("üüü")
  })

  test("[T5] of 90,000 lines, the last whole lines are kept", () => {
    const cut = truncate(Array.from({ length: 90_000 }, (_, i) => `zeile ${i} ü`).join("\n"), "tail")
    expect(cut.totalLines).toBe(90_000)
    const lines = cut.text.split("\n")
    expect(lines).toHaveLength(2_000)
    expect(lines.at(0)).toBe("zeile 88000 ü")
    expect(lines.at(-1)).toBe("zeile 89999 ü")
  })

  test("[T5] the kept text is one end of the whole, within both limits, and cut at a line if one fits", () => {
    fc.assert(
      fc.property(
        someText,
        fc.constantFrom("head", "tail"),
        fc.integer({ min: 4, max: 60 }),
        fc.integer({ min: 1, max: 10 }),
        (text, keep, most, lines) => {
          const cut = truncate(text, keep, { bytes: most, lines })
          expect(keep === "head" ? text.startsWith(cut.text) : text.endsWith(cut.text)).toBe(true)
          expect(cut.outputBytes).toBe(bytes(cut.text))
          expect(cut.totalBytes).toBe(bytes(text))
          expect(cut.outputLines).toBe(countLines(cut.text))
          expect(cut.outputBytes).toBeLessThanOrEqual(most)
          expect(cut.outputLines).toBeLessThanOrEqual(lines)
          expect(cut.cut).toBe(cut.text !== text)
          expect(cut.text.isWellFormed()).toBe(true)
          if (!cut.cut) return
          expect(cut.text).not.toBe("")
          const rest = keep === "head" ? text.slice(cut.text.length) : text.slice(0, text.length - cut.text.length)
          const atLine = keep === "head" ? cut.text.endsWith("\n") : rest.endsWith("\n")
          if (!atLine) expect(cut.outputLines).toBe(1)
        },
      ),
      { numRuns: 3_000 },
    )
  })

  test("[N4] a long text is counted in pieces, and a pair of surrogates between two of them once", () => {
    for (const lead of ["", "a", "ab"]) {
      const text = `${lead}${"😀\n".repeat(700_000)}`
      const { value, count, most } = worked(inPieces(text, "tail"))
      expect(value).toMatchObject({ totalBytes: bytes(text), totalLines: 700_000, outputLines: 2_000 })
      expect(count).toBe(Math.ceil(text.length / (128 * 1024)))
      expect(most).toBeLessThan(400_000)
    }
  })

  test("[T5] the notice is one line and names the handle as JSON", () => {
    expect(truncationNotice(123, 'h"1')).toBe('[123 bytes hidden; the whole output: read_output {"handle": "h\\"1"}]')
  })
})
