// canonical: two equal values give equal text, however often they were told before.

import fc from "fast-check"
import { expect, test } from "vitest"
import { canonical, quoted, unchanging } from "../../src/core/json.ts"
import { anyCharacter } from "../support/any-character.ts"

test("[J21] what is said never to change has the text of any other value like it", () => {
  const schema = { type: "object", properties: { b: { type: "string" }, "10": {}, "9": { enum: [1, null] }, gone: undefined } }
  const said = (parameters: object): string => canonical({ tools: [{ name: "x", parameters }], at: 1 })
  const text = '{"properties":{"10":{},"9":{"enum":[1,null]},"b":{"type":"string"}},"type":"object"}'
  expect(said(structuredClone(schema))).toBe(`{"at":1,"tools":[{"name":"x","parameters":${text}}]}`)
  expect(unchanging(schema)).toBe(schema)
  for (let times = 0; times < 3; times++) expect(said(unchanging(schema))).toBe(said(structuredClone(schema)))
})

test("[J21] its text is made once", () => {
  let looks = 0
  const schema = unchanging({
    get type(): string {
      looks += 1
      return "object"
    },
  })
  const first = canonical([schema])
  const once = looks
  expect(first).toBe('[{"type":"object"}]')
  expect(canonical([schema])).toBe(first)
  expect(looks).toBe(once)
})

test("[J20] the text of a request is that of JSON, whatever its texts and numbers are", () => {
  const strange = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 80 }),
    fc.string({ unit: "grapheme-ascii", maxLength: 80 }),
    fc.constantFrom("\u007f", "\u2028", "\ud800", '"', "\\", "\t", " ", "~", "!"),
  )
  fc.assert(
    fc.property(strange, (text) => {
      expect(quoted(text)).toBe(JSON.stringify(text))
    }),
  )
  const scalar = fc.oneof(strange, fc.double(), fc.integer(), fc.boolean(), fc.constantFrom(null, undefined, -0, Infinity, Number.NaN))
  fc.assert(
    fc.property(fc.dictionary(strange, fc.oneof(scalar, fc.array(scalar))), (value) => {
      // By hand: in an object, names that look like indexes come first.
      const names = Object.keys(value).filter((name) => value[name] !== undefined)
      const members = names.toSorted().map((name) => `${JSON.stringify(name)}:${JSON.stringify(value[name])}`)
      expect(canonical(value)).toBe(`{${members.join(",")}}`)
    }),
  )
})
