// What a run pins beyond its own flow: the flows it runs as children, and handlers as they run [F23b] [F24] [F72].

import { describe, expect, test } from "vitest"
import { decode } from "../../../src/engine/catalog/catalog-bodies.ts"
import { sha256 } from "../../../src/engine/sha256.ts"
import type { Bundle, PinResult } from "../../../src/ports/tenant/catalog.ts"
import { agent, flow, step, stocked } from "../../support/engine/memory-catalog.ts"

const NONE = { providers: [], roles: {} }
const LIVE = { rehearse: false }

async function pinned(bundle: Bundle) {
  const w = await stocked(bundle)
  return { ...w, result: await w.catalog.pins.pin({ flow: "f" }, NONE, LIVE) }
}
function good(result: PinResult) {
  if (!result.ok) throw new Error(JSON.stringify(result))
  return result.pins
}
const ref = (id: string, to: string) => `  - { id: ${id}, type: flow-ref, flow: ${to} }\n`
const map = (id: string, to: string) => `  - { id: ${id}, type: map, over: "\${{flow.input.list}}", do: ${to} }\n`
const LIST = "inputs:\n  list: { type: array, required: true }\n"

describe("children", () => {
  const bundle: Bundle = {
    agents: { "a.md": agent("a"), "b.md": agent("b", "tools: read\nskills: s\n"), "c.md": agent("c") },
    skills: { "s/SKILL.md": "---\nname: s\ndescription: d\n---\nX\n" },
    flows: {
      "f.yaml": flow("f", step("x", "a") + ref("one", "kid") + map("many", "deep:kid"), LIST),
      "kid.yaml": flow("kid", step("x", "b")),
      "kid.rehearsal.yaml": "steps: {}\n",
      "deep/kid.yaml": flow("deepkid", step("x", "c") + ref("again", "kid")),
    },
  }

  test("[F23b] a run pins the flows below it, each once, with their agents, skills, models and rehearsals", async () => {
    const { result, rows } = await pinned(bundle)
    const hash = (path: string) => rows.files().find((f) => f.path === path)?.hash
    const pins = good(result)
    expect(pins.flows).toEqual({ kid: hash("flows/kid.yaml"), "deep:kid": hash("flows/deep/kid.yaml") })
    expect(pins.rehearsals).toEqual({ kid: hash("flows/kid.rehearsal.yaml") })
    expect(Object.keys(pins.agents).sort()).toEqual(["a", "b", "c"])
    expect([Object.keys(pins.skills), Object.keys(pins.models).sort()]).toEqual([["s"], ["a", "b", "c"]])
  })

  test("[F23b] a flow without child flows pins none", async () => {
    const { result } = await pinned({ agents: { "a.md": agent("a") }, flows: { "f.yaml": flow("f", step("x", "a")) } })
    expect(good(result)).not.toHaveProperty("flows")
    expect(good(result)).not.toHaveProperty("code")
  })

  test("[F30] a child that is missing or does not load is reported before the run exists", async () => {
    const { catalog } = await pinned(bundle)
    await catalog.remove("agent", "c")
    expect(await catalog.pins.pin({ flow: "f" }, NONE, LIVE)).toMatchObject({
      ok: false,
      step: "many",
      message: expect.stringContaining('"c"'),
    })
    await catalog.remove("flow", "deep:kid")
    expect(await catalog.pins.pin({ flow: "f" }, NONE, LIVE)).toMatchObject({
      ok: false,
      code: "invalid_flow",
      message: expect.stringContaining("deep:kid"),
    })
  })

  test("[F54a] a write of a flow that names no flow is refused, and one whose child comes with it is not", async () => {
    const { catalog } = await stocked({ agents: { "a.md": agent("a") } })
    const parent = flow("f", ref("one", "kid"))
    expect(await catalog.put("flow", "flows/f.yaml", parent)).toMatchObject({ written: false, diagnostics: [{ code: "FV-FLOW" }] })
    expect(await catalog.replace({ flows: { "f.yaml": parent, "kid.yaml": flow("kid", step("x", "a")) } })).toMatchObject({ ok: true })
  })

  test("[F52] steps of two flows may have the same name with different models", async () => {
    const asks = (model: string) => `  - { id: x, type: agent, agent: a, model: ${model} }\n`
    const { catalog } = await stocked({
      agents: { "a.md": agent("a") },
      flows: { "f.yaml": flow("f", asks("p/one") + ref("one", "kid")), "kid.yaml": flow("kid", asks("p/two")) },
    })
    const pins = good(await catalog.pins.pin({ flow: "f" }, { providers: ["p"], roles: {} }, LIVE))
    expect(pins.models).toEqual({ "a@x": "p/one", "a@kid/x": "p/two" })
  })
})

describe("handlers", () => {
  const flows = { "f.yaml": flow("f", "  - { id: sum, type: code, outputs: [n] }\n") }

  test("[F24] a handler is pinned as it runs: without its types, by that text's hash", async () => {
    const { result, blobs } = await pinned({ flows, code: { "f/sum.ts": "export default (x: object): { n: number } => ({ n: 1 })\n" } })
    const hash = good(result).code?.["code/f/sum.js"] ?? ""
    const body = await blobs.get(hash)
    const text = (body && decode(body)) ?? ""
    expect(text).toMatch(/^export default \(x\s*\)\s*=> \(\{ n: 1 \}\)\n$/)
    expect(await sha256(text)).toBe(hash)
  })

  test("[F24] a missing handler is a failure of its step; a child's handlers are pinned too", async () => {
    const { result } = await pinned({ flows })
    expect(good(result)).not.toHaveProperty("code")
    const below = await pinned({
      flows: { "f.yaml": flow("f", ref("one", "kid")), "kid.yaml": flows["f.yaml"].replace("name: f", "name: kid") },
      code: { "kid/sum.js": "export default () => ({ n: 1 })\n" },
    })
    expect(Object.keys(good(below.result).code ?? {})).toEqual(["code/kid/sum.js"])
  })

  test("[F24] the flow's check knows whether its handlers are stored", async () => {
    const { catalog } = await stocked({ flows })
    const codes = async () => (await catalog.read("flow", "f"))?.diagnostics.map((d) => d.code)
    expect(await codes()).toContain("FV-CODE-HANDLER")
    await catalog.put("code", "code/f/sum.ts", "export default () => ({ n: 1 })\n")
    expect(await codes()).not.toContain("FV-CODE-HANDLER")
  })

  test("[F24] a handler that no longer matches its step is reported, whichever was written last", async () => {
    const handler = "interface Output { m: number }\nexport default (): Output => ({ m: 1 })\n"
    const { catalog } = await stocked({ flows, code: { "f/sum.ts": handler } })
    const codes = async () => (await catalog.read("code", "f/sum"))?.diagnostics.map((d) => d.code)
    expect(await codes()).toContain("FV-DRIFT")
    await catalog.put("flow", "flows/f.yaml", flow("f", "  - { id: sum, type: code, outputs: [m] }\n"))
    expect(await codes()).toEqual([])
  })
})
