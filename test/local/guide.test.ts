// README.md and the pages of docs/guide are short, complete and linked. `npm run guide` runs their commands.

import { existsSync, globSync, readFileSync, readdirSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import { blocksOf, missingPart, wordsOf } from "../../docs/guide/page.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const read = (file: string): string => readFileSync(path.join(root, file), "utf8")
const pages = readdirSync(path.join(root, "docs/guide"))
  .filter((name) => name.endsWith(".md"))
  .sort()
  .map((name) => `docs/guide/${name}`)
const all = ["README.md", ...pages]
const documents = [...globSync("{*.md,docs/*.md,docs/decisions/*.md,bench/*.md,test/*.md}", { cwd: root })].toSorted()

const linksOf = (file: string): string[] => [...read(file).matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, to]) => to ?? "")

describe("README.md", () => {
  test("has at most 600 words outside of code, and about 100 lines", () => {
    expect(wordsOf(read("README.md"))).toBeLessThanOrEqual(600)
    expect(read("README.md").split("\n").length).toBeLessThanOrEqual(120)
  })

  test("lists every page of the guide, in order", () => {
    expect(linksOf("README.md").filter((to) => to.startsWith("docs/guide/"))).toEqual(pages)
  })

  test("links to the documents", () => {
    expect(linksOf("README.md")).toEqual(
      expect.arrayContaining(["ARCHITECTURE.md", "docs/SPEC.md", "docs/OPERATING.md", "docs/PARITY.md", "CONTRIBUTING.md"]),
    )
  })
})

const missingFrom = (file: string): string[] =>
  linksOf(file)
    .filter((to) => !/^https?:/.test(to))
    .filter((to) => !existsSync(path.join(root, path.dirname(file), to)))
    .map((to) => `${file}: ${to}`)

test("links of every document point to files", () => {
  expect(documents.length).toBeGreaterThan(70)
  expect(documents.flatMap(missingFrom)).toEqual([])
})

describe("the guide", () => {
  test.each(all)("%s: links point to files", (file) => {
    expect(missingFrom(file)).toEqual([])
  })

  test.each(pages)("%s: has commands, begins in the checkout or in a project, and links to the next page", (file) => {
    const blocks = blocksOf(read(file)).filter(({ kind }) => kind !== "server")
    expect(blocks.length).toBeGreaterThan(2)
    expect(blocks[0]?.script).toMatch(/^(?:npm run sluice -- |npx sluice init )/)
    // A reader would have to replace them.
    for (const { script } of blocks) expect(script).not.toMatch(/…|=run_/)
    const next = pages[pages.indexOf(file) + 1]
    if (next !== undefined) expect(linksOf(file)).toContain(path.basename(next))
  })
})

describe("a page", () => {
  const page =
    "a\n```sh server\nnpm start\n```\n```text\nup\n```\n```sh\nls\nls -l\n```\ntext\n```json\n{}\n```\n```json\n[]\n```\n```console\nno\n```\n"

  test("consists of its command blocks, each with its first output", () => {
    expect(blocksOf(page)).toEqual([
      { kind: "server", line: 3, script: "npm start", answer: "up" },
      { kind: "shell", line: 9, script: "ls\nls -l", answer: "{}" },
    ])
    expect(() => blocksOf("```sh\nls\n")).toThrow("line 2")
  })

  test.each([
    ['{"a": 1…"b": 2', '{"a":1,"x":0,"b":2}', undefined],
    ["b…a", "ab", "a"],
    ["one\ntwo", "one two three", undefined],
    ["four", "one two three", "four"],
  ])("%j in %j", (answer, output, missing) => {
    expect(missingPart(answer, output)).toBe(missing)
  })

  test("counts words outside code, without link addresses", () => {
    expect(wordsOf("# One two\n\n```sh\nthree four\n```\n\n| [five](six/seven.md) | - |\n")).toBe(3)
  })
})
