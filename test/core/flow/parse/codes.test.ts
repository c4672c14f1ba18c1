// The table of codes, the source that gives them, the fixtures that show them and the manual that is made of both: all say the same.

import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { renderAll } from "../../../../scripts/diagnostics.ts"
import { CODES } from "../../../../src/core/flow/parse/codes.ts"
import { fixtures, judge, seen } from "../../../support/kernel/fixtures.ts"

const table = CODES.flatMap((group) => group.codes)
const byCode = new Map(table.map((code) => [code.code, code]))
const files = fixtures("codes")

/** Codes of YAML are put together from a family and a word: `${family}-LIMIT`, and `stop("LIMIT", …)`. */
function codesInSource(): Set<string> {
  const sources = ["../../../../src/core/flow", "../../../../src/engine"].flatMap((folder) => {
    const at = new URL(`${folder}/`, import.meta.url)
    return readdirSync(at, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.endsWith("codes.ts"))
      .map((file) => readFileSync(new URL(file, at), "utf8"))
  })
  const whole = sources.flatMap((text) => [...text.matchAll(/"((?:FV|AV|SV|RV|CV|CAT)-[A-Z0-9-]+)"/g)].map(([, code = ""]) => code))
  const words = sources.flatMap((text) =>
    [...text.matchAll(/(?:\$\{(?:c\.)?family\}-([A-Z-]+)`|stop\(\s*"([A-Z-]+)")/g)].map(([, a, b]) => a ?? b ?? ""),
  )
  return new Set([...whole, ...words.flatMap((word) => ["FV", "AV", "SV", "RV"].map((family) => `${family}-${word}`))])
}

describe("the table of codes", () => {
  test("[F54] has every code that the source can give, each once, and no other", () => {
    expect(table.map((c) => c.code).toSorted()).toEqual([...byCode.keys()].toSorted())
    const given = codesInSource()
    expect(given.size).toBeGreaterThan(130)
    expect([...given].filter((code) => !byCode.has(code))).toEqual([])
    // What only one family can be told comes from the same line as the others.
    expect([...byCode.keys()].filter((code) => !given.has(code) && !/^[A-Z]V-(?:FM-|MORE|KEY|DUP-KEY|ALIAS)/.test(code))).toEqual([])
  })

  test("[F54] says of each what it is and what to write", () => {
    for (const { code, what, write } of table) expect([code, what.length > 10, write.length > 2]).toEqual([code, true, true])
  })

  test("[F54] every code of a file has a fixture of its own name, and every fixture shows a code", () => {
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

test("[F54] docs/DIAGNOSTICS.md and the skill's manual are what the table says", () => {
  for (const [file, text] of renderAll())
    expect([file, readFileSync(new URL(`../../../../${file}`, import.meta.url), "utf8")]).toEqual([file, text])
})
