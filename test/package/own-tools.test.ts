// A project's tools, as `createWorker` adds them: beside the shipped ones, wrapped like all, and only before the first look-up.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { definedNames, toolsOf } from "../../cli/project/own-tools.ts"
import { sluice } from "./sluice.ts"
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

const FLOW = (tool: string): string => `name: f\ndescription: d\nsteps:\n  - { id: a, type: tool, tool: ${tool} }\n`
const WORKER = `import { createWorker } from "sluice/worker"
import { stamp } from "../tools/stamp.ts"
import missing from "a-package-that-is-not-installed"
export default createWorker({ tools: [stamp, missing] })
`
const STAMP = `import { defineTool as tool } from "sluice/tools"
export const stamp = tool<{ readonly at: string }>({ name: "stamp", description: "d", execute: async () => ({ content: [] }) })
`

async function project(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "sluice-own-tools-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries({ "sluice.yaml": "name: t\n", ...files })) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
    await writeFile(path.join(folder, name), text)
  }
  return folder
}

test("[T2] a tool that src/index.ts defines in a file of the project need not be named in sluice.yaml", async () => {
  const folder = await project({ "src/index.ts": WORKER, "tools/stamp.ts": STAMP, "flows/f.yaml": FLOW("stamp") })
  expect(await toolsOf(folder, ["other"])).toEqual(["other", "stamp"])
  const { code, out } = await sluice(["validate"], { cwd: folder })
  expect([code, out]).toEqual([0, expect.not.stringContaining("stamp")])
})

test("[T2] a tool that nothing brings is an error that says what could", async () => {
  const folder = await project({ "src/index.ts": WORKER, "tools/stamp.ts": STAMP, "flows/f.yaml": FLOW("seal_it_with_wax") })
  const { code, out } = await sluice(["validate"], { cwd: folder })
  expect(code).not.toBe(0)
  expect(out).toContain("defineTool in src/index.ts")
})

test("[T2] a Worker that does not build brings nothing, and a name that only the program knows is not found", async () => {
  expect(await toolsOf(await project({ "src/index.ts": "import {" }))).toEqual([])
  expect(await toolsOf(await project({}))).toEqual([])
  const FROM = 'import { defineTool } from "sluice/tools"\n'
  expect(definedNames(`${FROM}const n = "a"\ndefineTool({ name: n })\nlist.map((name) => defineTool({ name }))`)).toEqual([])
  expect(definedNames('import { defineTool } from "elsewhere"\ndefineTool({ name: "a" })')).toEqual([])
  expect(definedNames(`${FROM}export default [defineTool({ "name": "a" }), wrap(defineTool({ label: "b", name: "c" }))]`)).toEqual([
    "a",
    "c",
  ])
})
