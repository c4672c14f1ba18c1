// The border of [T32]: no file cuts a text to a size by itself, unless the list says why no secret is halved there. The linter knows no types, so
// cuts of lists are in the list as well.

import { readdirSync, readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { DOORS, PLACES, READERS, ROOMS } from "./cut-places.ts"

const SRC = new URL("../../../src/", import.meta.url)
/** A number, a constant, or a name that says how much. */
const SIZE = String.raw`(?:\d[\d_]*|(?:[\w$]+\.)?[A-Z][A-Z0-9_]+|(?:this\.#?|[\w$]+\.)?(?:most|max|limit|room|chars|left|size|budget|width|keep)\w*)`
/** `slice(0, SIZE)`, `slice(0, Math.min(…SIZE`, `slice(-SIZE)`, and the same by older names; a place that was found in the text is no size. */
const CUT = new RegExp(String.raw`\.(?:slice|substring|substr)\(\s*(?:0,\s*[^;\n)]*?\b${SIZE}\b|-\s*\(?${SIZE}\b)`, "g")
/** Functions that cut what they are given. */
const CUTTER = /^import \{[^}]*\b(?:cutAt|truncate|glimpse)\b[^}]*\} from/gm

const cuts = (code: string): number => [...code.matchAll(CUT), ...code.matchAll(CUTTER)].length
const all = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".gen.ts"))
const isIn = (rooms: readonly string[], file: string): boolean => rooms.some((room) => file.startsWith(`${room}/`))
const files = all.filter((file) => !isIn(ROOMS, file))
const code = (file: string): string => readFileSync(new URL(file, SRC), "utf8").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")

test("[T32] nothing outside the rooms for it cuts a text to a size, except by the function that takes secrets out first", () => {
  const found = Object.fromEntries(files.map((file): [string, number] => [file, cuts(code(file))]).filter(([, n]) => n > 0))
  const listed = Object.fromEntries(Object.entries(PLACES).map(([file, [n]]) => [file, n]))
  // A new cut: show the text by `beginning`, `start` or `ending`; if it is no such text, the list says why.
  expect(found).toEqual(listed)
})

test("[T32] a cut is seen however it is written, and a place within the text is none", () => {
  const seen = [
    "text.slice(0, 300)",
    "text.slice(0, MAX_SHOWN)",
    "text.slice(0, MAX_SHOWN - 1)",
    "e.message.slice(0, Math.min(text.length, most))",
    "text.substring(0, limit)",
    "text.substr(0, 80)",
    "text.slice(-MAX_TAIL)",
    "text.slice(-200)",
    "text.slice(0, wish.maxChars)",
    "text\n  .slice(0, 500)",
    'import { cutAt } from "../text/cut-at.ts"',
  ]
  expect(seen.filter((line) => cuts(line) !== 1)).toEqual([])
  const parsers = ["text.slice(at, end)", "text.slice(0, at)", 'text.slice(0, text.indexOf(":"))', "name.slice(slash + 1)", "text.slice(5)"]
  expect(parsers.filter((line) => cuts(line) !== 0)).toEqual([])
})

/** Parsing, but for a copy of what is there already; setting out over lines; the whole of a text from outside. */
const READ = /JSON\.parse\((?!JSON\.stringify)|exactJson\(|JSON\.stringify\([^;\n]*, (?:null|undefined), [0-9]\)|\.whole\(\)/g

test("[N4] nothing that meets what comes from outside parses or sets out JSON at one go, except where it is known to be short", () => {
  const doors = all.filter((file) => isIn(DOORS, file))
  const found = Object.fromEntries(
    doors.map((file): [string, number] => [file, code(file).match(READ)?.length ?? 0]).filter(([, n]) => n > 0),
  )
  // A new reader: `readJson`, `Outside` and `setOutValue` do it in pieces, with a bound.
  expect(found).toEqual(Object.fromEntries(Object.entries(READERS).map(([file, [n]]) => [file, n])))
})
