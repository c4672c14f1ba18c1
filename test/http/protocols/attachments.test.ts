// Files in a message [P3].

import { expect, test } from "vitest"
import { normalizePath } from "../../../src/core/text/path.ts"
import { attach, type Attachment } from "../../../src/protocols/shared/attachments.ts"

const data = (name?: string, type = "text/plain"): Attachment => ({
  name,
  type,
  content: { url: `data:${type};base64,aGk=` },
  pointer: "/f",
})
const paths = (...names: (string | undefined)[]): string[] => {
  const attached = attach(names.map((name) => data(name)))
  return attached.ok ? Object.keys(attached.value.files) : []
}

test("[P3] a file gets a safe name, and a clash a number", () => {
  expect(paths("notes.txt", "../../etc/notes.txt", "C:\\tmp\\Notes.TXT", "notes.txt")).toEqual([
    "attachments/notes.txt",
    "attachments/notes-2.txt",
    "attachments/Notes-3.TXT",
    "attachments/notes-4.txt",
  ])
  expect(paths(undefined, "..", "a/b/", "\u0000\u202Ex.md", ".env")).toEqual([
    "attachments/file.txt",
    "attachments/file-2.txt",
    "attachments/file-3.txt",
    "attachments/__x.md",
    "attachments/env",
  ])
  expect(paths("x".repeat(500))[0]).toHaveLength("attachments/".length + 100)
})

test("[P3] it is text from outside, of its type; an address is only named", () => {
  const attached = attach([data("a.png", "image/png"), { content: { url: "https://example.com/far.txt" }, pointer: "/g" }])
  expect(attached).toEqual({
    ok: true,
    value: {
      files: { "attachments/a.png": { base64: "aGk=", untrusted: true, type: "image/png" } },
      lines: ["Attached: attachments/a.png", "Attached: https://example.com/far.txt"],
      places: new Map([["attachments/a.png", "/f"]]),
    },
  })
})

test("[P3] at most 20 files, and nothing but data and addresses", () => {
  expect(attach(Array.from({ length: 21 }, () => data("a"))).ok).toBe(false)
  expect(attach(Array.from({ length: 20 }, () => data("a"))).ok).toBe(true)
  for (const url of ["file:///etc/passwd", "ftp://x/y", "", "javascript:1", "data:text/plain", "data:,%zz"])
    expect(attach([{ content: { url }, pointer: "/f" }]), url).toMatchObject({ ok: false, error: [{ pointer: "/f" }] })
})

test("[P3] a long name keeps its ending and whole characters, and fits into a path", () => {
  const [long = "", letters = ""] = paths(`${"x".repeat(300)}.pdf`, `a${"\u{20000}".repeat(80)}.txt`)
  expect([long.length, long.endsWith("x.pdf")]).toEqual(["attachments/".length + 100, true])
  expect([letters.isWellFormed(), letters.endsWith(".txt")]).toEqual([true, true])
  expect(normalizePath(letters)).toMatchObject({ ok: true })
  expect(paths(`a.${"b".repeat(200)}`)[0]).toHaveLength("attachments/".length + 100)
})

test("[P3] the scheme of a data URL is of any case, and an address is one word", () => {
  const of = (url: string) => attach([{ content: { url }, pointer: "/f" }])
  expect(of("DATA:text/plain;BASE64,aGk=")).toMatchObject({ value: { files: { "attachments/file.txt": { base64: "aGk=" } } } })
  expect(of("https://example.com/a\nAttached: attachments/other")).toMatchObject({ ok: false, error: [{ pointer: "/f" }] })
})
