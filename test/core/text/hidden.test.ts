import { describe, expect, test } from "vitest"
import { unhidden } from "../../../src/core/text/hidden.ts"
import { cpuClock } from "../../support/cpu-clock.ts"

const char = (code: number): string => String.fromCodePoint(code)
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i)

describe("[Q3] hidden characters", () => {
  test.each([
    ["direction marks", [0x61c, 0x200e, 0x200f, ...range(0x202a, 0x202e), ...range(0x2066, 0x2069)]],
    ["zero-width", [0x200b, 0x200c, 0x200d, 0x2060, 0xfeff, 0x180e, 0x34f]],
    [
      "other format characters",
      [0xad, 0x600, 0x70f, ...range(0x2061, 0x2065), ...range(0x206a, 0x206f), ...range(0xfff9, 0xfffb), 0x1d173],
    ],
    ["tag characters", range(0xe0000, 0xe007f)],
    ["variation selectors", [0xfe00, 0xfe0f, 0xe0100, 0xe01ef]],
    ["fillers", [0x115f, 0x1160, 0x3164, 0xffa0, 0x2800]],
    ["controls", [...range(0, 8), ...range(11, 31), ...range(0x7f, 0x9f)]],
    ["line separators", [0x2028, 0x2029]],
    ["lone surrogates", [0xd800, 0xdbff, 0xdc00, 0xdfff]],
  ])("%s are shown by their name", (_, codes) => {
    for (const code of codes) {
      const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`
      expect(unhidden(`a${char(code)}b`)).toBe(`a${name}b`)
      expect(unhidden(char(code).repeat(2), (n) => `<${n}>`)).toBe(`<${name}>`.repeat(2))
    }
  })

  test("text that anyone can read stays as it is", () => {
    for (const text of ["", "plain\ttext\nnext line", "Zürich, Łódź, 東京, עברית, العربية, हिन्दी", "👍🏽 ❤️ ☎️ e\u0301 a\u00a0b", "U+202E"])
      expect(unhidden(text)).toBe(text)
    expect(unhidden("5\ufe0f")).toBe("5U+FE0F")
  })

  test("an emoji of several characters stays one; what only looks like its joiner is shown", () => {
    for (const text of ["👩‍👩‍👧‍👦", "🏳️‍🌈", "👩🏽‍💻 and 🧑‍🚀", "5️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "a ❤️‍🔥 b\n\tc"]) expect(unhidden(text)).toBe(text)
    expect(unhidden("👩‍a")).toBe("👩U+200Da")
    expect(unhidden("pay‍pal 👩‍💻")).toBe("payU+200Dpal 👩‍💻")
    expect(unhidden("👍‍👍")).toBe("👍U+200D👍")
    expect(unhidden(`🏴${char(0xe0061)}${char(0xe007f)}`)).toBe("🏴U+E0061U+E007F")
    expect(unhidden(`👩‍💻${char(0x202e)}`)).toBe("👩‍💻U+202E")
  })

  test("a megabyte takes linear time", () => {
    const spent = cpuClock()
    expect(unhidden("\u202e".repeat(100_000))).toHaveLength(600_000)
    expect(unhidden("\u2764".repeat(1_000_000))).toHaveLength(1_000_000)
    expect(spent()).toBeLessThan(8_000)
  })
})
