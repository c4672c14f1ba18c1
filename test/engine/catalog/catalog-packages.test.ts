// Packages: the tier between a tenant's own files and the built-ins [F70].

import { describe, expect, test } from "vitest"
import type { Diagnostic } from "../../../src/core/diagnostic.ts"
import { Catalog } from "../../../src/engine/catalog/catalog.ts"
import { loadDefinitions } from "../../../src/engine/catalog/definitions.ts"
import { currentSkills } from "../../../src/engine/catalog/skill-library.ts"
import type { PackageBody } from "../../../src/ports/tenant/catalog.ts"
import { BUILTINS, TOOLS, agent, flow, step, stocked, world } from "../../support/engine/memory-catalog.ts"

const codes = (list: readonly Diagnostic[] | undefined): string[] => (list ?? []).map((d) => d.code)
const skill = (name: string, text: string) => `---\nname: ${name}\ndescription: the skill ${name}\n---\n${text}\n`
const ACME: PackageBody = {
  version: "1.0.0",
  agents: { "p.md": agent("p", "tools: read\nskills: style\n", "PACKAGE ${{task}}") },
  flows: { "pf.yaml": flow("pf", step("x", "p")), "pf.rehearsal.yaml": "steps: {}\n" },
  skills: { "style/SKILL.md": skill("style", "ACME"), "style/words.md": "WORDS" },
}
const { version: _, ...FILES } = ACME

async function withPackages(...packages: readonly (readonly [string, PackageBody])[]) {
  const w = world()
  for (const [name, body] of packages) {
    const result = await w.catalog.packages.put(name, body)
    if (!("ok" in result) || !result.ok) throw new Error(JSON.stringify(result))
  }
  return w
}

