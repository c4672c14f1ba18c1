import { describe, expect, test } from "vitest"
import { loadDefinitions } from "../../../../src/engine/catalog/definitions.ts"
import { providerNameFault, resolveModel } from "../../../../src/engine/catalog/pin/model-choice.ts"
import { sha256 } from "../../../../src/engine/sha256.ts"
import { currentSkills, skillLibrary } from "../../../../src/engine/catalog/skill-library.ts"
import type { Bundle, PinResult } from "../../../../src/ports/tenant/catalog.ts"
import { BUILTINS, agent, flow, step, stocked, world } from "../../../support/engine/memory-catalog.ts"

const NONE = { providers: [], roles: {} }
const LIVE = { rehearse: false }

async function pinned(
  bundle: Bundle,
  target: { flow: string } | { agent: string } = { flow: "f" },
  settings: Parameters<typeof resolveModel>[2] = NONE,
  options = LIVE,
) {
  const w = await stocked(bundle)
  return { ...w, result: await w.catalog.pins.pin(target, settings, options) }
}

function good(result: PinResult) {
  if (!result.ok) throw new Error(JSON.stringify(result))
  return result
}

describe("what is pinned", () => {
  const bundle: Bundle = {
    agents: { "a.md": agent("a", "tools: read\nskills: docs\n"), "b.md": agent("b"), "unused.md": agent("unused") },
    skills: {
      "docs/SKILL.md": "---\nname: docs\ndescription: d\nfiles:\n  - api.md\n  - missing.md\n---\nINDEX\n",
      "docs/api.md": "API",
      "docs/secret.md": "SECRET",
    },
    flows: {
      "f.yaml": flow("f", step("x", "a") + step("y", "b", ", blockedBy: x")),
      "f.rehearsal.yaml": "steps:\n  x:\n    - finish: { status: complete, summary: ok }\n",
    },
  }

  test("[F72] a run pins the hash of each file it uses, and no others", async () => {
    const { result, rows } = await pinned(bundle)
    const hash = (path: string) => rows.files().find((f) => f.path === path)?.hash
    const { pins, rehearsed } = good(result)
    expect(pins).toEqual({
      revision: 1,
      flow: { id: "f", hash: hash("flows/f.yaml") },
      agents: { a: hash("agents/a.md"), b: hash("agents/b.md") },
      skills: { docs: { "SKILL.md": hash("skills/docs/SKILL.md"), "api.md": hash("skills/docs/api.md") } },
      rehearsal: hash("flows/f.rehearsal.yaml"),
      models: { a: "rehearsal/default", b: "rehearsal/default" },
    })
    expect(rehearsed).toBe(true)
  })

  test("[F72] a later write does not change what was pinned", async () => {
    const { result, catalog, blobs } = await pinned(bundle)
    const { pins } = good(result)
    await catalog.put("agent", "agents/b.md", agent("b", "tools: grep\n", "NEW ${{task}}"))
    await catalog.remove("flow", "f")
    const loaded = await loadDefinitions(pins, blobs)
    expect([loaded.flow.id, loaded.agents["b"]?.tools]).toEqual(["f", { kind: "list", names: ["read"] }])
    const again = await catalog.pins.pin({ agent: "b" }, NONE, LIVE)
    expect(good(again).pins.agents["b"]).not.toBe(pins.agents["b"])
  })

  test("[F72] built-ins are stored too, so a run outlives the bundle that started it", async () => {
    const { catalog, blobs } = world()
    const { pins } = good(await catalog.pins.pin({ flow: "hello" }, NONE, LIVE))
    for (const hash of [pins.flow.hash, pins.agents["flow-architect"] ?? "", pins.rehearsal ?? ""])
      expect(await blobs.get(hash)).toBeDefined()
    const puts = blobs.puts
    await catalog.pins.pin({ flow: "hello" }, NONE, LIVE)
    expect(blobs.puts).toBe(puts)
    expect((await loadDefinitions(pins, blobs)).rehearsal?.steps.get("greet")).toHaveLength(1)
  })

  test("[M3] a local flow does not inherit the rehearsal of the built-in flow it hides", async () => {
    const { result } = await pinned({ flows: { "hello.yaml": flow("hello", step("greet", "flow-decision")) } }, { flow: "hello" })
    expect(good(result).pins.rehearsal).toBeUndefined()
  })

  test("[F21] a fork without an agent pins the built-in flow-decision when no person is asked", async () => {
    const fork = "  - { id: q, type: fork, question: which?, options: [l, r], branches: { l: x, r: y } }\n"
    const join = "  - { id: join, type: conditional, check: x.summary, present: z, absent: z }\n"
    const steps = `${fork}${step("x", "a", ", on_complete: join")}${fork.replace("id: q", "id: again").replace("l: x, r: y", "l: y, r: z")}${step("y", "a")}${join}${step("z", "a")}`
    const { result, catalog } = await pinned({ agents: { "a.md": agent("a") }, flows: { "f.yaml": flow("f", steps) } })
    expect([Object.keys(good(result).pins.agents), good(result).flow.autonomous]).toEqual([["a"], false])
    const alone = good(await catalog.pins.pin({ flow: "f" }, NONE, { rehearse: false, autonomous: true }))
    expect(Object.keys(alone.pins.agents).sort()).toEqual(["a", "flow-decision"])
    expect(alone.pins.models).toEqual({ a: "rehearsal/default", "flow-decision": "rehearsal/default" })
  })

  test("[F40] the face of the flow is what a start is checked against", async () => {
    const head =
      "task_required: true\ntask_prompt: What shall be done?\ninputs:\n  topic: { type: string, required: true, description: about }\n"
    const { result } = await pinned({ agents: { "a.md": agent("a") }, flows: { "f.yaml": flow("f", step("x", "a"), head) } })
    expect(good(result).flow).toEqual({
      id: "f",
      autonomous: true,
      task_required: true,
      task_prompt: "What shall be done?",
      inputs: { topic: { type: "string", required: true, description: "about" } },
    })
  })

  test("[F72] one agent is pinned as a flow of one step that passes its inputs on", async () => {
    const { result, blobs } = await pinned(
      { agents: { "a.md": agent("a", "tools: read\ninputs: [doc]\n", "${{task}} ${{input.doc}}") } },
      { agent: "a" },
    )
    const { pins, flow: face } = good(result)
    expect(face).toMatchObject({ id: "@subagent/a", autonomous: true, task_required: false })
    const { flow: one } = await loadDefinitions(pins, blobs)
    expect(one.steps).toMatchObject([{ id: "agent", type: "agent", agent: "a", inputs: { doc: "${{flow.input.doc}}" } }])
  })
})

