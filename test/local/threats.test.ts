// docs/THREATS.md against the tests: every threat and every promise has a row with a control, and every test it names exists.

import { existsSync, readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"

const root = new URL("../../", import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), "utf8")

interface Row {
  readonly id: string
  readonly control: string
  readonly shown: string
  readonly open: string
}
const rows: Row[] = read("docs/THREATS.md")
  .split("\n")
  .filter((line) => /^\| S?\d+\. /.test(line))
  .map((line) => {
    const [, name = "", control = "", shown = "", open = ""] = line.split(/ ?\| ?/)
    return { id: name.slice(0, name.indexOf(".")), control, shown, open }
  })

const count = (prefix: string, to: number): string[] => Array.from({ length: to }, (_, n) => `${prefix}${n + 1}`)

describe("docs/THREATS.md", () => {
  test("[G11] has every threat and every promise once, each with its control and what stays open", () => {
    expect(rows.map((row) => row.id)).toEqual([...count("", 19), ...count("S", 18)])
    expect(rows.filter((row) => row.control === "" || row.shown === "" || row.open === "")).toEqual([])
  })

  test("[G11] names only tests that exist", () => {
    const faults: string[] = []
    for (const { id, shown } of rows) {
      const named = [...shown.matchAll(/`([^`]+)` (.*?)(?=; `|$)/g)]
      if (named.length === 0 || named.some(([, , words = ""]) => words.length < 12))
        faults.push(`${id}: no test, or too few words of its title`)
      for (const [, file = "", words = ""] of named) {
        const path = `test/${file.endsWith(".ts") ? file : `${file}.test.ts`}`
        if (!existsSync(new URL(path, root)) || !read(path).replaceAll("\\", "").includes(words))
          faults.push(`${id}: no test "${words}" in ${path}`)
      }
    }
    expect(faults).toEqual([])
  })
})