describe("registering", () => {
  test("[F70] a package's files are used and name their source", async () => {
    const { catalog, rows } = await withPackages(["acme", ACME])
    expect((await catalog.files()).data.filter((f) => f.tier === "package").map((f) => [f.kind, f.id, f.path, f.package])).toEqual([
      ["agent", "p", "packages/acme/agents/p.md", "acme"],
      ["rehearsal", "pf", "packages/acme/flows/pf.rehearsal.yaml", "acme"],
      ["flow", "pf", "packages/acme/flows/pf.yaml", "acme"],
      ["skill", "style/SKILL.md", "packages/acme/skills/style/SKILL.md", "acme"],
      ["skill", "style/words.md", "packages/acme/skills/style/words.md", "acme"],
    ])
    const p = (await catalog.agents()).find((a) => a.name === "p")
    expect([p?.source_type, p?.source_path]).toEqual(["package", undefined])
    expect(await catalog.packages.list()).toEqual([
      { name: "acme", version: "1.0.0", hash: expect.any(String), agents: 1, flows: 1, skills: 1, diagnostics: [] },
    ])
    expect((await catalog.packages.read("acme"))?.bundle).toEqual({ ...FILES, code: {} })
    expect(rows.commits).toHaveLength(1)
  })

  test("[F70] a package is checked as a whole, against itself and the built-ins, never against the tenant's own files", async () => {
    const { catalog, rows } = await stocked({ agents: { "own.md": agent("own") } })
    const needy = { version: "1", flows: { "f.yaml": flow("f", step("x", "own") + step("y", "flow-decision")) } }
    const result = await catalog.packages.put("acme", needy)
    expect(result).toMatchObject({ ok: false, diagnostics: { "flows/f.yaml": [{ code: "FV-AGENT" }] } })
    expect(rows.commits).toHaveLength(1)
    expect(await catalog.packages.list()).toEqual([])
    const mended = { ...needy, agents: { "own.md": agent("own") } }
    // [F70] A preview checks all of it and writes nothing.
    expect(await catalog.packages.preview("acme", mended)).toMatchObject({ ok: true })
    expect(await catalog.packages.list()).toEqual([])
    expect(await catalog.packages.put("acme", mended)).toMatchObject({ ok: true })
  })

  test("[F70] an empty package, a bad name and a bad path are refused, and nothing is stored", async () => {
    const { catalog, rows, blobs } = world()
    const bad = async (name: string, body: PackageBody) => {
      const result = await catalog.packages.put(name, body)
      return "ok" in result && !result.ok ? codes(Object.values(result.diagnostics).flat()) : result
    }
    expect(await bad("acme", { version: "1" })).toEqual(["CAT-EMPTY"])
    expect(await bad("acme", { version: "1", agents: {} })).toEqual(["CAT-EMPTY"])
    for (const name of ["", "../x", "a/b", "__proto__", "a b"]) expect(await bad(name, ACME), name).toEqual(["CAT-PACKAGE"])
    expect(await bad("acme", { version: "1", agents: { "../x.md": agent("x") } })).toEqual(["CAT-PATH"])
    expect([rows.commits, blobs.puts]).toEqual([[], 0])
  })

  test("[F70] no write by path changes a package", async () => {
    const { catalog } = await withPackages(["acme", ACME])
    expect(await catalog.write("agent", "packages/acme/agents/p.md", agent("p"))).toMatchObject({ written: false })
    expect(await catalog.remove("agent", "p")).toBe(false)
  })

  test("[F70] another version of the same name replaces the package and keeps its rank", async () => {
    const { catalog } = await withPackages(["acme", ACME], ["other", ACME])
    const before = (await catalog.packages.list())[0]?.hash
    const next = { version: "2.0.0", agents: { "q.md": agent("q") } }
    expect(await catalog.packages.put("acme", next)).toMatchObject({ ok: true, revision: 3 })
    expect((await catalog.packages.list()).map((p) => [p.name, p.version])).toEqual([
      ["acme", "2.0.0"],
      ["other", "1.0.0"],
    ])
    expect((await catalog.files("agent")).data.filter((f) => f.tier === "package").map((f) => f.path)).toEqual([
      "packages/acme/agents/q.md",
      "packages/other/agents/p.md",
    ])
    await catalog.packages.put("acme", ACME)
    expect((await catalog.packages.list())[0]?.hash).toBe(before)
  })

  test("[F73] If-Match on a package", async () => {
    const { catalog, rows } = await withPackages(["acme", ACME])
    const hash = (await catalog.packages.list())[0]?.hash ?? ""
    expect(await catalog.packages.put("acme", ACME, "ab")).toEqual({ stale: hash })
    expect(await catalog.packages.put("new", ACME, "ab")).toEqual({ stale: null })
    expect(await catalog.packages.remove("acme", "ab")).toEqual({ stale: hash })
    expect(await catalog.packages.remove("none", "ab")).toBe(false)
    expect(rows.commits).toHaveLength(1)
    expect(await catalog.packages.remove("acme", hash)).toBe(true)
    expect(await catalog.packages.list()).toEqual([])
  })
})