describe("why a start is refused", () => {
  test("[F30] an unknown flow is not found", async () => {
    const { catalog } = world()
    expect(await catalog.pins.pin({ flow: "none" }, NONE, LIVE)).toEqual({ ok: false, code: "not_found" })
    expect(await catalog.pins.pin({ flow: "@subagent/flow-decision" }, NONE, LIVE)).toEqual({ ok: false, code: "not_found" })
  })

  test("[F30] an unknown agent is reported with its step, besides the flow's own check", async () => {
    const { catalog, rows } = await stocked({
      agents: { "a.md": agent("a"), "b.md": agent("b") },
      flows: { "f.yaml": flow("f", step("x", "a") + step("y", "b")) },
    })
    await catalog.remove("agent", "b")
    const result = await catalog.pins.pin({ flow: "f" }, NONE, LIVE)
    expect(result).toMatchObject({ ok: false, code: "unknown_agent", step: "y" })
    if (!result.ok && result.code !== "not_found" && result.code !== "quota" && result.code !== "storage_full") {
      expect(result.message).toContain('"y"')
      expect(result.message).toContain('"b"')
      expect(result.diagnostics.map((d) => d.code)).toContain("FV-AGENT")
    }
    expect(rows.commits).toHaveLength(2)
    expect(await catalog.pins.pin({ agent: "b" }, NONE, LIVE)).toMatchObject({ ok: false, code: "unknown_agent" })
  })

  test("[F74] a flow, agent or skill that no longer loads refuses the start, with its diagnostics", async () => {
    const { catalog, blobs, rows } = await stocked({
      agents: { "a.md": agent("a", "tools: read\nskills: docs\n", "start refused ${{task}}") },
      skills: { "docs/SKILL.md": "---\nname: docs\ndescription: start refused\n---\n" },
      flows: { "f.yaml": flow("f", step("x", "a")) },
    })
    await catalog.remove("skill", "docs")
    const refused = await catalog.pins.pin({ flow: "f" }, NONE, LIVE)
    expect(refused).toMatchObject({ ok: false, code: "invalid_flow", step: "x" })
    if (!refused.ok && refused.code !== "not_found" && refused.code !== "quota" && refused.code !== "storage_full")
      expect([refused.message.includes('"a"'), refused.diagnostics.map((d) => d.code)]).toEqual([true, ["AV-SKILL"]])
    blobs.lose(rows.files().find((f) => f.id === "f")?.hash ?? "")
    await catalog.put("agent", "agents/z.md", agent("z"))
    expect(await catalog.pins.pin({ flow: "f" }, NONE, LIVE)).toMatchObject({ ok: false, code: "invalid_flow" })
  })
})

