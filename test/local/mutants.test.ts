// The list of planted faults does not rot: each patch fits the code of today, and names a test that exists.

import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { MUTANTS } from "../../scripts/mutants/all.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

test("a planted fault's text occurs exactly once, and the test that finds it is there", () => {
  const texts = new Map<string, string>()
  const read = (file: string): string => {
    const known = texts.get(file) ?? (existsSync(`${root}${file}`) ? readFileSync(`${root}${file}`, "utf8") : "")
    texts.set(file, known)
    return known
  }
  const wrong = MUTANTS.flatMap(({ name, file, find, test: named }) => {
    const times = read(`src/${file}`).split(find).length - 1
    const isFound = named === undefined || read(`test/${named[0]}`) !== ""
    return [...(times === 1 ? [] : [`${name}: ${times} times in src/${file}`]), ...(isFound ? [] : [`${name}: no test/${named?.[0]}`])]
  })
  expect(wrong).toEqual([])
})
