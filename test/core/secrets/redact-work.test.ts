// The search for secrets in pieces: the same result, and never much work at one go [N4]. Work is counted, so no clock decides.

import { expect, test } from "vitest"
import { Redactor } from "../../../src/core/secrets/redact.ts"
import { jsonPieces } from "../../../src/core/outside/json-pieces.ts"
import type { Pieces } from "../../../src/core/pieces.ts"
import { whole } from "../../support/whole.ts"

/** A stretch of computing is about 1,000,000 (ports/breath.ts); no piece is more than a part of it. */
const MOST_WORK = 400_000
const SECRET = "k3y/Unique=Sesame&7f<39b, and words"
const redactor = new Redactor([
  ["a", [SECRET]],
  ["b", ["another-secret-of-many"]],
])

function pieces<T>(work: Pieces<T>): { readonly value: T; readonly count: number; readonly most: number } {
  for (let count = 1, most = 0; ; count++) {
    const step = work.next()
    if (step.done === true) return { value: step.value, count, most }
    most = Math.max(most, step.value)
  }
}

const HOSTILE: Readonly<Record<string, string>> = {
  "percent signs": "%2525".repeat(60_000),
  entities: "&#x41;".repeat(50_000),
  "JSON escapes": "\\u0041".repeat(50_000),
  backslashes: "\\".repeat(300_000),
  "first letters of secrets": "k3y/Uniqu".repeat(30_000),
  "the secret, escaped": `${encodeURIComponent(SECRET)} `.repeat(4_000),
  "line breaks": "k3y/Un\n".repeat(40_000),
}

test.each(Object.entries(HOSTILE))("[T32] [N4] %s: found as in one text, in pieces of bounded work", (_, text) => {
  const { value, count, most } = pieces(redactor.pieces(`${text}${SECRET}${text}`))
  expect(value === redactor.text(`${text}${SECRET}${text}`)).toBe(true)
  expect(value).not.toContain("Sesame&7f")
  expect(count).toBeGreaterThan((2 * text.length) / 10_000)
  expect(most).toBeLessThan(MOST_WORK)
})

test("[T32] [N4] values of many members are looked through in pieces too", () => {
  const value = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`key${n}`, n % 9 === 0 ? [SECRET, n] : `v${n}`]))
  const { value: clean, count, most } = pieces(redactor.jsonPieces(value))
  expect(clean).toEqual(redactor.json(value))
  expect(count).toBeGreaterThan(50)
  expect(most).toBeLessThan(MOST_WORK)
})

const NOT_JSON = { ok: false, error: expect.stringMatching(/^is not JSON \(line [12], column \d+\)$/) }

const VALUES: readonly unknown[] = [
  Array.from({ length: 40_000 }, (_, n) => n / 3),
  Object.fromEntries(Array.from({ length: 30_000 }, (_, n) => [`key ${n}`, { a: [n, null, true], "\u2028": "x\ny" }])),
  { text: `"\\${"é".repeat(100_000)}\n`, __proto__: null },
  JSON.parse(`{"__proto__": {"a": "${"x".repeat(70_000)}"}, "constructor": [], "": {}}`),
]

test.each(VALUES.map((value) => [JSON.stringify(value)]))("[N4] JSON of many tokens is read as JSON.parse reads it, in pieces", (text) => {
  for (const written of [text, JSON.stringify(JSON.parse(text), null, 2)]) {
    const { value, most } = pieces(jsonPieces(written))
    expect(value).toEqual({ ok: true, value: JSON.parse(text) })
    expect(JSON.stringify((value as { value: unknown }).value) === text).toBe(true)
    expect(most).toBeLessThan(MOST_WORK)
  }
})

test("[N4] what is not JSON, or is too deep, is refused, whether it is small or large", () => {
  const fill = `"${"x".repeat(70_000)}"`
  for (const long of ["1", fill]) {
    for (const text of [
      "",
      `${long} ${long}`,
      `[${long}`,
      `[${long},]`,
      `{${long}:1,}`,
      `{"a" ${long}}`,
      `[01,${long}]`,
      `[+1,${long}]`,
      `[${long}]]`,
    ])
      expect([text.slice(0, 9), whole(jsonPieces(text))]).toEqual([text.slice(0, 9), NOT_JSON])
    expect(whole(jsonPieces(`["\n",${long}]`))).toEqual(NOT_JSON)
    const deep = `${"[".repeat(3_000)}${long}${"]".repeat(3_000)}`
    expect(whole(jsonPieces(deep))).toEqual({ ok: false, error: "is nested deeper than 64 levels" })
    expect(whole(jsonPieces(`${"[".repeat(64)}${long}${"]".repeat(64)}`)).ok).toBe(true)
  }
})
