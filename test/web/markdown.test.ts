// Markdown of an answer: what is understood, and what stays text.

import { describe, expect, test } from "vitest"
import { blocksOf, spansOf, type Span } from "../../web/chat/markdown.ts"

const plain = (spans: readonly Span[]): string => spans.map((span) => ("spans" in span ? plain(span.spans) : span.text)).join("")

describe("Markdown", () => {
  test("paragraphs, headings, lists, quotes, code and rules", () => {
    const blocks = blocksOf("One\nline.\n\n## Head\n- a\n- b\n  more\n\n3. c\n4) d\n\n> said\n> so\n\n```js\nx < 1\n```\n\n---\nend")
    expect(blocks.map(({ is }) => is)).toEqual(["paragraph", "heading", "list", "list", "quote", "code", "rule", "paragraph"])
    expect(blocks[2]).toEqual({
      is: "list",
      ordered: false,
      start: 1,
      items: [[{ is: "text", text: "a" }], [{ is: "text", text: "b\nmore" }]],
    })
    expect(blocks[3]).toMatchObject({ ordered: true, start: 3 })
    expect(blocks[5]).toEqual({ is: "code", text: "x < 1" })
  })

  test("a table has heads, numbers at the right, and as many cells in each row", () => {
    const blocks = blocksOf(
      "Sums:\n| flow | USD |\n|:---|---:|\n| **a** | 1.20 |\n| `b \\| c` |\n| d | 2 | 3 |\nand so on\n\na | b\n-|-\n1 | 2",
    )
    expect(blocks.map(({ is }) => is)).toEqual(["paragraph", "table", "paragraph", "table"])
    const [, table] = blocks
    if (table?.is !== "table") throw new Error("no table")
    expect(table.heads.map(plain)).toEqual(["flow", "USD"])
    expect(table.atEnd).toEqual([false, true])
    expect(table.rows.map((row) => row.map(plain))).toEqual([
      ["a", "1.20"],
      ["b | c", ""],
      ["d", "2"],
    ])
    expect(table.rows[0]?.[0]?.[0]).toMatchObject({ is: "strong" })
  })

  test.each(["| a | b |\nno dashes", "a | b\n|---|", "| a |\n---\nb", "a\n|---|---|", `${"|a".repeat(60)}|\n${"|-".repeat(60)}|`])(
    "%j is no table",
    (text) => {
      expect(blocksOf(text).map(({ is }) => is)).not.toContain("table")
    },
  )

  test("bars and dashes of any number take linear time", () => {
    for (const text of ["|".repeat(200_000), "|-".repeat(200_000), `${"|".repeat(50_000)}\n`.repeat(4), "a|b\n".repeat(50_000)])
      expect(blocksOf(`a|b\n${text}`).length).toBeGreaterThan(0)
  })

  test("a code fence without an end goes to the end", () => {
    expect(blocksOf("a\n```\nb\n\nc")).toEqual([
      { is: "paragraph", spans: [{ is: "text", text: "a" }] },
      { is: "code", text: "b\n\nc" },
    ])
  })

  test.each([
    ["**bold** and *soft*", ["strong", "text", "em"]],
    ["`a*b*c`", ["code"]],
    ["**a *b* c**", ["strong"]],
    ["[x](https://a.example/b)", ["link"]],
    ["go to https://a.example.", ["text", "link", "text"]],
  ] as const)("%s", (text, kinds) => {
    expect(spansOf(text).map(({ is }) => is)).toEqual(kinds)
  })

  test.each([
    "[x](javascript:alert(1))",
    "[x](data:text/html,x)",
    "[x](//a.example)",
    "![x](relative.png)",
    "<img src=x onerror=alert(1)>",
    "2 * 3 * 4",
    "snake_case_name",
    "**",
    "`",
    "[",
    "xhttps://a.example",
    "https://",
    "JAVASCRIPT:alert(1)",
  ])("%s stays text", (text) => {
    expect(spansOf(text).every(({ is }) => is === "text")).toBe(true)
    expect(plain(spansOf(text))).toBe(text)
  })

  test("an image is no image: its address is a link with its words", () => {
    expect(spansOf("![x](https://a.example/i.png)")).toEqual([
      { is: "text", text: "!" },
      { is: "link", text: "x", url: "https://a.example/i.png" },
    ])
  })

  test.each(["*", "_", "`", "[", "**a ", "[a](", "`a", "https://", "- ", "> ", "*a* _b_ ", "[a]("])(
    "200,000 characters of %j take no longer than their number allows",
    (piece) => {
      const text = piece.repeat(Math.ceil(200_000 / piece.length))
      const began = process.cpuUsage().user
      blocksOf(text)
      spansOf(text)
      // Quadratic work would take minutes; a loaded machine takes a tenth of this.
      expect(process.cpuUsage().user - began).toBeLessThan(5_000_000)
    },
  )
})
