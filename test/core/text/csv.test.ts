// Tables for spreadsheets: every table reads back as it was, and no cell is a formula.

import fc from "fast-check"
import { expect, test } from "vitest"
import { csvOf } from "../../../src/core/text/csv.ts"
import { anyCharacter } from "../../support/any-character.ts"

/** RFC 4180, for tests. */
function read(text: string): string[][] {
  const rows: string[][] = []
  let [row, cell, quoted]: [string[], string, boolean] = [[], "", false]
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i)
    if (quoted && char === '"' && text.charAt(i + 1) === '"') cell += text.charAt(++i)
    else if (char === '"') quoted = !quoted
    else if (!quoted && char === ",") [row, cell] = [[...row, cell], ""]
    else if (!quoted && text.startsWith("\r\n", i)) {
      rows.push([...row, cell])
      ;[row, cell] = [[], ""]
      i++
    } else cell += char
  }
  return rows
}

test("[H13] a table reads back, but for an apostrophe before what a spreadsheet would compute", () => {
  const cell = fc.oneof(
    fc.string(),
    fc.string({ unit: anyCharacter }),
    fc.constantFrom("=1+1", "@SUM(A1)", '-2,"x"', "+", "a\r\nb", "\t=1", " =1", "＝1"),
  )
  fc.assert(
    fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 2 }), { maxLength: 5 }), (rows) => {
      const back = read(csvOf(["a", "b"], rows))
      expect(back[0]).toEqual(["a", "b"])
      for (const [n, row] of rows.entries())
        for (const [at, text] of row.entries()) {
          const is = back[n + 1]?.[at] ?? ""
          expect([text, `'${text}`]).toContain(is)
          expect(is).not.toMatch(/^\s*[=+\-@]/)
        }
    }),
    { numRuns: 500 },
  )
})

test("[H13] numbers stay numbers, and nothing is an empty cell", () => {
  expect(
    csvOf(
      ["model", "usd", "runs"],
      [
        ['=HYPERLINK("http://x")', null, 3],
        ["a/b", 0.25, 0],
      ],
    ),
  ).toBe(`model,usd,runs\r\n"'=HYPERLINK(""http://x"")",,3\r\na/b,0.25,0\r\n`)
})
