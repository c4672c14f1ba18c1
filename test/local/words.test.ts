// `npm run words` finds the texts that people read, and draws the same ones for the same seed.

import { describe, expect, test } from "vitest"
import { drawn, wordsOf } from "../../scripts/words.ts"

describe("scripts/words.ts", () => {
  test("finds the header, docstrings of exports and messages, and no code", () => {
    const source = [
      "// Checks a file",
      "// before it is stored.",
      'import { x } from "./a path of/words.ts"',
      "/** The most that fits. */",
      "export const MOST = 3",
      "/** Of no export. */",
      'const own = /"not a text at all/',
      "const sql = `SELECT a FROM b`",
      '// a comment inside says "nothing to anyone"',
      'fail(`the file ${name({ a: 1 })} is too long`, "short", "a file with a fault")',
    ].join("\n")
    expect(wordsOf("src/a.ts", source).map(({ kind, name, words }) => [kind, name, words])).toEqual([
      ["header", "", "Checks a file before it is stored."],
      ["docstring", "MOST", "The most that fits."],
      ["message", "", "the file … is too long"],
      ["message", "", "a file with a fault"],
    ])
    expect(wordsOf("app/a.tsx", "const a = <p>Nothing is here yet</p>").map(({ words }) => words)).toEqual(["Nothing is here yet"])
    expect(wordsOf("src/a.ts", "const a: A<b> = c as D<unknown>")).toEqual([])
  })

  test("draws without repeating, and the same for one seed", () => {
    const all = Array.from({ length: 50 }, (_, i) => i)
    expect(drawn(all, 20, 7)).toEqual(drawn(all, 20, 7))
    expect(drawn(all, 20, 7)).not.toEqual(drawn(all, 20, 8))
    expect(new Set(drawn(all, 80, 7))).toEqual(new Set(all))
  })
})
