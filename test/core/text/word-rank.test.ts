// BM25 over names and descriptions.

import { describe, expect, test } from "vitest"
import { MAX_QUERY_WORDS, rank, ranked } from "../../../src/core/text/word-rank.ts"

const TEXTS = [
  ranked("createInvoice", "Creates a draft for a customer."),
  ranked("list_customers", "Lists everyone who has bought something."),
  ranked("refunds.create", "Gives money back for a charge."),
  ranked("getWeather", "The weather of a city, not of an invoice."),
  ranked("請求書作成", "顧客の請求書を作る"),
]

describe("a search among short texts", () => {
  test.each([
    ["invoices", [0, 3]],
    ["creating an invoice", [0, 2, 3]],
    ["refund a charge", [2]],
    ["customer", [1, 0]],
    ["請求書", [4]],
    ["nothing of this kind", []],
    ["", []],
  ])("[T8] %j finds the best fit first", (query, expected) => {
    const found = rank(TEXTS, query)
    expect(found.slice(0, expected.length)).toEqual(expected)
    expect(found.length === 0).toBe(expected.length === 0)
  })

  test("[T8] at most MAX_QUERY_WORDS words count", () => {
    const noise = Array.from({ length: MAX_QUERY_WORDS }, (_, i) => `w${i}`).join(" ")
    expect(rank(TEXTS, `${noise} weather`)).toEqual([])
    expect(rank(TEXTS, `weather ${noise}`)).toEqual([3])
  })

  test("[T8] words of JavaScript's own objects are words like others", () => {
    const odd = [ranked("toString", "constructor __proto__"), ranked("other", "hasOwnProperty valueOf")]
    expect(rank(odd, "constructor")).toEqual([0])
    expect(rank(odd, "hasOwnProperty")[0]).toBe(1)
  })
})