describe("models", () => {
  const one = { providers: ["acme"], roles: {} }
  const two = { providers: ["acme", "other"], roles: { default: "acme/std", fast: "other/quick:low", loop: "@fast", bare: "solo" } }

  test("[F52] without a provider, every role and a missing model resolve to the rehearsal model", () => {
    expect(resolveModel("@fast", undefined, NONE)).toEqual({ ok: true, value: "rehearsal/default" })
    expect(resolveModel(undefined, "high", NONE)).toEqual({ ok: true, value: "rehearsal/default" })
  })

  test("[F52] a role is the tenant's, else its default", () => {
    expect(resolveModel("@fast", undefined, two)).toEqual({ ok: true, value: "other/quick:low" })
    expect(resolveModel("@planning", undefined, two)).toEqual({ ok: true, value: "acme/std" })
    expect(resolveModel(undefined, undefined, two)).toEqual({ ok: true, value: "acme/std" })
  })

  test("[F52] the agent's thinking level overrides a suffix, and the reference's suffix overrides the role's", () => {
    expect(resolveModel("@fast", "high", two)).toEqual({ ok: true, value: "other/quick:high" })
    expect(resolveModel("@fast:max", undefined, two)).toEqual({ ok: true, value: "other/quick:max" })
    expect(resolveModel("acme/m:low", "high", one)).toEqual({ ok: true, value: "acme/m:high" })
    expect(resolveModel("acme/m:8b", undefined, one)).toEqual({ ok: true, value: "acme/m:8b" })
  })

  test("[F52] split at the first slash; a bare model belongs to the only provider", () => {
    expect(resolveModel("acme/vendor/big", undefined, one)).toEqual({ ok: true, value: "acme/vendor/big" })
    expect(resolveModel("big", undefined, one)).toEqual({ ok: true, value: "acme/big" })
    expect(resolveModel("big", undefined, two).ok).toBe(false)
    expect(resolveModel("big", undefined, NONE).ok).toBe(false)
    expect(resolveModel("@bare", undefined, two).ok).toBe(false)
  })

  test("[M3] outside the local environment nothing is rehearsed unless it was asked for", () => {
    const deployed = { providers: [], roles: {}, needsProvider: true } as const
    for (const ref of [undefined, "@planning", "@fast:high"]) {
      const result = resolveModel(ref, undefined, deployed)
      if (result.ok) throw new Error(`${ref} became ${result.value}`)
      for (const word of ["/v1/settings/providers", "/v1/settings/roles", "rehearse"]) expect(result.error).toContain(word)
    }
    expect(resolveModel("rehearsal/any", undefined, deployed)).toEqual({ ok: true, value: "rehearsal/any" })
    expect(resolveModel("@fast", undefined, { ...deployed, roles: { fast: "rehearsal/any" } })).toEqual({
      ok: true,
      value: "rehearsal/any",
    })
    expect(resolveModel(undefined, undefined, NONE)).toEqual({ ok: true, value: "rehearsal/default" })
  })

  test("[F52] providers but neither the role nor a default: both settings are named", () => {
    const result = resolveModel("@planning", undefined, one)
    if (result.ok) throw new Error(result.value)
    for (const word of ["planning", "default", "/v1/settings/roles", "/v1/settings/providers"]) expect(result.error).toContain(word)
  })

  test("[F52] an unknown provider names the setting to PUT; a role that names a role is refused", () => {
    const unknown = resolveModel("nobody/m", undefined, two)
    expect(unknown.ok ? "" : unknown.error).toContain("PUT /v1/settings/providers/nobody")
    expect(resolveModel("@loop", undefined, two).ok).toBe(false)
    expect(resolveModel("constructor/m", undefined, two).ok).toBe(false)
    expect(resolveModel("@constructor", undefined, two)).toEqual({ ok: true, value: "acme/std" })
  })

  test("[N6] provider names must fit before the slash, and the built-in name is reserved", () => {
    expect(providerNameFault("anthropic-eu.1")).toBeUndefined()
    for (const name of ["", "a/b", "@a", "rehearsal", " a", "x".repeat(65)]) expect(providerNameFault(name)).toBeDefined()
  })

  test("[F52] a step's own model is pinned beside the agent's; only used models are resolved", async () => {
    const flows = { "f.yaml": flow("f", step("x", "a", ", model: acme/big") + step("y", "b")) }
    const { result } = await pinned(
      { agents: { "a.md": agent("a", "tools: read\nmodel: nobody/m\n"), "b.md": agent("b", "tools: read\nmodel: acme/small\n") }, flows },
      { flow: "f" },
      one,
    )
    const { pins, rehearsed } = good(result)
    expect([pins.models, rehearsed]).toEqual([{ "a@x": "acme/big", b: "acme/small" }, false])
  })

  test("[F52] a model without a provider refuses the start and names the step", async () => {
    const { result } = await pinned(
      { agents: { "a.md": agent("a", "tools: read\nmodel: nobody/m\n") }, flows: { "f.yaml": flow("f", step("x", "a")) } },
      { flow: "f" },
      one,
    )
    expect(result).toMatchObject({ ok: false, code: "no_model", step: "x" })
  })

  test("[F33] a list of models pins the first, and the others in order; roles may be lists, and no model comes twice", async () => {
    const files = {
      agents: {
        "a.md": agent("a", 'tools: read\nmodel: ["two/x:high", "@fast", two/y]\n'),
        "b.md": agent("b", "tools: read\nmodel: one/m\n"),
      },
      flows: { "f.yaml": flow("f", step("x", "a") + step("y", "b") + step("z", "b", ", model: [one/k, two/x]")) },
    }
    const settings = { providers: ["one", "two"], roles: { fast: ["one/f", "two/y", "two/x:high"] } }
    const { result } = await pinned(files, { flow: "f" }, settings)
    const { models, fallbacks } = good(result).pins
    expect(models).toEqual({ a: "two/x:high", b: "one/m", "b@z": "one/k" })
    expect(fallbacks).toEqual({ a: ["one/f", "two/y"], "b@z": ["two/x"] })
    const gone = await pinned(files, { flow: "f" }, { ...settings, roles: { fast: ["one/f", "gone/g"] } })
    expect(gone.result).toMatchObject({ ok: false, code: "no_model", message: expect.stringContaining('"gone/g"') })
  })

  test("[M3] outside the local environment a start without a provider is refused, and a rehearsal is not", async () => {
    const deployed = { ...NONE, needsProvider: true } as const
    const files = { agents: { "a.md": agent("a") }, flows: { "f.yaml": flow("f", step("x", "a")) } }
    const { result, catalog } = await pinned(files, { flow: "f" }, deployed)
    expect(result).toMatchObject({ ok: false, code: "no_model", step: "x" })
    const asked = good(await catalog.pins.pin({ flow: "f" }, deployed, { rehearse: true }))
    expect([asked.rehearsed, asked.pins.models]).toEqual([true, { a: "rehearsal/default" }])
  })

  test("[M3] a rehearsal needs no provider, whatever the agents name", async () => {
    const { result } = await pinned(
      {
        agents: { "a.md": agent("a", "tools: read\nmodel: nobody/m:high\n") },
        flows: { "f.yaml": flow("f", step("x", "a", ", model: acme/big")) },
      },
      { flow: "f" },
      one,
      { rehearse: true },
    )
    const { pins, rehearsed } = good(result)
    expect([pins.models, rehearsed]).toEqual([{ "a@x": "rehearsal/default" }, true])
  })
})

