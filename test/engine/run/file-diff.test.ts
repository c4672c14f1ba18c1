// What became of files between two moments [K5]: states, lines, and what is left out.

import { describe, expect, test } from "vitest"
import { changedPage, MAX_DIFF_CHARS, MAX_READ_BYTES, MAX_TEXT_BYTES } from "../../../src/engine/run/file-diff.ts"
import type { FileEntry } from "../../../src/ports/workspace.ts"

type Files = Readonly<Record<string, string | Uint8Array>>

/** A body's hash stands for it. */
function world(before: Files, after: Files) {
  const bodies = new Map<string, Uint8Array>()
  const entries = (files: Files): FileEntry[] =>
    Object.entries(files).map(([path, text]) => {
      const body = typeof text === "string" ? new TextEncoder().encode(text) : text
      const hash = `${body.byteLength} ${[...body.subarray(0, 2_000)].join()} ${body.at(-1)}`
      bodies.set(hash, body)
      return { path, size: body.byteLength, hash, modified: 0 }
    })
  const [old, fresh] = [entries(before), entries(after)]
  let reads = 0
  const page = (limit = 100, past?: string) =>
    changedPage(old, fresh, { limit, ...(past === undefined ? {} : { past }) }, async (hash) => {
      reads++
      return bodies.get(hash)
    })
  return { page, bodies, reads: () => reads }
}

describe("changed files", () => {
  test("[K5] added, changed and removed ones with sizes and lines; those that are the same are not read", async () => {
    const { page, reads } = world({ "a.md": "one\n", "b.md": "one\ntwo\n", same: "x" }, { "b.md": "one\nthree", "c.md": "", same: "x" })
    expect(await page()).toEqual({
      rows: [
        { path: "a.md", state: "removed", before: 4, after: null, binary: false, diff: "@@ -1 +0,0 @@\n-one\n", cut: false },
        {
          path: "b.md",
          state: "changed",
          before: 8,
          after: 9,
          binary: false,
          diff: "@@ -1,2 +1,2 @@\n one\n-two\n+three\n\\ No newline at end of file\n",
          cut: false,
        },
        { path: "c.md", state: "added", before: null, after: 0, binary: false, diff: "", cut: false },
      ],
      more: false,
    })
    expect(reads()).toBe(4)
  })

  test("[K5] what is no UTF-8, or has a NUL, is binary, on either side", async () => {
    const { page } = world(
      { a: "text", b: new Uint8Array([0xff, 0xfe]) },
      { a: new Uint8Array([65, 0, 66]), b: "text", c: new Uint8Array([0xc3]) },
    )
    expect((await page()).rows.map(({ binary, diff, cut }) => [binary, diff, cut])).toEqual([
      [true, null, false],
      [true, null, false],
      [true, null, false],
    ])
  })

  test("[K5] pages go on after a path, whatever the path is", async () => {
    const after = Object.fromEntries(["z", "a/b", "a b", "ä", "__proto__", "a"].map((path) => [path, "x"]))
    Object.defineProperty(after, "__proto__", { value: "x", enumerable: true })
    const { page } = world({}, after)
    const got: string[] = []
    for (let past: string | undefined; ;) {
      const { rows, more } = await page(2, past)
      got.push(...rows.map(({ path }) => path))
      past = rows.at(-1)?.path
      if (!more) break
    }
    expect(got).toEqual(["__proto__", "a", "a b", "a/b", "z", "ä"])
  })

  test("[K5] the lines of a file that is too large, or whose body is gone, are left out", async () => {
    const { page, bodies, reads } = world({}, { a: "x".repeat(MAX_TEXT_BYTES + 1) })
    expect((await page()).rows).toEqual([
      { path: "a", state: "added", before: null, after: MAX_TEXT_BYTES + 1, binary: null, diff: null, cut: true },
    ])
    expect(reads()).toBe(0)
    const gone = world({}, { a: "x" })
    gone.bodies.clear()
    expect((await gone.page()).rows).toMatchObject([{ binary: null, diff: null, cut: true }])
    expect(bodies.size).toBe(1)
  })

  test("[K5] one answer reads four megabytes of files at most", async () => {
    const files = Array.from({ length: 20 }, (_, n) => [`f${String(n).padStart(2, "0")}`, `${n}${"x".repeat(MAX_TEXT_BYTES - 2)}`])
    const { rows } = await world({}, Object.fromEntries(files)).page()
    const read = rows.filter(({ diff }) => diff !== null)
    expect(read.reduce((sum, { after }) => sum + (after ?? 0), 0)).toBeLessThanOrEqual(MAX_READ_BYTES)
    expect(rows.filter(({ binary, cut }) => binary === null && cut).length).toBe(20 - read.length)
    expect(read.length).toBe(16)
  })

  test("[K5] long lines are cut at the end of a line", async () => {
    const { rows } = await world({}, { a: "0123456789\n".repeat(20_000) }).page()
    const [{ diff, cut } = { diff: "", cut: false }] = rows
    expect(cut).toBe(true)
    expect(diff?.length).toBeGreaterThan(MAX_DIFF_CHARS - 20)
    expect(diff?.length).toBeLessThanOrEqual(MAX_DIFF_CHARS)
    expect(diff?.endsWith("\n+0123456789\n")).toBe(true)
    // One line that is longer than all.
    const [{ diff: none, cut: all } = { diff: null, cut: false }] = (await world({}, { a: "x".repeat(MAX_DIFF_CHARS * 2) }).page()).rows
    expect([none, all]).toEqual(["@@ -0,0 +1 @@\n", true])
  })

  test("[K5] when the comparisons are used up, further files are without lines", async () => {
    const lines = (name: string): string => Array.from({ length: 2_000 }, (_, n) => `${name} ${n}\n`).join("")
    const names = ["a", "b", "c", "d", "e"]
    const of = (side: string): Files => Object.fromEntries(names.map((name) => [name, lines(`${side}${name}`)]))
    const { rows } = await world(of("x"), of("y")).page()
    expect(rows.map(({ diff }) => diff === null)).toEqual([false, false, true, true, true])
  })
})