describe("precedence", () => {
  test("[F70] local > package > built-in, and each warning names the tier that is hidden", async () => {
    const decider = (text: string) => agent("flow-decision", "tools: read\n", `${text} \${{task}}`)
    const { catalog } = world()
    const first = await catalog.packages.put("acme", { version: "1", agents: { "flow-decision.md": decider("PACKAGE") } })
    expect(first).toMatchObject({
      ok: true,
      diagnostics: { "agents/flow-decision.md": [{ code: "CAT-SHADOW", message: expect.stringContaining("built-in") }] },
    })
    expect((await catalog.read("agent", "flow-decision"))?.content).toContain("PACKAGE")
    const local = await catalog.put("agent", "agents/flow-decision.md", decider("LOCAL"))
    if ("stale" in local) throw new Error("stale")
    expect(local.diagnostics.map((d) => [d.code, /built-in|package "acme"/.exec(d.message)?.[0]])).toEqual([
      ["CAT-SHADOW", 'package "acme"'],
      ["CAT-SHADOW", "built-in"],
    ])
    expect((await catalog.read("agent", "flow-decision"))?.content).toContain("LOCAL")
    const again = await catalog.packages.put("acme", { version: "2", agents: { "flow-decision.md": decider("PACKAGE") } })
    expect(again).toMatchObject({
      ok: true,
      diagnostics: { "agents/flow-decision.md": [{ code: "CAT-HIDDEN", message: expect.stringContaining("local") }] },
    })
    await catalog.remove("agent", "flow-decision")
    expect((await catalog.read("agent", "flow-decision"))?.content).toContain("PACKAGE")
    await catalog.packages.remove("acme")
    expect(await catalog.read("agent", "flow-decision")).toMatchObject({ tier: "built-in", content: BUILTINS["agents/flow-decision.md"] })
  })

  test("[F70] of two packages the one registered first wins, and both get a warning", async () => {
    const p = (text: string): PackageBody => ({ version: "1", agents: { "p.md": agent("p", "tools: read\n", `${text} \${{task}}`) } })
    const { catalog } = await withPackages(["zeta", p("ZETA")])
    const second = await catalog.packages.put("acme", p("ACME"))
    expect(second).toMatchObject({
      ok: true,
      diagnostics: { "agents/p.md": [{ code: "CAT-HIDDEN", message: expect.stringContaining("packages/zeta/agents/p.md") }] },
    })
    expect(await catalog.read("agent", "p")).toMatchObject({
      path: "packages/zeta/agents/p.md",
      diagnostics: [{ code: "CAT-PACKAGE-TWICE" }],
    })
    expect((await catalog.packages.list()).map((row) => [row.name, codes(row.diagnostics)])).toEqual([
      ["zeta", ["CAT-PACKAGE-TWICE"]],
      ["acme", ["CAT-HIDDEN"]],
    ])
    await catalog.packages.remove("zeta")
    expect((await catalog.read("agent", "p"))?.content).toContain("ACME")
    expect((await catalog.packages.list()).flatMap((row) => codes(row.diagnostics))).toEqual([])
  })

  test("[F70] a skill is hidden as a whole, whichever tiers meet", async () => {
    const { catalog, blobs } = await withPackages(
      ["one", { version: "1", skills: { "style/SKILL.md": skill("style", "ONE") } }],
      ["two", { version: "1", skills: { "style/SKILL.md": skill("style", "TWO"), "style/words.md": "TWO" } }],
    )
    const library = async () => currentSkills((await catalog.files("skill")).data, blobs)
    expect(await (await library()).read("style", "words.md")).toBeUndefined()
    await catalog.packages.remove("one")
    expect(await (await library()).read("style", "words.md")).toBe("TWO")
    await catalog.put("skill", "skills/style/SKILL.md", skill("style", "LOCAL"))
    expect(await (await library()).read("style", "words.md")).toBeUndefined()
  })

  test("[M3] a flow's rehearsal and handlers come from the flow's source", async () => {
    const f = (id: string) => flow("f", `  - { id: ${id}, type: code }\n`)
    const handler = (n: number) => `export default () => ({ n: ${n} })\n`
    const part = (n: number): PackageBody => ({
      version: "1",
      flows: { "f.yaml": f("s"), "f.rehearsal.yaml": `# ${n}\nsteps: {}\n` },
      code: { "f/s.js": handler(n) },
    })
    const orphan: PackageBody = { version: "1", agents: { "z.md": agent("z") }, code: { "f/s.js": handler(0) } }
    const { catalog } = await withPackages(["zero", orphan], ["one", part(1)], ["two", part(2)])
    expect(await catalog.read("code", "f/s")).toMatchObject({ path: "packages/one/code/f/s.js" })
    await catalog.packages.remove("one")
    expect(await catalog.read("rehearsal", "f")).toMatchObject({ path: "packages/two/flows/f.rehearsal.yaml" })
    expect(await catalog.read("code", "f/s")).toMatchObject({ path: "packages/two/code/f/s.js" })
    await catalog.put("flow", "flows/f.yaml", f("other"))
    expect(await catalog.read("code", "f/s")).toBeUndefined()
    expect(await catalog.read("rehearsal", "f")).toBeUndefined()
  })

  test("[F72] a run pins a package's files by hash, and keeps them after the package is removed", async () => {
    const { catalog, blobs } = await withPackages(["acme", ACME])
    const pinned = await catalog.pins.pin({ flow: "pf" }, { providers: [], roles: {} }, { rehearse: false })
    if (!pinned.ok) throw new Error(JSON.stringify(pinned))
    await catalog.packages.remove("acme")
    expect(await catalog.pins.pin({ flow: "pf" }, { providers: [], roles: {} }, { rehearse: false })).toEqual({
      ok: false,
      code: "not_found",
    })
    const { agents, skills } = await loadDefinitions(pinned.pins, blobs)
    expect([agents["p"]?.body.slice(0, 7), Object.keys(skills["style"]?.files ?? {})]).toEqual(["PACKAGE", ["SKILL.md", "words.md"]])
  })
})