describe("definitions and skills of a run", () => {
  test("[F72] a pinned body that is missing is named", async () => {
    const { result, blobs } = await pinned(
      { agents: { "lost.md": agent("lost", "tools: read\n", "to be lost ${{task}}") } },
      { agent: "lost" },
    )
    const { pins } = good(result)
    blobs.lose(pins.agents["lost"] ?? "")
    await expect(loadDefinitions(pins, blobs)).rejects.toThrow(/the agent "lost" \(hash [0-9a-f]{64}\) is missing/)
  })

  test("[F72] a tool that was removed after the start does not strand the run", async () => {
    const { blobs } = world()
    const body = (text: string) => blobs.put(new TextEncoder().encode(text))
    const pins = {
      revision: 1,
      flow: { id: "f", hash: await body(flow("f", step("x", "old"))) },
      agents: { old: await body(agent("old", 'tools: [read, "retired_tool"]\n')) },
      skills: {},
      models: { old: "rehearsal/default" },
    }
    expect((await loadDefinitions(pins, blobs)).agents["old"]?.tools).toEqual({ kind: "list", names: ["read", "retired_tool"] })
  })

  test("[F72] the same pins are read once", async () => {
    const { result, blobs } = await pinned(
      { agents: { "once.md": agent("once", "tools: read\n", "read once ${{task}}") } },
      { agent: "once" },
    )
    const { pins } = good(result)
    const first = await loadDefinitions(pins, blobs)
    blobs.gets = []
    expect(await loadDefinitions({ ...pins, revision: 99 }, blobs)).toBe(first)
    expect(blobs.gets).toEqual([])
  })

  const bundle: Bundle = {
    agents: { "a.md": agent("a", "tools: read\nskills: [docs, open]\n") },
    skills: {
      "docs/SKILL.md": "---\nname: docs\ndescription: d\nfiles:\n  - api.md\n  - missing.md\n---\nINDEX\n",
      "docs/api.md": "API",
      "docs/secret.md": "SECRET",
      "open/SKILL.md": "---\nname: open\ndescription: d\n---\nOPEN\n",
      "open/deep/x.md": "DEEP",
    },
  }

  test("[F60] with a list only listed files are readable, without one every stored file; SKILL.md always", async () => {
    const { result, blobs } = await pinned(bundle, { agent: "a" })
    const library = skillLibrary((await loadDefinitions(good(result).pins, blobs)).skills, blobs)
    expect(library.names()).toEqual(["docs", "open"])
    expect([library.files("docs"), library.files("open"), library.files("none")]).toEqual([
      ["api.md", "missing.md"],
      ["deep/x.md"],
      undefined,
    ])
    expect(await library.read("docs", "SKILL.md")).toContain("INDEX")
    expect(await library.read("docs", "api.md")).toBe("API")
    expect(await library.read("open", "deep/x.md")).toBe("DEEP")
    expect(await library.read("docs", "missing.md")).toBeUndefined()
    expect(await library.read("none", "SKILL.md")).toBeUndefined()
  })

  test.each([
    "secret.md",
    "../docs/api.md",
    "./api.md",
    "/api.md",
    "docs/api.md",
    "api.md\u0000",
    "%61pi.md",
    "..%2fdocs%2fapi.md",
    "api.md/",
    "deep\\x.md",
    "constructor",
    "__proto__",
    "",
  ])("[F61] no one can read the file %j", async (file) => {
    const { result, blobs } = await pinned(bundle, { agent: "a" })
    const library = skillLibrary((await loadDefinitions(good(result).pins, blobs)).skills, blobs)
    expect(await library.read("docs", file)).toBeUndefined()
    expect(await library.read("open", file)).toBeUndefined()
  })

  test("[F61] the main session reads the catalog's current skills, including built-ins", async () => {
    const { catalog, blobs } = await stocked(bundle)
    for (const [path, text] of Object.entries(BUILTINS)) if (path.startsWith("skills/")) await blobs.put(new TextEncoder().encode(text))
    const library = await currentSkills((await catalog.files("skill")).data, blobs)
    expect([...library.names()].sort()).toEqual(["docs", "house-style", "open"])
    expect(await library.read("house-style", "words.md")).toBe("WORDS")
    expect(await library.read("docs", "secret.md")).toBeUndefined()
    expect((await catalog.files("skill")).data.find((f) => f.id === "house-style/words.md")?.hash).toBe(await sha256("WORDS"))
  })
})
