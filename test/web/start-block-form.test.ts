import { describe, expect, it } from "vitest"
import { asText, blockFrom, fieldsFrom, isEmptyBlock, NO_BLOCK } from "../../web/start/block-form.ts"
import type { JsonObject } from "../../src/core/json.ts"

describe("a start block as a form", () => {
  it.each([
    { concurrency: { key: "a", limit: 2, overlap: "skip" }, throttle: { key: "a", limit: 60, period: "1h" } },
    { debounce: { period: "20s", key: "${{trigger.body.ticket}}" }, priority: "low", delay: "5m", expires: "1d" },
    { concurrency: { key: "deploy" } },
    { throttle: { limit: 1, period: "1m" } },
  ] satisfies JsonObject[])("[R23] says in its fields what it was filled with: %j", (block) => {
    const fields = fieldsFrom(block)
    expect(fields.text).toBeUndefined()
    expect(blockFrom(fields)).toEqual(block)
  })

  it.each([
    { batch: { size: 50, timeout: "5m", into: "items" } },
    { debounce: { period: "20s", timeout: "1m" } },
    { concurrency: { key: "a" }, throttle: { key: "b", limit: 1, period: "1m" } },
    { concurrency: {} },
    { throttle: { limit: 1, period: 60_000 } },
  ] satisfies JsonObject[])("[R23] keeps as text what its fields would change: %j", (block) => {
    const fields = fieldsFrom(block)
    expect(fields.text).toBeDefined()
    expect(blockFrom(fields)).toEqual(block)
  })

  it("[R23] says nothing when it is empty, and sends what is wrong for the server to tell", () => {
    expect(blockFrom(NO_BLOCK)).toBeUndefined()
    expect(blockFrom(asText(undefined))).toBeUndefined()
    expect(isEmptyBlock(NO_BLOCK)).toBe(true)
    expect(isEmptyBlock(asText({ priority: "low" }))).toBe(false)
    expect(blockFrom({ ...NO_BLOCK, limit: "many" })).toEqual({ concurrency: { limit: "many" } })
    expect(blockFrom({ ...NO_BLOCK, text: "[1]" })).toBeNull()
    expect(blockFrom({ ...NO_BLOCK, text: "{" })).toBeNull()
  })
})
