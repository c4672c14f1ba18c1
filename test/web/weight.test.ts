// What a page loads: one small file that loads nothing else. The build has made it before the tests (vitest.config.ts).

import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { expect, test } from "vitest"

const script = readFileSync(fileURLToPath(new URL("../../dist/assets/sluice-chat.js", import.meta.url)))

test("the chat for other people's pages weighs at most 30 KB (gzip)", () => {
  expect(gzipSync(script).length).toBeLessThanOrEqual(30_000)
})

test("it imports nothing, names no other host, and writes no markup", () => {
  const text = script.toString()
  expect(text).not.toMatch(/\bimport\s*\(|\bimport\s*["'{*]|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function/)
  const hosts = [...text.matchAll(/https?:\/\/[\w.-]+/g)].map(([address]) => address)
  expect(new Set(hosts)).toEqual(new Set(["http://www.w3.org"]))
})
