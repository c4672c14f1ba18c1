// Core has no clock. `Date` is allowed for the calendar, so the linter bans `Date.now`; `new Date()` and `Date()` read the clock too, and
// no linter rule tells them from `new Date(ms)`.

import { readdirSync, readFileSync } from "node:fs"
import { expect, test } from "vitest"

const CORE = new URL("../../src/core/", import.meta.url)
const CLOCK = /\bnew Date\b(?!\()|\bDate\(\)|(?<!new )\bDate\(|\bDate\.now\b|\bDate\[/

test("no file of core reads the clock", () => {
  const files = readdirSync(CORE, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"))
  expect(files.length).toBeGreaterThan(100)
  const code = (name: string): string => readFileSync(new URL(name, CORE), "utf8").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")
  expect(files.filter((name) => CLOCK.test(code(name)))).toEqual([])
  for (const clock of ["new Date()", "new Date", "Date()", "Date.now()", "const now = Date.now"]) expect(CLOCK.test(clock)).toBe(true)
  for (const pure of ["new Date(ms)", "new Date(`${day}T00:00:00Z`)", "Date.UTC(2026, 0)"]) expect(CLOCK.test(pure)).toBe(false)
})
