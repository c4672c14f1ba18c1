// GET /v1/flows/{id}/check: what can be proven of a stored flow, over the catalog as it is.

import { describe, expect, test } from "vitest"
import { agent, flow, step, stocked } from "./memory-catalog.ts"

const NONE = { providers: [], roles: {} }

describe("the check of a stored flow", () => {
  test("[F54] how many model calls, at least and at most, its children's among them", async () => {
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

  test("[F52] a model that nobody provides is named, and the rest is proven all the same", async () => {
    const { catalog } = await stocked({
      agents: { "a.md": agent("a", 'model: "@fast"\n') },
      flows: { "f.yaml": flow("f", step("x", "a")) },
    })
    const found = await catalog.check("f", { providers: ["acme"], roles: {} })
    expect([found?.valid, found?.missing.length, found?.proof?.calls.least]).toEqual([true, 1, 1])
    expect(found?.missing[0]).toMatch(/step "x".*fast/)
  })

  test("[F2] a flow that no longer loads shows its diagnostics and no proof; an unknown one is nothing", async () => {
    const { catalog } = await stocked({ agents: { "a.md": agent("a") }, flows: { "f.yaml": flow("f", step("x", "a")) } })
    await catalog.remove("agent", "a")
    const found = await catalog.check("f", NONE)
    expect([found?.valid, found?.proof, found?.diagnostics.map((d) => d.code)]).toEqual([false, undefined, ["FV-AGENT"]])
    expect(await catalog.check("nobody", NONE)).toBeUndefined()
  })
})
