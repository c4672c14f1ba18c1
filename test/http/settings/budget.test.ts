// Budgets over HTTP [B1, B3, B4]: the budget of a start, models that need a price, and the tenant's daily budget.

import { describe, expect, test } from "vitest"
import { setUp } from "../../support/http/ask.ts"

const PRICES = { "acme/big": { input: 3, output: 15 } }

async function ready(money: object = {}, models: Readonly<Record<string, string>> = { a: "acme/big:high" }) {
  const all = setUp()
  all.acme.catalog.flow()
  const pinned = all.acme.catalog.pinResult
  if (!pinned.ok) throw new Error("no pins")
  all.acme.catalog.pinResult = { ...pinned, pins: { ...pinned.pins, models }, money: { dollars: false, prices: PRICES, ...money } }
  await all.ask("PUT", "/v1/flows/f", { body: "name: f\n" })
  const start = (budget?: unknown) =>
    all.ask("POST", "/v1/flows/f/runs", { body: { task: "go", ...(budget === undefined ? {} : { budget }) } })
  return { ...all, start, request: () => [...all.acme.runs.values()].find((r) => r.request)?.request }
}

describe("a start", () => {
  test("[B1] the run gets its budget and only the prices of its models", async () => {
    const { start, request } = await ready({ prices: { ...PRICES, "acme/other": { input: 1, output: 1 } } })
    expect((await start({ usd: 5, tokens: 100 })).status).toBe(202)
    expect(request()).toMatchObject({ budget: { usd: 5, tokens: 100 }, prices: PRICES })
    expect(Object.keys(request()?.prices ?? {})).toEqual(["acme/big"])
    expect(request()?.daily).toBeUndefined()
  })

  test("[B1] for each unit, the stricter of the flow's and the start's budget applies", async () => {
    const { start, request } = await ready({ budget: { usd: 2, steps: 9 } })
    await start({ usd: 5, tokens: 100 })
    expect(request()?.budget).toEqual({ usd: 2, tokens: 100, steps: 9 })
  })

  test("[B6] a unit that nobody limits has the tenant's default, and none is above the tenant's ceiling", async () => {
    const run = { default: { tokens: 500, tool_calls: 7 }, most: { tokens: 800, steps: 4 } }
    const asked = async (given?: object, own: object = {}) => {
      const { start, request } = await ready({ run, ...own })
      expect((await start(given)).status).toBe(202)
      return request()?.budget
    }
    expect(await asked()).toEqual({ tokens: 500, tool_calls: 7, steps: 4 })
    expect(await asked({ tokens: 600, tool_calls: 0 })).toEqual({ tokens: 600, tool_calls: 0, steps: 4 })
    expect(await asked({ tokens: 900, steps: 2, usd: 1 })).toEqual({ tokens: 800, tool_calls: 7, steps: 2, usd: 1 })
    expect(await asked({ tokens: 700 }, { budget: { tokens: 600, steps: 9 } })).toEqual({ tokens: 600, tool_calls: 7, steps: 4 })
  })

  test("[B6] [B3] a default in dollars needs a price for every model, as any limit in dollars does", async () => {
    const { start } = await ready({ prices: {}, run: { default: { usd: 1 } } })
    expect(await start()).toMatchObject({ status: 422, body: { code: "no_price" } })
  })

  test("[B2] a start with a budget that is too small for anything succeeds, and the run asks", async () => {
    const { start } = await ready()
    expect((await start({ usd: 0.000001 })).status).toBe(202)
  })

  test.each([
    ["dollars", { dollars: 5 }],
    ["a negative limit", { usd: -1 }],
    ["a fraction of a token", { tokens: 1.5 }],
    ["text", "5 dollars"],
    ["null", null],
  ])("[B1] %s is not a budget: 422, and no run starts", async (_what, budget) => {
    const { start, acme } = await ready()
    const r = await start(budget)
    expect([r.status, r.body["code"]]).toEqual([422, "invalid"])
    expect(acme.runs.size).toBe(0)
  })

  test.each([
    ["the start", { usd: 5 }, {}],
    ["the flow", undefined, { budget: { usd: 5 } }],
    ["a step or a child flow", undefined, { dollars: true }],
    ["the tenant's daily budget", undefined, { daily: { usd: 5 } }],
  ])("[B3] a dollar limit of %s and a model without a price are 422, which names the model", async (_who, budget, money) => {
    const { start, acme } = await ready({ ...money, prices: {} })
    const r = await start(budget)
    expect([r.status, r.body["code"]]).toEqual([422, "no_price"])
    expect(r.body["detail"]).toMatch(/price.*acme\/big\b/)
    expect(acme.runs.size).toBe(0)
  })

  test("[B3] without a limit in dollars a model needs no price", async () => {
    const { start } = await ready({ prices: {} })
    expect((await start({ tokens: 100 })).status).toBe(202)
    expect((await start()).status).toBe(202)
  })

  test("[B3] a rehearsal costs nothing and needs no price", async () => {
    const { start } = await ready({ prices: {} }, { a: "rehearsal/default" })
    expect((await start({ usd: 1 })).status).toBe(202)
  })

  test("[B4] a run of a tenant with a daily limit spends from that limit", async () => {
    const { start, request } = await ready({ daily: { tokens: 1000 } })
    await start()
    expect(request()).toMatchObject({ daily: true })
    expect(request()?.budget).toEqual({})
  })
})

describe("the tenant's daily budget", () => {
  test("[B4] it is replaced as a whole and read back, and is empty by default", async () => {
    const { ask } = setUp()
    expect((await ask("GET", "/v1/settings/budget")).body).toEqual({})
    expect((await ask("PUT", "/v1/settings/budget", { body: { usd: 20, tokens: 1_000_000 } })).body).toEqual({ usd: 20, tokens: 1_000_000 })
    expect((await ask("PUT", "/v1/settings/budget", { body: { steps: 5 } })).body).toEqual({ steps: 5 })
    expect((await ask("GET", "/v1/settings/budget")).body).toEqual({ steps: 5 })
  })

  test.each([[{ usd: -1 }], [{ dollars: 1 }], [[1]], [{ tokens: 0.5 }]])(
    "[B4] %j is not a budget: 422, and nothing is stored",
    async (body) => {
      const { ask } = setUp()
      await ask("PUT", "/v1/settings/budget", { body: { steps: 5 } })
      expect((await ask("PUT", "/v1/settings/budget", { body })).status).toBe(422)
      expect((await ask("GET", "/v1/settings/budget")).body).toEqual({ steps: 5 })
    },
  )

  test("[B6] what one run may use is stored with it; a default above its ceiling is refused at its place", async () => {
    const { ask } = setUp()
    const setting = { usd: 5, run: { default: { tokens: 9 }, most: { tokens: 9, steps: 3 } } }
    expect(await ask("PUT", "/v1/settings/budget", { body: setting })).toMatchObject({ status: 200, body: setting })
    const refused = await ask("PUT", "/v1/settings/budget", { body: { run: { default: { tokens: 10 }, most: { tokens: 9 } } } })
    expect(refused).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "/run/default/tokens", message: expect.stringContaining("at most 9") }] },
    })
    const wrong = await ask("PUT", "/v1/settings/budget", { body: { run: { least: {} } } })
    expect(wrong).toMatchObject({ status: 422, body: { errors: [{ pointer: "/run/least" }] } })
    expect((await ask("GET", "/v1/settings/budget")).body).toEqual(setting)
  })
})
