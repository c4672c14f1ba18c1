// The tenant's price table [B3]; budget.test.ts tests its use by starts.

import { describe, expect, test } from "vitest"
import { setUp } from "../../support/http/ask.ts"

const PRICES = { "acme/big": { input: 3, output: 15 }, "acme/small": { input: 0.1, output: 0.5, cacheRead: 0.01 } }

describe("the price table", () => {
  test("[B3] it is replaced as a whole and read back", async () => {
    const { ask } = setUp()
    expect((await ask("PUT", "/v1/settings/prices", { body: PRICES })).body).toEqual(PRICES)
    expect((await ask("PUT", "/v1/settings/prices", { body: {} })).body).toEqual({})
    expect((await ask("GET", "/v1/settings/prices")).body).toEqual({})
  })

  test.each([
    ["a model without its provider", { big: { input: 1, output: 1 } }],
    ["a negative price", { "a/b": { input: -1, output: 1 } }],
    ["an incomplete price", { "a/b": { input: 1 } }],
    ["an unknown field", { "a/b": { input: 1, output: 1, inptu: 2 } }],
    ["not an object", [1]],
  ])("[H3] %s is 422, and nothing is stored", async (_what, body) => {
    const { ask, acme } = setUp()
    expect((await ask("PUT", "/v1/settings/prices", { body })).status).toBe(422)
    expect(await acme.settings.get("prices")).toEqual({})
  })

  test("[H3] each fault has its place, and an unknown field gets the nearest known name", async () => {
    const { ask } = setUp()
    const r = await ask("PUT", "/v1/settings/prices", { body: { "a/b": { input: -1, inptu: 2 } } })
    expect(r.body["errors"]).toEqual([
      { pointer: "/a~1b/input", message: "must be 0 at least" },
      { pointer: "/a~1b/output", message: "is required" },
      { pointer: "/a~1b/inptu", message: 'unknown field "inptu"', suggestion: 'did you mean "input"?' },
    ])
  })
})
