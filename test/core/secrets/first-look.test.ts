// The scan that skips what cannot matter finds what the scan finds that reads every unit [T32].

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { FirstLook } from "../../../src/core/secrets/first-look.ts"
import { fold, folded, KELVIN } from "../../../src/core/secrets/fold.ts"
import { PhraseTrie } from "../../../src/core/secrets/phrase-trie.ts"
import { Redactor } from "../../../src/core/secrets/redact.ts"
import { formsOf } from "../../../src/core/secrets/secret-forms.ts"
import { SecretScan } from "../../../src/core/secrets/secret-scan.ts"
import { anyCharacter } from "../../support/any-character.ts"
import { amount } from "../../support/amount.ts"
import { WholeScan } from "../../support/secrets/whole-scan.ts"

const trieOf = (values: readonly string[]): PhraseTrie => new PhraseTrie(formsFor(values))

class CountedTrie extends PhraseTrie {
  steps = 0

  override step(from: number, unit: number): number {
    this.steps += 1
    return super.step(from, unit)
  }
}

function formsFor(values: readonly string[]): Map<string, number> {
  const forms = new Map<string, number>()
  for (const [owner, value] of values.entries())
    for (const form of formsOf(value).flatMap((f) => [folded(f), folded(f).replace(/[\r\n][\r\n \t]*/g, "")]))
      if (form.length >= 8 && !forms.has(form)) forms.set(form, owner)
  return forms
}

/** What both scans say after each piece, and at the end. */
function both(trie: PhraseTrie, pieces: readonly string[]): readonly [unknown, unknown] {
  const look = new FirstLook(trie)
  const scans = [new SecretScan(trie, look), new WholeScan(trie)] as const
  const said = scans.map((scan) => {
    const after = pieces.map((piece) => {
      scan.read(piece)
      return [scan.decided(), structuredClone(scan.found)]
    })
    scan.end()
    return [after, scan.found]
  })
  return [said[0], said[1]]
}

function cut(text: string, places: readonly number[]): string[] {
  const borders = [...new Set(places.map((p) => p % (text.length + 1)))].toSorted((a, b) => a - b)
  return [...borders, text.length].map((to, i) => text.slice(borders[i - 1] ?? 0, to))
}

/** Few letters, so that secrets begin everywhere, and letters that escapes have too. */
const NARROW = 'abnu2f4\\%&"/#; K\n'.split("")
const narrow = fc.string({ unit: fc.constantFrom(...NARROW), minLength: 8, maxLength: 14 })
const wide = fc.oneof(
  fc.string({ unit: anyCharacter, minLength: 8, maxLength: 24 }),
  fc.base64String({ minLength: 8, maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(..."äöéłжπ\u212a\u0130ßK-_ab".split("")), minLength: 8, maxLength: 16 }),
)
const secrets = fc
  .array(fc.oneof(narrow, wide), { minLength: 1, maxLength: 4 })
  .map((values) => values.map((value) => value.trim()).filter((value) => value.length >= 8 && value.isWellFormed()))
  .filter((values) => values.length > 0)

/** Any part of any spelling of a secret, between signs and text that escapes are made of. */
const texts = (values: readonly string[]): fc.Arbitrary<string> => {
  const spelled = values.flatMap((value) => {
    const bytes = Buffer.from(value)
    const json = JSON.stringify(value).slice(1, -1)
    const points = Array.from(value, (char) => `&#${char.codePointAt(0)};`).join("")
    const units = Array.from(value, (char, i) => (i % 2 === 0 ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)).join("")
    const some = [...bytes].map((b, i) => (i % 3 === 0 ? `%${b.toString(16).padStart(2, "0")}` : String.fromCharCode(b))).join("")
    const all = [value, json, JSON.stringify(json).slice(1, -1), points, units, some, encodeURIComponent(value), value.toUpperCase()]
    return [...all, bytes.toString("base64"), bytes.toString("hex"), bytes.toString("base64").replace(/.{3}/g, "$&\r\n ")]
  })
  const part = fc
    .tuple(fc.constantFrom(...spelled), fc.nat(), fc.nat())
    .map(([text, from, length]) => text.slice(from % text.length, (from % text.length) + 1 + (length % text.length)))
  const between = fc.oneof(
    fc.string({ unit: fc.constantFrom(...NARROW, ..."\r\t;:,<>x0159Aeo".split("")), maxLength: 8 }),
    fc.constantFrom(
      "\\n",
      "\\\\",
      "\\u0061",
      "\\u00",
      "%61",
      "%C3%A4",
      "%C3",
      "%",
      "&amp;",
      "&#97;",
      "&#x61",
      "&",
      "\\",
      "\r\n",
      "\n\n\n",
      "\\n  ",
    ),
    fc.string({ unit: anyCharacter, maxLength: 6 }),
  )
  return fc
    .array(
      fc.oneof({ weight: 3, arbitrary: part }, { weight: 1, arbitrary: fc.constantFrom(...spelled) }, { weight: 5, arbitrary: between }),
      { maxLength: 24 },
    )
    .map((parts) => parts.join(""))
}

const cases = secrets.chain((values) => fc.tuple(fc.constant(values), texts(values), fc.array(fc.nat(), { maxLength: 6 })))

describe("the first look", () => {
  test("[T32] finds what reading every unit finds, in any text, and decides as much of it after each piece", () => {
    fc.assert(
      fc.property(cases, ([values, text, places]) => {
        const [now, before] = both(trieOf(values), cut(text, places))
        expect(now).toEqual(before)
      }),
      { numRuns: amount(3_000, 1_000) },
    )
  })

  test("[T32] the sign of kelvin is the only unit beyond ASCII that a reader takes for an ASCII letter", () => {
    const beyond = Array.from({ length: 0x10000 - 128 }, (_, i) => i + 128).filter((unit) => fold(unit) < 128)
    expect(beyond).toEqual([KELVIN])
  })

  test.each([
    ["prose", 1_000, "The quick brown fox jumps over the lazy dog and goes home.\n"],
    ["JSON in JSON", 2, '{\\"name\\": \\"fox\\", \\"text\\": \\"one\\ntwo\\nthree\\"}\\n'],
    ["a page", 2, '<a href="/x?a=1&amp;b=2">Some &lt;text&gt; &quot;here&quot;</a>&nbsp;and%20more\n'],
    ["another script", 1_000, "Съешь же ещё этих мягких французских булок, да выпей чаю.\n"],
  ])("[T32] of %s the phrases see less than a part in %i of what they saw", (_, part, line) => {
    const trie = new CountedTrie(formsFor(["sk-proj-9XbT27aLmQw81ZkV", "postgres://app:hunter2hunter2@db.internal/app"]))
    const text = line.repeat(500)
    const read = (scan: { read(text: string): void }): number => {
      trie.steps = 0
      scan.read(text)
      return trie.steps
    }
    const all = read(new WholeScan(trie))
    expect(all).toBeGreaterThanOrEqual(text.length)
    expect(read(new SecretScan(trie, new FirstLook(trie)))).toBeLessThan(all / part)
  })

  test("[T32] a stream without text makes no reading, and one without secrets passes on what it gets", () => {
    const stream = new Redactor([["vault", ["sk-proj-9XbT27aLmQw81ZkV"]]]).stream()
    expect(stream.push("Nothing to see.\n")).toBe("Nothing to see.\n")
    expect(stream.end()).toBe("")
  })
})