describe("revisions", () => {
  test("[F72] revisions include packages: listed, compared file by file, rolled back", async () => {
    const { catalog } = await withPackages(["acme", ACME])
    await catalog.packages.put(
      "acme",
      { ...ACME, version: "1.1.0", agents: { "p.md": agent("p", "tools: read\nskills: style\n", "NEW ${{task}}") } },
      undefined,
      "ann",
    )
    await catalog.packages.remove("acme", undefined, "ben")
    expect(await catalog.history.list({ limit: 9 })).toMatchObject({
      data: [
        { revision: 3, by: "ben", action: "unregister", changes: [{ path: "packages/acme", after: null }] },
        { revision: 2, by: "ann", action: "register", changes: [{ path: "packages/acme" }] },
        { revision: 1, action: "register", changes: [{ path: "packages/acme", before: null }] },
      ],
    })
    const diff = await catalog.history.diff({ from: 1, to: 2 })
    expect(diff.ok && diff.data.map((d) => [d.path, d.status, d.diff?.match(/^[+-].*$/gm)])).toEqual([
      ["packages/acme", "changed", ["-version: 1.0.0", "+version: 1.1.0"]],
      ["packages/acme/agents/p.md", "changed", ["-PACKAGE ${{task}}", "+NEW ${{task}}"]],
    ])
    const gone = await catalog.history.diff({ to: 3 })
    expect(gone.ok && gone.data.map((d) => d.status)).toEqual(Array(6).fill("removed"))
    expect((await catalog.read("agent", "p", 1))?.content).toContain("PACKAGE")
    expect(await catalog.history.rollback(2)).toMatchObject({ ok: true, revision: 4 })
    expect(await catalog.packages.list()).toMatchObject([{ name: "acme", version: "1.1.0" }])
    expect((await catalog.read("agent", "p"))?.content).toContain("NEW")
  })

  test("[F70] restored packages keep their rank", async () => {
    const p = (text: string): PackageBody => ({ version: "1", agents: { "p.md": agent("p", "tools: read\n", `${text} \${{task}}`) } })
    const { catalog } = await withPackages(["zeta", p("ZETA")], ["acme", p("ACME")])
    await catalog.packages.remove("zeta")
    await catalog.history.rollback(2)
    expect((await catalog.packages.list()).map((row) => row.name)).toEqual(["zeta", "acme"])
    expect((await catalog.read("agent", "p"))?.content).toContain("ZETA")
  })

  test("[F74] a package whose manifest is lost is listed with a diagnostic, breaks nothing else, and can be registered again", async () => {
    const { catalog, blobs, rows } = await withPackages(["acme", { ...ACME, version: "lost" }])
    await catalog.put("agent", "agents/own.md", agent("own"))
    blobs.lose(rows.files().find((f) => f.kind === "package")?.hash ?? "")
    const list = rows.files().find((f) => f.kind === "package")
    // Simulates an isolate without a cached manifest: a row with a hash that is not stored.
    rows.commit([{ type: "put", kind: "package", id: "acme", path: "packages/acme", hash: "f".repeat(64), size: list?.size ?? 0 }], {
      action: "register",
    })
    const fresh = new Catalog({ store: rows, blobs, builtins: BUILTINS, tools: TOOLS, inTurn: (work) => work() })
    expect(await fresh.packages.list()).toMatchObject([{ name: "acme", diagnostics: [{ code: "CAT-CORRUPT" }] }])
    expect((await fresh.agents()).map((a) => a.name)).toContain("own")
    expect(await fresh.put("agent", "agents/own2.md", agent("own2"))).toMatchObject({ written: true })
    expect(await fresh.packages.put("acme", ACME)).toMatchObject({ ok: true })
    expect((await fresh.agents()).map((a) => a.name)).toContain("p")
  })

  test("[F71] a bundle that replaces everything leaves the packages", async () => {
    const { catalog } = await withPackages(["acme", ACME])
    expect(await catalog.replace({ agents: {}, flows: {}, skills: {}, code: {} })).toMatchObject({ ok: true })
    expect(await catalog.packages.list()).toHaveLength(1)
  })
})
