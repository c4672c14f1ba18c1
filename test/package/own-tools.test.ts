// A project's tools, as `createWorker` adds them: beside the shipped ones, wrapped like all, and only before the first look-up.

import { expect, test } from "vitest"
import { defineTool } from "../../src/engine/dialects/define-tool.ts"
import { wrapTool } from "../../src/engine/run/call/tool-hooks.ts"
import { addOwn } from "../../src/tools/added.ts"
import { specsFor, toolboxFor, toolNames } from "../../src/tools/toolbox.ts"

const orders = defineTool({ name: "orders.count", description: "d", execute: async () => ({ content: [{ type: "text", text: "7" }] }) })

test("[T2] tools of a project's Worker join wherever command lines run, and its hook is around every tool", () => {
  const wrapped: string[] = []
  addOwn({
    tools: [orders],
    around: (tool) => {
      wrapped.push(tool.name)
      return wrapTool(tool, {})
    },
  })
  expect(toolNames()).toContain("orders.count")
  for (const shell of ["worker", "sealed", "open"] as const) {
    expect(specsFor(shell).has("orders.count")).toBe(true)
    expect(toolboxFor(shell).has("orders.count")).toBe(true)
  }
  expect(wrapped).toEqual(expect.arrayContaining(["orders.count", "read", "process.start"]))
  expect(() => addOwn({})).toThrow("call it once, at the top of src/index.ts")
})
