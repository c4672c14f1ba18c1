// Workspace paths have one spelling, and none leads out of the workspace [G7].

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { MAX_PATH_BYTES, normalizeFolder, normalizePath } from "../../../src/core/text/path.ts"
import { utf8Length } from "../../../src/core/text/utf8.ts"
import { placeOfPath } from "../../../src/engine/catalog/catalog-place.ts"
import { sortFiles } from "../../../src/engine/import/sort-files.ts"
import { anyCharacter } from "../../support/any-character.ts"

const range = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i)

const PIECES = [
  "a",
  "b.md",
  "..",
  ".",
  "",
  "/",
  "//",
  "../",
  "./",
  "é",
  "e\u0301",
  "日本",
  "%2e",
  "%41",
  "\\",
  "\0",
  " ",
  ". ",
  "..\u200e",
  "．．",
  "℀",
  "~",
  ":",
  "-",
  "…",
]
const rawPath = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((parts) => parts.join("")),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((parts) => parts.join("/")),
  fc.string({ unit: anyCharacter, maxLength: 40 }),
)

const value = (raw: string): string | undefined => {
  const path = normalizePath(raw)
  return path.ok ? path.value : undefined
}

describe("normalizePath", () => {
  const BIDI = [0x200e, 0x200f, 0x061c, ...range(0x202a, 0x202e), ...range(0x2066, 0x2069)]
  const ZERO_WIDTH = [0x200b, 0x200c, 0x200d, 0x2060, 0xfeff, 0x00ad, 0x034f, 0x180e, 0x115f, 0x3164, 0xffa0, 0xfe0f, 0xe0101]
  const OTHERS = [0, 9, 0x1b, 0x7f, 0x85, 0x2028, 0x2029, 0xd800, 0xdc00, 0xe0001, ...range(0xe0020, 0xe007f), ...range(0x2061, 0x206f)]

  test.each([...BIDI, ...ZERO_WIDTH, ...OTHERS].map((code) => [code.toString(16), code]))(
    "[G7] U+%s is refused anywhere in a path",
    (_, code) => {
      const mark = String.fromCodePoint(Number(code))
      for (const path of [`${mark}a.md`, `a${mark}b.md`, `a.md${mark}`, `a/${mark}/b`, `a/b${mark}c/d.md`, mark])
        expect([path, normalizePath(path).ok, normalizeFolder(path).ok]).toEqual([path, false, false])
      for (const path of [`agents/a${mark}b.md`, `flows/${mark}x.yaml`, `skills/s/a${mark}.md`, `code/f/${mark}s.ts`])
        expect([path, placeOfPath(path).ok]).toEqual([path, false])
      expect(sortFiles([{ path: `agents/a${mark}.md`, bytes: new Uint8Array() }])[0]?.kind).toBe("other")
    },
  )

  test("[G7] an invisible character is named by its number; inside an emoji it is part of it", () => {
    expect(normalizePath("a\u200bb.md")).toEqual({ ok: false, error: 'path "a\u200bb.md" holds an invisible character (U+200B)' })
    for (const path of ["👩‍💻.md", "❤️/🏴󠁧󠁢󠁥󠁮󠁧󠁿.md", "👨‍👩‍👧‍👦/a.md"]) expect(value(path)).toBe(path)
    for (const path of ["a\u200d💻.md", "👩\u200d.md", "💻\u200d\u200d💻"]) expect(value(path)).toBeUndefined()
  })

  test.each([
    ["a.md", "a.md"],
    ["./a.md", "a.md"],
    ["/a.md", "a.md"],
    ["///a//b.md", "a/b.md"],
    ["a/./b.md", "a/b.md"],
    ["a/../b.md", "b.md"],
    ["./out//sub/../two.txt", "out/two.txt"],
    ["cafe\u0301.md", "café.md"],
    ["..hidden/.env", "..hidden/.env"],
    ["100%.txt", "100%.txt"],
    ["a b/c d.md", "a b/c d.md"],
    ["👩‍💻.md", "👩‍💻.md"],
    ["[id]/(group)/@x.tsx", "[id]/(group)/@x.tsx"],
    ["__proto__/constructor", "__proto__/constructor"],
  ])("[G7] %j is %j", (raw, wanted) => expect(value(raw)).toBe(wanted))

  test.each([
    "",
    ".",
    "/",
    "./",
    "a/",
    "a/.",
    "a/b/..",
    "..",
    "../a",
    "a/../../b",
    "/../etc/passwd",
    "a\\b",
    "..\\..\\windows",
    "out/%2e%2e/secret",
    "out/..%2fsecret",
    "a%00.md",
    "%252e%252e/x",
    "..%c0%af..",
    "%u002e%u002e/x",
    "a\0b",
    "a\nb",
    "a\u0085b",
    "a\u2028b",
    "a\u202eb",
    "\ufeffa",
    "a.",
    "a...",
    "...",
    "a ",
    " a",
    "a/ /b",
    "a/.. /b",
    ".. /b",
    "．．/b",
    "‥/b",
    "a／b",
    "a/℀",
    "\ud800",
    "x".repeat(513),
    "é".repeat(257),
    `${"a/".repeat(5000)}b`,
  ])("[G7] %j is refused", (raw) => {
    const path = normalizePath(raw)
    expect(path.ok).toBe(false)
    expect(!path.ok && path.error.length > 10 && path.error.length < 400).toBe(true)
  })

  test("[G7] a refusal says what to write instead", () => {
    const why = (raw: string): string => {
      const path = normalizePath(raw)
      return path.ok ? "" : path.error
    }
    expect(why("a\\b")).toMatch(/backslash: write \/ between folders/)
    expect(why("a/%2e%2e/b")).toMatch(/percent escape: .* write the character itself/)
    expect(why("../a")).toMatch(/leads out of the workspace/)
  })

  test("[G7] exactly 512 bytes are allowed", () => {
    expect(value("x".repeat(MAX_PATH_BYTES))).toHaveLength(512)
    expect(value("é".repeat(256))).toHaveLength(256)
  })

  test("[G7] normalizing twice changes nothing, and the result is one clean spelling", () => {
    let accepted = 0
    fc.assert(
      fc.property(rawPath, (raw) => {
        const path = value(raw)
        if (path === undefined) return
        accepted++
        expect(value(path)).toBe(path)
        expect(value(`./${path}`)).toBe(path)
        expect(value(`/x/../${path}`)).toBe(path)
        expect(path.startsWith("/") || path.endsWith("/") || path.includes("//")).toBe(false)
        expect(path.split("/").some((part) => part === "." || part === ".." || part === "")).toBe(false)
        expect(path.normalize("NFC")).toBe(path)
        expect(utf8Length(path)).toBeLessThanOrEqual(MAX_PATH_BYTES)
      }),
      { numRuns: 5_000 },
    )
    expect(accepted).toBeGreaterThan(500)
  })

  test("[G7] no number of .. leads above the root", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "..", "."), { minLength: 1, maxLength: 20 }), (parts) => {
        let depth = 0
        let escaped = false
        for (const part of parts) {
          depth += part === ".." ? -1 : part === "a" ? 1 : 0
          if (depth < 0) escaped = true
        }
        const folder = normalizeFolder(parts.join("/"))
        expect(folder.ok).toBe(!escaped)
        if (folder.ok) expect(folder.value.split("/").filter((p) => p !== "")).toHaveLength(depth)
      }),
    )
  })
})

describe("normalizeFolder", () => {
  test.each(["", ".", "/", "./", "a/.."])("[G7] %j is the root", (raw) => expect(normalizeFolder(raw)).toEqual({ ok: true, value: "" }))
  test("[G7] a slash at the end is ignored", () => expect(normalizeFolder("docs/")).toEqual({ ok: true, value: "docs" }))
})
