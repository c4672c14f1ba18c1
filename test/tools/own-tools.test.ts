// A host's own tools and hooks, as in src/tools/own.ts: next to the shipped tools, and around all of them.

import { describe, expect, test, vi } from "vitest"
import { fromFlowai } from "../../src/engine/dialects/flowai.ts"
import { fromFlynn } from "../../src/engine/dialects/flynn.ts"
import { wrapTool } from "../../src/engine/run/call/tool-hooks.ts"
import type { McpPeer } from "../../src/ports/mcp.ts"
import type { Tool } from "../../src/ports/tool.ts"
import { toolOf } from "../../src/tools/registered/registered-tool.ts"
import { SPECS, specsFor, toolsByName, toolsFor } from "../../src/tools/toolbox.ts"
import { execute, NO_SKILLS, said, ToolBench } from "../support/engine/tool-bench.ts"

const called = vi.hoisted((): string[] => [])
vi.mock(import("../../src/tools/own.ts"), () => ({
  OWN_TOOLS: [
    fromFlynn({
      name: "invoices.open",
      description: "Counts open invoices.",
      inputSchema: { type: "object", properties: { year: { type: "integer" } }, required: ["year"] },
      execute: async ({ year }) => ({ success: year !== 0, output: `${String(year)}: 3`, error: "no such year" }),
    }),
    fromFlowai({ name: "orders_count", input_schema: { shop: "str" }, handler: async () => ({ count: 7 }) }),
  ],
  around: (tool: Tool): Tool =>
    wrapTool(tool, {
      before: (call) => {
        called.push(call.tool.name)
        return { block: call.tool.name === "bash", reason: "closed on Sundays" }
      },
    }),
}))

describe("the host's own tools", () => {
  test("[T2] tools of either dialect join the shipped tools, wherever command lines run", async () => {
    for (const shell of ["worker", "sealed", "open"] as const)
      expect([...specsFor(shell).keys()]).toEqual(expect.arrayContaining(["invoices.open", "orders_count"]))
    const bench = new ToolBench()
    expect(said(await bench.call("invoices.open", { year: "2026" }))).toBe("2026: 3")
    expect(said(await bench.call("invoices.open", { year: 0 }))).toBe("ERROR no such year")
    expect(said(await bench.call("orders_count", { shop: "a" }))).toBe('{"count":7}')
  })

  test("[T2] a name clash with a shipped tool is found when the Worker starts", () => {
    const own = fromFlynn({
      name: "read",
      description: "d",
      inputSchema: { type: "object" },
      execute: async () => ({ success: true, output: "" }),
    })
    expect(() => toolsByName([...SPECS.values(), own])).toThrow('two tools are called "read"')
  })
})

describe("host hooks", () => {
  test("[T2] wrap the shipped tools, a sandbox's shell and a tenant's tool alike", async () => {
    called.length = 0
    const bench = await ToolBench.holding({ "a.txt": "hello" })
    expect(said(await bench.call("read", { path: "a.txt" }))).toBe("hello")
    expect(said(await bench.call("bash", { command: "echo hi" }))).toBe("ERROR closed on Sundays")

    const none = (): Promise<never> => Promise.reject(new Error("not here"))
    const peer: McpPeer = { list: none, call: none }
    const powers = {
      workspace: { stat: none, read: none, list: none, survey: none, named: () => {}, write: none, remove: none, refusal: () => undefined },
      skills: NO_SKILLS,
    }
    const sandboxed = toolsByName(toolsFor("sealed")).get("bash")
    if (!sandboxed) throw new Error("no bash")
    expect(said(await execute(sandboxed, { command: "echo hi" }, powers))).toBe("ERROR closed on Sundays")
    const parameters = { type: "object", properties: {} }
    const mine = toolOf(
      { kind: "http", name: "mine", description: "d", parameters, request: { method: "GET", url: "https://e.com/" } },
      peer,
    )
    await execute(mine, {}, powers)
    expect(called).toEqual(["read", "bash", "bash", "mine"])
  })
})
