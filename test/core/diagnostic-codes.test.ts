// The table of codes, the fixtures that show them and the manual made from both agree.

import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { list, renderAll } from "../../scripts/diagnostics.ts"
import { CODES, type Code, type DiagnosticCode } from "../../src/core/diagnostic-codes.ts"
import { fixtures, judge, seen } from "../support/kernel/fixtures.ts"

const table: readonly Code[] = CODES.flatMap((group): readonly Code[] => group.codes)
const byCode = new Map(table.map((code) => [code.code, code]))
const files = fixtures("codes")

describe("the table of codes", () => {
  // The compiler checks the codes in the source: a report takes a `DiagnosticCode`. This line fails to compile when the union becomes `string`.
  const isClosed: string extends DiagnosticCode ? never : true = true

  test("[F54] has each code once", () => {
    expect(isClosed).toBe(true)
    expect(table.map((c) => c.code).toSorted()).toEqual([...byCode.keys()].toSorted())
    expect(byCode.size).toBeGreaterThan(130)
  })

  test("[F54] every code has a meaning and a fix", () => {
    for (const { code, what, write } of table) expect([code, what.length > 10, write.length > 2]).toEqual([code, true, true])
  })

  test("[F54] every code of a file has a fixture with its name, and every fixture shows a code", () => {
    const shown = new Set(files.map((f) => f.name.toUpperCase()))
    // Drift is between two files: a handler, and the flow that it belongs to.
    expect([...byCode.keys()].filter((code) => /^[FASR]V-/.test(code) && code !== "FV-DRIFT" && !shown.has(code))).toEqual([])
    expect([...shown].filter((code) => !byCode.has(code))).toEqual([])
  })
})

describe("fixtures", () => {
  for (const fixture of files) {
    const code = fixture.name.toUpperCase()
    test(`[F54] codes/${fixture.name} shows ${code}`, () => {
      const diagnostics = judge(fixture)
      expect(seen(diagnostics)).toEqual(fixture.expected)
      const own = diagnostics.filter((d) => d.code === code)
      expect(own.length).toBeGreaterThan(0)
      for (const d of own) {
        const severity = byCode.get(code)?.severity
        expect(severity === "either" || severity === d.severity).toBe(true)
        expect([d.code, d.suggestion !== undefined && d.suggestion.trim() !== ""]).toEqual([d.code, true])
        expect(d.message.length).toBeGreaterThan(15)
        expect(d.column).toBeGreaterThan(0)
      }
    })
  }

  test("[F54] every fault of every fixture comes with something to write", () => {
    const mute = files.flatMap((f) => judge(f).filter((d) => d.suggestion === undefined || d.suggestion.trim() === ""))
    expect(mute.map((d) => `${d.code}: ${d.message}`)).toEqual([])
  })
})

test("[F54] the printed list and the skill's manual have every code with its meaning and fix, and the page names it", () => {
  const [page = "", manual = ""] = renderAll().values()
  const printed = list()
  for (const { code, what, write } of table) {
    const line = printed.find((one) => one.startsWith(`${code} (`)) ?? ""
    for (const part of [what, write]) expect([code, line.includes(part), manual.includes(part)]).toEqual([code, true, true])
    // A code of a file is printed with the fixture that shows it.
    if (files.some((f) => f.name.toUpperCase() === code))
      expect([code, line.toLowerCase()]).toEqual([code, expect.stringContaining(`codes/${code.toLowerCase()}.`)])
    expect([code, page.includes(`\`${code}\``)]).toEqual([code, true])
  }
})

test("[F54] docs/DIAGNOSTICS.md and the skill's manual match the table", () => {
  for (const [file, text] of renderAll())
    expect([file, readFileSync(new URL(`../../${file}`, import.meta.url), "utf8")]).toEqual([file, text])
})
