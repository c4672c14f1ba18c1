// GET /v1/flows/{id}/check: what can be proven about a stored flow in the current catalog.

import { priceBook } from "../../../../src/core/money/prices.ts"
import { describe, expect, test } from "vitest"
import { agent, flow, step, stocked } from "../../../support/engine/memory-catalog.ts"

const NONE = { providers: [], roles: {} }

describe("the check of a stored flow", () => {
  test("[F54b] how many model calls, at least and at most, its children's among them", async () => {
    const agents = { "a.md": agent("a", "tools: read\nmax_turns: 5\n") }
    const flows = {
      "f.yaml": flow("f", `${step("x", "a")}  - { id: r, type: flow-ref, flow: child }\n`),
      "child.yaml": flow("child", step("y", "a")),
    }
    const { catalog } = await stocked({ agents, flows })
    const found = await catalog.check("f", NONE)
    expect([found?.valid, found?.proof?.terminates, found?.proof?.calls]).toEqual([true, true, { least: 2, most: 10 }])
    expect(found?.models).toEqual({ a: "rehearsal/default" })
    expect(found?.proof?.cost).toEqual({ least: null, most: null })
  })

  test("[B3] with prices it says what the flow costs at least and at most; a thinking level changes no price", async () => {
    const agents = { "a.md": agent("a", "tools: read\nmax_turns: 2\nmodel: acme/big:high\n") }
    const { catalog } = await stocked({ agents, flows: { "f.yaml": flow("f", step("x", "a")) } })
    const found = await catalog.check("f", { providers: ["acme"], roles: {} }, priceBook({ "acme/big": { input: 3, output: 15 } }, {}))
    const { least = 0, most = 0 } = found?.proof?.cost ?? {}
    expect(Number(least)).toBeGreaterThan(0)
    expect(Number(most)).toBeCloseTo(2 * ((200_000 * 3) / 1e6 + (4_096 * 15) / 1e6), 6)
  })

  test("[F52] a model without a provider is named, and the rest is still proven", async () => {
    const { catalog } = await stocked({
      agents: { "a.md": agent("a", 'model: "@fast"\n') },
      flows: { "f.yaml": flow("f", step("x", "a")) },
    })
    const found = await catalog.check("f", { providers: ["acme"], roles: {} })
    expect([found?.valid, found?.missing.length, found?.proof?.calls.least]).toEqual([true, 1, 1])
    expect(found?.missing[0]).toMatch(/step "x".*fast/)
  })

  test("[F2] a flow that no longer loads shows its diagnostics and no proof; an unknown flow is undefined", async () => {
    const { catalog } = await stocked({ agents: { "a.md": agent("a") }, flows: { "f.yaml": flow("f", step("x", "a")) } })
    await catalog.remove("agent", "a")
    const found = await catalog.check("f", NONE)
    expect([found?.valid, found?.proof, found?.diagnostics.map((d) => d.code)]).toEqual([false, undefined, ["FV-AGENT"]])
    expect(await catalog.check("nobody", NONE)).toBeUndefined()
  })
})
