// Prices of models [B3]: by the kind of the provider, with the nearest relative's price where no list names the model.

import { describe, expect, test } from "vitest"
import { Price } from "../../../src/core/money/amount.ts"
import { contextWindow } from "../../../src/core/money/context-window.ts"
import { LIST_DATE, LIST_PRICES } from "../../../src/core/money/list-prices.ts"
import { modelName } from "../../../src/core/money/model-name.ts"
import { listPrice, priceBook, pricesOf } from "../../../src/core/money/prices.ts"

const OPUS = { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 }

describe("the shipped list", () => {
  test("[B3] every entry is a price, and the list says of which day it is", () => {
    expect(LIST_DATE).toMatch(/^20\d\d-\d\d-\d\d$/)
    for (const table of Object.values(LIST_PRICES)) {
      expect(Object.keys(table).length).toBeGreaterThan(10)
      for (const [id, { window = 1, ...price }] of Object.entries(table)) {
        expect(Price.safeParse(price).success, id).toBe(true)
        expect(price.input, id).toBeGreaterThan(0)
        expect(window, id).toBeGreaterThan(0)
      }
    }
  })

  test("[B3] every listed model has a price under every kind that sells it", () => {
    for (const [kind, table] of [
      ["anthropic", "anthropic"],
      ["openai", "openai"],
      ["workers-ai", "workers-ai"],
      ["openai-compatible", "others"],
    ] as const)
      for (const id of Object.keys(LIST_PRICES[table])) expect(listPrice(kind, id), `${kind} ${id}`).not.toHaveProperty("estimated")
  })

  test("[B3] an exact name has its list price with its cache prices, without a mark", () => {
    expect(listPrice("anthropic", "claude-opus-4-8")).toEqual(OPUS)
    expect(listPrice("openai", "gpt-5-mini")).toEqual({ input: 0.25, output: 2, cacheRead: 0.025 })
  })
})

describe("names that no list has", () => {
  const estimate = (kind: string, id: string): unknown => listPrice(kind, id)

  test("[B3] models of November 2026 get the price of their family's newest listed version, marked as estimated", () => {
    for (const id of ["claude-opus-5-5", "claude-opus-6-20261101", "claude-opus-latest"])
      expect(estimate("anthropic", id), id).toEqual({ ...OPUS, estimated: true })
    expect(estimate("anthropic", "claude-sonnet-5-5")).toMatchObject({ input: 2, output: 10, estimated: true })
    expect(estimate("anthropic", "claude-haiku-5-5")).toMatchObject({ input: 1, output: 5, estimated: true })
    expect(estimate("openai", "gpt-6-luna")).toMatchObject({ input: 1, output: 6, estimated: true })
    expect(estimate("openai", "gpt-6.1-terra")).toMatchObject({ input: 2.5, output: 15, estimated: true })
    expect(estimate("openai", "gpt-6-astra")).toMatchObject({ input: 5, output: 30, estimated: true })
    expect(estimate("openai-compatible", "gemini-4-pro")).toMatchObject({ input: 2, output: 12, estimated: true })
  })

  test("[B3] a word that no family has gets the dearest relative, because a budget must hold", () => {
    expect(estimate("anthropic", "claude-unheard-of-7")).toMatchObject({ input: 10, output: 50, estimated: true })
  })

  test("[B3] gateways and clouds write a listed model in their own way", () => {
    for (const id of [
      "anthropic/claude-opus-4.8",
      "us.anthropic.claude-opus-4-8-20260528-v1:0",
      "anthropic.claude-opus-4-8-v1:0",
      "claude-opus-4-8@20260528",
      "Claude-Opus-4-8",
      "anthropic/claude-opus-4.8:free",
    ])
      for (const kind of ["anthropic", "openai", "openai-compatible"])
        expect(estimate(kind, id), `${kind} ${id}`).toEqual({ ...OPUS, estimated: true })
    expect(estimate("openai", "gpt-5-mini-2025-08-07")).toMatchObject({ input: 0.25, output: 2 })
  })

  test("[B3] a name without relatives has no price, and a kind that pays nobody has none", () => {
    for (const id of ["my-own-model", "constructor", "__proto__", "", "70b", "-", "2026-01-01"])
      for (const kind of ["anthropic", "openai", "openai-compatible", "workers-ai"])
        expect(estimate(kind, id), `${kind} ${id}`).toBeUndefined()
    expect(estimate("scripted", "claude-opus-4-8")).toBeUndefined()
    expect(estimate("constructor", "claude-opus-4-8")).toBeUndefined()
  })

  test("[B3] a long name takes no longer than a short one", () => {
    expect(modelName("a-1".repeat(100_000)).plain.length).toBeLessThan(300)
  })
})

describe("a tenant's prices", () => {
  const kinds = { mine: "anthropic", gateway: "openai-compatible", script: "scripted" }

  test("[B3] a provider's kind decides, not its name", () => {
    const book = priceBook({}, kinds)
    expect(book("mine/claude-opus-4-8:high")).toEqual(OPUS)
    expect(book("gateway/anthropic/claude-opus-4.8")).toEqual({ ...OPUS, estimated: true })
    expect(book("script/claude-opus-4-8")).toBeUndefined()
    expect(book("anthropic/claude-opus-4-8")).toBeUndefined()
    expect(book("constructor/claude-opus-4-8")).toBeUndefined()
  })

  test("[B3] the tenant's own price comes first: of the model, then of the provider's other models", () => {
    const own = { "mine/claude-opus-4-8": { input: 1, output: 2 }, "mine/*": { input: 3, output: 4 }, "script/*": { input: 0, output: 0 } }
    const book = priceBook(own, kinds)
    expect(book("mine/claude-opus-4-8:max")).toEqual({ input: 1, output: 2 })
    expect(book("mine/anything")).toEqual({ input: 3, output: 4 })
    expect(book("script/a")).toEqual({ input: 0, output: 0 })
    expect(pricesOf(book, ["mine/x:high", "mine/x", "rehearsal/default"])).toEqual({ "mine/x": { input: 3, output: 4 } })
  })
})

test("[J23] a model's window is that of its family, whatever its provider is called, and ends where the price rises", () => {
  expect(contextWindow("anthropic/claude-haiku-4-5:high")).toBe(200_000)
  expect(contextWindow("mine/claude-opus-5-5")).toBe(1_000_000)
  expect(contextWindow("gateway/anthropic/claude-opus-4.8")).toBe(1_000_000)
  expect(contextWindow("openai/gpt-5.5")).toBe(272_000)
  expect(contextWindow("script/a")).toBe(128_000)
})
