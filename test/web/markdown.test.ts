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
