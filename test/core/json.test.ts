// canonical: two equal values give equal text, however often they were told before.

import { expect, test } from "vitest"
import { canonical, unchanging } from "../../src/core/json.ts"

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
