// Prices, and what a start with a budget is told before budgets can be kept [B3] [F54].

import { describe, expect, test } from "vitest"
import { setUp } from "./ask.ts"

const PRICES = { "acme/big": { input: 3, output: 15 }, "acme/small": { input: 0.1, output: 0.5, cacheRead: 0.01 } }

describe("the price table", () => {
  test("[B3] it is replaced whole and read back", async () => {
    const { ask } = setUp()
    expect((await ask("PUT", "/v1/settings/prices", { body: PRICES })).body).toEqual(PRICES)
    expect((await ask("PUT", "/v1/settings/prices", { body: {} })).body).toEqual({})
    expect((await ask("GET", "/v1/settings/prices")).body).toEqual({})
  })

  test.each([
    ["a model without its provider", { big: { input: 1, output: 1 } }],
    ["a price below nothing", { "a/b": { input: -1, output: 1 } }],
    ["half a price", { "a/b": { input: 1 } }],
    ["an unknown field", { "a/b": { input: 1, output: 1, inptu: 2 } }],
    ["no object", [1]],
  ])("[H3] %s is 422, and nothing is kept", async (_what, body) => {
    const { ask, acme } = setUp()
    expect((await ask("PUT", "/v1/settings/prices", { body })).status).toBe(422)
    expect(acme.tenant.prices_).toEqual({})
  })
})

describe("a start with a budget", () => {
  async function start(budget: unknown, least: number | null) {
    const all = setUp()
    all.acme.tenant.flow()
    await all.ask("PUT", "/v1/flows/f", { body: "name: f\n" })
    all.acme.tenant.checks.set("f", { valid: true, models: { a: "acme/big" }, proof: { cost: { least, most: 9 } } })
    return all.ask("POST", "/v1/flows/f/runs", { body: { task: "go", budget } })
  }

  test("[F54] below the flow's minimum it is refused with the figures", async () => {
    const r = await start({ usd: 0.01 }, 0.25)
    expect([r.status, r.body["code"]]).toEqual([422, "budget_too_low"])
    expect(r.body["detail"]).toMatch(/0\.25 USD.*at most 9.*0\.01 USD/)
  })

  test("[B3] with a model that has no price, a limit in dollars is refused and names it", async () => {
    const r = await start({ usd: 5 }, null)
    expect([r.status, r.body["code"]]).toEqual([422, "no_price"])
    expect(r.body["detail"]).toContain("acme/big")
  })

  test("[B1] any other budget is refused as not supported yet, never ignored", async () => {
    expect((await start({ usd: 5 }, 0.25)).body["code"]).toBe("unsupported")
    expect((await start({ tokens: 5 }, 0.25)).body["code"]).toBe("unsupported")
    expect((await start({ dollars: 5 }, 0.25)).body["code"]).toBe("invalid")
  })
})
