// Registered tools and runs: agents name them, runs pin them, definitions bring them back.

import { describe, expect, test } from "vitest"
import { canonical } from "../../../src/core/json.ts"
import type { HttpToolDef } from "../../../src/core/tool/tool-def.ts"
import { Catalog } from "../../../src/engine/catalog/catalog.ts"
import { encode } from "../../../src/engine/catalog/catalog-bodies.ts"
import { loadDefinitions } from "../../../src/engine/catalog/definitions.ts"
import { inTurn } from "../../../src/engine/in-turn.ts"
import { MemoryBlobs } from "../../../src/engine/run/memory-store.ts"
import { specOf, type Registered } from "../../../src/engine/catalog/registered-tools.ts"
import { agent, BUILTINS, flow, MemoryRows, step, TOOLS } from "../../support/engine/memory-catalog.ts"

const def = (name: string, description = "d"): HttpToolDef => ({
  kind: "http",
  name,
  description,
  parameters: { type: "object" },
  request: { method: "GET", url: "https://e.com/" },
})

async function stand(names: readonly string[]) {
  const blobs = new MemoryBlobs()
  let registered: readonly Registered[] = []
  const register = async (...defs: readonly HttpToolDef[]): Promise<void> => {
    registered = await Promise.all(defs.map(async (d) => ({ name: d.name, hash: await blobs.put(encode(canonical(d))) })))
  }
  await register(...names.map((name) => def(name)))
  const catalog = new Catalog({
    store: new MemoryRows(),
    blobs,
    builtins: BUILTINS,
    tools: TOOLS,
    registered: () => registered,
    inTurn: inTurn(),
  })
  const pinned = async (tools: string) => {
    await catalog.replace({
      agents: { "a.md": agent("a", tools), "other.md": agent("other", "tools: note\n") },
      flows: { "f.yaml": flow("f", step("x", "a")) },
    })
    const result = await catalog.pins.pin({ flow: "f" }, { providers: [], roles: {} }, { rehearse: true })
    return result.ok ? result.pins : result
  }
  return { blobs, catalog, register, pinned, registered: () => registered }
}

describe("tools an agent may name", () => {
  test("[T26] a registered tool is known while it is registered", async () => {
    const { catalog, register } = await stand(["note"])
    const errors = async () =>
      (await catalog.validate("agent", agent("b", "tools: note\n"), "agents/b.md")).filter((d) => d.severity === "error").map((d) => d.code)
    expect(await errors()).toEqual([])
    await register()
    expect(await errors()).toEqual(["AV-TOOL"])
  })

  test("[T27] a glob without a match stays valid, with a warning", async () => {
    const { catalog } = await stand(["note"])
    const said = async (tools: string) =>
      (await catalog.validate("agent", agent("b", `tools: ["${tools}"]\n`), "agents/b.md")).map((d) => [d.code, d.severity])
    expect(await said("no*")).toEqual([])
    expect(await said("mcp:files:*")).toEqual([["AV-TOOL", "warning"]])
  })
})

describe("tools a run pins", () => {
  test.each([
    ["tools: note\n", ["note"]],
    ['tools: ["pets.*", read]\n', ["pets.get", "pets.put"]],
    ["denied_tools: pets.put\n", ["note", "pets.get"]],
    ["tools: read\n", undefined],
  ])("[T26] %s", async (tools, names) => {
    const { pinned } = await stand(["note", "pets.get", "pets.put"])
    const pins = await pinned(tools)
    if (!("agents" in pins)) throw new Error(JSON.stringify(pins))
    expect(pins.tools && Object.keys(pins.tools)).toEqual(names)
  })

  test("[F72] a run keeps the definition it pinned, whatever is registered since", async () => {
    const { pinned, blobs, register } = await stand(["note"])
    const pins = await pinned("tools: note\n")
    if (!("agents" in pins)) throw new Error(JSON.stringify(pins))
    await register(def("note", "another"))
    const { tools } = await loadDefinitions(pins, blobs)
    expect(tools.map((d) => specOf(d))).toMatchObject([{ name: "note", description: "d", untrusted: true }])
    const later = await pinned("tools: note\n")
    if (!("agents" in later)) throw new Error(JSON.stringify(later))
    expect((await loadDefinitions(later, blobs)).tools).toMatchObject([{ description: "another" }])
  })

  test("[F72] a missing definition fails the load and is named", async () => {
    const { pinned, blobs } = await stand(["note"])
    const pins = await pinned("tools: note\n")
    if (!("agents" in pins)) throw new Error(JSON.stringify(pins))
    await expect(loadDefinitions({ ...pins, tools: { note: "0".repeat(64) } }, blobs)).rejects.toThrow(/the tool "note"/)
  })
})
