import { describe, expect, test } from "vitest"
import type { Diagnostic } from "../../../src/core/diagnostic.ts"
import { BUILTINS, agent, flow, step, stocked, world } from "../../support/engine/memory-catalog.ts"
import { amount } from "../../support/amount.ts"
import { cpuClock } from "../../support/cpu-clock.ts"

const codes = (list: readonly Diagnostic[] | undefined): string[] => (list ?? []).map((d) => d.code)
const errors = (list: readonly Diagnostic[] | undefined): string[] => codes((list ?? []).filter((d) => d.severity === "error"))

describe("tiers", () => {
  test("[F70] the built-ins exist before anything is written", async () => {
    const { catalog, rows } = world()
    const { revision, data } = await catalog.files()
    expect(revision).toBe(0)
    expect(data.map((f) => [f.path, f.tier])).toEqual(
      Object.keys(BUILTINS)
        .sort()
        .map((path) => [path, "built-in"]),
    )
    expect(data.flatMap((f) => errors(f.diagnostics))).toEqual([])
    expect(rows.commits).toEqual([])
  })

  test("[F70] a local file hides the built-in of its name, with a warning, and gives it back when it goes", async () => {
    const { catalog } = world()
    const result = await catalog.put("agent", "agents/flow-decision.md", agent("flow-decision", "tools: read\n", "mine ${{task}}"))
    expect(result).toMatchObject({ written: true })
    if ("diagnostics" in result) expect(codes(result.diagnostics)).toContain("CAT-SHADOW")
    expect((await catalog.files("agent")).data.filter((f) => f.id === "flow-decision").map((f) => f.tier)).toEqual(["local"])
    expect((await catalog.read("agent", "flow-decision"))?.content).toContain("mine")
    expect(await catalog.remove("agent", "flow-decision")).toBe(true)
    expect(await catalog.read("agent", "flow-decision")).toMatchObject({ tier: "built-in", content: BUILTINS["agents/flow-decision.md"] })
  })

  test("[F70] a skill is hidden as a whole: files of two tiers never mix", async () => {
    const { catalog } = await stocked({ skills: { "house-style/SKILL.md": "---\nname: house-style\ndescription: ours\n---\nOURS\n" } })
    expect((await catalog.files("skill")).data.map((f) => [f.path, f.tier])).toEqual([["skills/house-style/SKILL.md", "local"]])
    expect(await catalog.read("skill", "house-style/words.md")).toBeUndefined()
  })

  test("[F70] a built-in cannot be removed", async () => {
    const { catalog, rows } = world()
    expect(await catalog.remove("flow", "hello")).toBe(false)
    expect(rows.commits).toEqual([])
  })
})

describe("rows", () => {
  test("[F71] a flow that loads says how many steps it has, and nothing else does", async () => {
    const { catalog } = await stocked({ flows: { "two.yaml": flow("two", step("a", "flow-decision") + step("b", "flow-decision")) } })
    const { data } = await catalog.files()
    expect(data.find(({ id }) => id === "two")?.steps).toBe(2)
    expect(data.filter(({ kind, steps }) => kind !== "flow" && steps !== undefined)).toEqual([])
  })
})

describe("writes", () => {
  test("[F71] a write is seen by the next read and bumps the revision by one", async () => {
    const { catalog, rows } = world()
    const content = agent("writer")
    const result = await catalog.put("agent", "agents/writer.md", content)
    expect(result).toMatchObject({ written: true, path: "agents/writer.md", revision: 1 })
    expect(await catalog.read("agent", "writer")).toMatchObject({
      content,
      tier: "local",
      path: "agents/writer.md",
      description: "the agent writer",
    })
    expect((await catalog.files()).revision).toBe(1)
    expect(rows.commits).toHaveLength(1)
  })

  test("[F73] an error stores nothing and makes no revision", async () => {
    const { catalog, rows, blobs } = world()
    const result = await catalog.put("flow", "flows/bad.yaml", flow("bad", step("a", "nobody")))
    expect(result).toMatchObject({ written: false, path: "flows/bad.yaml" })
    if ("diagnostics" in result) expect(errors(result.diagnostics)).toEqual(["FV-AGENT"])
    expect([rows.commits, blobs.puts, await catalog.read("flow", "bad")]).toEqual([[], 0, undefined])
  })

  test("[F73] a stale If-Match writes nothing and returns the current hash", async () => {
    const { catalog, rows } = await stocked({ agents: { "a.md": agent("a") } })
    const seen = (await catalog.read("agent", "a"))?.hash ?? ""
    const first = await catalog.put("agent", "agents/a.md", agent("a", "tools: grep\n"), seen)
    if (!("hash" in first)) throw new Error(JSON.stringify(first))
    expect(await catalog.put("agent", "agents/a.md", agent("a", "tools: write\n"), seen)).toEqual({ stale: first.hash })
    expect(await catalog.put("agent", "agents/new.md", agent("new"), seen)).toEqual({ stale: null })
    expect(rows.commits).toHaveLength(2)
  })

  test("[F73] If-Match on a built-in's hash lets the first local edit through; * means any", async () => {
    const { catalog } = world()
    const seen = (await catalog.read("agent", "flow-decision"))?.hash
    expect(
      await catalog.put("agent", "agents/flow-decision.md", agent("flow-decision", "tools: read\n", "x ${{task}}"), seen),
    ).toMatchObject({ written: true })
    expect(await catalog.put("agent", "agents/flow-decision.md", agent("flow-decision"), "*")).toMatchObject({ written: true })
    expect(await catalog.put("agent", "agents/none.md", agent("none"), "*")).toEqual({ stale: null })
  })

  test("[F71] two concurrent writes run one after the other: one of two equal If-Match wins", async () => {
    const { catalog, blobs } = await stocked({ agents: { "a.md": agent("a") } })
    const seen = (await catalog.read("agent", "a"))?.hash
    blobs.beforePut = () => new Promise((go) => setTimeout(go, 1))
    const results = await Promise.all(
      ["grep", "write"].map((tool) => catalog.put("agent", "agents/a.md", agent("a", `tools: ${tool}\n`), seen)),
    )
    expect(results.map((r) => ("stale" in r ? "stale" : r.written))).toEqual([true, "stale"])
  })

  test("[F71] a write that fails in the store leaves the rows unchanged, and the next write succeeds", async () => {
    const { catalog, rows, blobs } = world()
    blobs.beforePut = () => Promise.reject(new Error("R2 is away"))
    await expect(catalog.put("agent", "agents/a.md", agent("a"))).rejects.toThrow("R2 is away")
    expect(rows.commits).toEqual([])
    blobs.beforePut = async () => {}
    expect(await catalog.put("agent", "agents/a.md", agent("a"))).toMatchObject({ written: true, revision: 1 })
  })

  test.each([
    "../x.md",
    "/etc/x.md",
    "agents/../../x.md",
    "agents/%2e%2e/x.md",
    "flows/x.md",
    "agents/x.txt",
    "agents\\x.md",
    "agents/.md",
    "agents/a\u0000.md",
    "",
  ])("[F71] agent_write refuses the path %j and says why", async (path) => {
    const { catalog, rows, blobs } = world()
    const result = await catalog.write("agent", path, agent("x"))
    expect(result).toMatchObject({ written: false, path })
    expect(codes(result.diagnostics)).toEqual(["CAT-PATH"])
    expect(result.error).toBeTruthy()
    expect([rows.commits, blobs.puts]).toEqual([[], 0])
  })

  test("[F71] agent_write writes no flow and flow_write no agent", async () => {
    const { catalog } = world()
    expect(await catalog.write("agent", "flows/x.yaml", flow("x", step("a", "flow-decision")))).toMatchObject({ written: false })
    expect(await catalog.write("flow", "agents/x.md", agent("x"))).toMatchObject({ written: false })
  })

  test("[F5] one flow under two paths is an error that names the other", async () => {
    const { catalog } = await stocked({ flows: { "legal/nda.yaml": flow("nda", step("a", "flow-decision")) } })
    const result = await catalog.put("flow", "flows/legal/nda/flow.yaml", flow("nda", step("a", "flow-decision")))
    if (!("diagnostics" in result)) throw new Error("stale")
    expect([result.written, errors(result.diagnostics)]).toEqual([false, ["CAT-TWICE"]])
    expect(result.diagnostics[0]?.message).toContain("flows/legal/nda.yaml")
  })

  test("[F74] a write may break another file, which then shows its error", async () => {
    const { catalog } = await stocked({ agents: { "a.md": agent("a") }, flows: { "f.yaml": flow("f", step("s", "a")) } })
    expect(errors((await catalog.read("flow", "f"))?.diagnostics)).toEqual([])
    expect(await catalog.remove("agent", "a")).toBe(true)
    expect(errors((await catalog.read("flow", "f"))?.diagnostics)).toEqual(["FV-AGENT"])
    expect(await catalog.put("agent", "agents/a.md", agent("a"))).toMatchObject({ written: true })
    expect(errors((await catalog.read("flow", "f"))?.diagnostics)).toEqual([])
  })

  test("[F71] a flow takes its rehearsal with it when it is removed", async () => {
    const { catalog } = await stocked({ flows: { "f.yaml": flow("f", step("s", "flow-decision")), "f.rehearsal.yaml": "steps: {}\n" } })
    expect((await catalog.files("rehearsal")).data.map((f) => f.id)).toContain("f")
    expect(await catalog.remove("flow", "f")).toBe(true)
    expect((await catalog.files("rehearsal")).data.map((f) => f.id)).not.toContain("f")
    expect(await catalog.remove("flow", "f")).toBe(false)
  })

  test("[F71] a skill goes file by file, or whole by its name", async () => {
    const index = "---\nname: s\ndescription: d\n---\nX\n"
    const { catalog } = await stocked({ skills: { "s/SKILL.md": index, "s/a.md": "A", "s/b.md": "B" } })
    expect(await catalog.remove("skill", "s/a.md")).toBe(true)
    expect((await catalog.files("skill")).data.filter((f) => f.tier === "local").map((f) => f.id)).toEqual(["s/SKILL.md", "s/b.md"])
    expect(await catalog.remove("skill", "s")).toBe(true)
    expect((await catalog.files("skill")).data.filter((f) => f.tier === "local")).toEqual([])
  })
})

describe("bundles", () => {
  test("[F71] a bundle is checked as a whole: its flows see its agents, its agents see its skills", async () => {
    const { catalog, rows } = world()
    const result = await catalog.replace({
      agents: { "a.md": agent("a", "tools: read\nskills: s\n") },
      flows: { "f.yaml": flow("f", step("x", "a")) },
      skills: { "s/SKILL.md": "---\nname: s\ndescription: d\n---\nX\n" },
    })
    expect(result).toMatchObject({ ok: true, revision: 1 })
    expect(rows.commits).toHaveLength(1)
  })

  test("[F71] one error anywhere refuses the whole bundle", async () => {
    const { catalog, rows, blobs } = await stocked({ agents: { "old.md": agent("old") } })
    const puts = blobs.puts
    const result = await catalog.replace({
      agents: { "a.md": agent("a"), "b.md": "no frontmatter" },
      flows: { "f.yaml": flow("f", step("x", "old")) },
    })
    expect(result.ok).toBe(false)
    // `old` is not in the new catalog, so the flow that names it is wrong too.
    expect(Object.fromEntries(Object.entries(result.diagnostics).map(([p, d]) => [p, errors(d)]))).toEqual({
      "agents/b.md": ["AV-FM-MISSING"],
      "flows/f.yaml": ["FV-AGENT"],
    })
    expect([rows.commits.length, blobs.puts]).toEqual([1, puts])
    expect(await catalog.read("agent", "old")).toMatchObject({ tier: "local" })
    expect(await catalog.read("agent", "a")).toBeUndefined()
  })

  test("[F71] an absent kind is left alone; an empty kind removes its files", async () => {
    const { catalog } = await stocked({ agents: { "a.md": agent("a") }, flows: { "f.yaml": flow("f", step("x", "a")) } })
    expect(await catalog.replace({ flows: { "g.yaml": flow("g", step("x", "a")) } })).toMatchObject({ ok: true, revision: 2 })
    const local = async () => (await catalog.files()).data.filter((f) => f.tier === "local").map((f) => f.path)
    expect(await local()).toEqual(["agents/a.md", "flows/g.yaml"])
    expect(await catalog.replace({ agents: {}, flows: {}, skills: {}, code: {} })).toMatchObject({ ok: true })
    expect(await local()).toEqual([])
  })

  test("[F71] an empty bundle is refused with a clear message", async () => {
    const { catalog, rows } = world()
    const empty = await catalog.replace({})
    expect([empty.ok, codes(Object.values(empty.diagnostics).flat())]).toEqual([false, ["CAT-EMPTY"]])
    expect(rows.commits).toEqual([])
  })

  test("[F24] handlers are ordinary files: checked, stored under one path, removed with their flow", async () => {
    const { catalog, rows } = world()
    const bad = await catalog.replace({ code: { "f/step.ts": "export default 1", "../x.ts": "", "f/a.py": "" } })
    expect([bad.ok, Object.fromEntries(Object.entries(bad.diagnostics).map(([path, list]) => [path, errors(list)]))]).toEqual([
      false,
      { "code/../x.ts": ["CAT-PATH"], "code/f/a.py": ["CAT-PATH"], "code/f/step.ts": ["CV-DEFAULT"] },
    ])
    expect(rows.commits).toEqual([])
    const handler = "export default function (input: unknown) { return {} }\n"
    const f = flow("f", "  - { id: step, type: code }\n")
    const good = await catalog.replace({ flows: { "f.yaml": f, "f/step.ts": handler }, code: {} })
    expect(good).toMatchObject({ ok: true })
    expect(await catalog.read("code", "f/step")).toMatchObject({ path: "code/f/step.ts", content: handler, tier: "local" })
    expect(await catalog.put("code", "code/f/step.js", handler)).toMatchObject({ written: false })
    expect(await catalog.remove("flow", "f")).toBe(true)
    expect(await catalog.read("code", "f/step")).toBeUndefined()
  })

  test("[H3] at most 5,000 files fit in a bundle, in a catalog and in a package", async () => {
    const files = (count: number, name: string) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`${name}/${i}.txt`, ""]))
    const { catalog, rows, blobs } = await stocked({ skills: files(4999, "s") })
    const puts = blobs.puts
    expect(await catalog.put("agent", "agents/a.md", agent("a"))).toMatchObject({ written: true })
    expect(await catalog.put("agent", "agents/a.md", agent("a", "tools: grep\n"))).toMatchObject({ written: true })
    expect(await catalog.put("agent", "agents/b.md", agent("b"))).toMatchObject({ written: false, diagnostics: [{ code: "CAT-MANY" }] })
    expect(await catalog.replace({ flows: { "f.yaml": flow("f", step("x", "a")) } })).toMatchObject({
      ok: false,
      diagnostics: { "": [{ code: "CAT-MANY" }] },
    })
    expect(await catalog.replace({ skills: files(5001, "t") })).toMatchObject({ ok: false, diagnostics: { "": [{ code: "CAT-MANY" }] } })
    expect(await catalog.packages.put("p", { version: "1", skills: files(5001, "t") })).toMatchObject({
      ok: false,
      diagnostics: { "": [{ code: "CAT-MANY" }] },
    })
    expect([rows.commits.length, blobs.puts - puts]).toEqual([3, 2])
  })

  test("[H3] thousands of files are checked in a few seconds, whatever their references", async () => {
    const many = (make: (i: number) => [string, string]) =>
      Object.fromEntries(Array.from({ length: amount(2_500, 800) }, (_, i) => make(i)))
    const spent = cpuClock()
    await stocked({
      skills: many((i) => [`s${i}/SKILL.md`, `---\nname: s${i}\ndescription: d\n---\n`]),
      agents: many((i) => [`a${i}.md`, agent(`a${i}`, `tools: read\nskills: s${i}\n`)]),
    })
    expect(spent()).toBeLessThan(amount(20_000, 6_400))
  })

  test("[F5] two paths of one id, and an invalid path, are errors at their path", async () => {
    const { catalog } = world()
    const f = flow("nda", step("a", "flow-decision"))
    const result = await catalog.replace({
      flows: { "legal/nda.yaml": f, "legal/nda/flow.yaml": f, "../out.yaml": f },
      agents: { "__proto__.md": agent("x") },
    })
    expect(result.ok).toBe(false)
    expect(errors(result.diagnostics["flows/legal/nda/flow.yaml"])).toEqual(["CAT-TWICE"])
    expect(errors(result.diagnostics["flows/../out.yaml"])).toEqual(["CAT-PATH"])
    expect(errors(result.diagnostics["agents/__proto__.md"])).toEqual(["CAT-PATH"])
  })

  test("[F60] listed files that are not stored, and stored files that are not listed, are warnings", async () => {
    const { catalog } = world()
    const result = await catalog.replace({
      skills: {
        "s/SKILL.md": "---\nname: s\ndescription: d\nfiles:\n  - a.md\n  - b.md\n---\nX\n",
        "s/a.md": "A",
        "s/c.md": "C",
        "t/x.md": "X",
      },
    })
    expect(result.ok).toBe(true)
    expect(result.diagnostics["skills/s/SKILL.md"]?.map((d) => [d.code, d.line, d.severity])).toEqual([["CAT-SKILL-FILE", 6, "warning"]])
    expect(codes(result.diagnostics["skills/s/c.md"])).toEqual(["CAT-SKILL-UNLISTED"])
    expect(codes(result.diagnostics["skills/t/x.md"])).toEqual(["CAT-SKILL-INDEX"])
  })
})

describe("stored files that no longer load", () => {
  test("[F74] a lost and a damaged body are listed with a diagnostic and break nothing else", async () => {
    const { catalog, blobs, rows } = await stocked({
      agents: { "a.md": agent("a"), "b.md": agent("b"), "c.md": agent("c") },
      flows: { "f.yaml": flow("f", step("x", "b")), "g.yaml": flow("g", step("x", "a")) },
    })
    const hash = (id: string) => rows.files().find((f) => f.id === id)?.hash ?? ""
    blobs.lose(hash("a"))
    blobs.replace(hash("c"), Uint8Array.of(0xff, 0xfe, 0x00))
    blobs.lose(hash("g"))
    // Simulates an isolate that has parsed nothing: different tools give every agent a different cache key.
    const fresh = new (await import("../../../src/engine/catalog/catalog.ts")).Catalog({
      store: rows,
      blobs,
      builtins: BUILTINS,
      tools: ["read", "grep"],
      inTurn: (work) => work(),
    })
    await fresh.files()
    const list = new Map((await fresh.files()).data.map((f) => [f.path, errors(f.diagnostics)]))
    expect(list.get("agents/a.md")).toEqual(["CAT-CORRUPT"])
    expect(list.get("agents/c.md")).toEqual(["CAT-CORRUPT"])
    expect(list.get("agents/b.md")).toEqual([])
    expect(list.get("flows/f.yaml")).toEqual([])
    expect((await fresh.agents()).map((row) => row.name)).toEqual(["b", "flow-architect", "flow-decision"])
    expect(await fresh.read("agent", "a")).toMatchObject({ content: "" })
    expect(await catalog.put("agent", "agents/a.md", agent("a"))).toMatchObject({ written: true })
    expect(errors((await fresh.read("agent", "a"))?.diagnostics)).toEqual([])
  })
})

describe("validate and rediscover", () => {
  test("[F2] validate checks against the current catalog and writes nothing", async () => {
    const { catalog, rows } = await stocked({ agents: { "a.md": agent("a") } })
    expect(errors(await catalog.validate("flow", flow("f", step("x", "a") + step("y", "nobody"))))).toEqual(["FV-AGENT"])
    expect(errors(await catalog.validate("agent", agent("any-name")))).toEqual([])
    expect(errors(await catalog.validate("agent", agent("any-name"), "agents/other.md"))).toEqual(["AV-NAME-FILE"])
    expect(errors(await catalog.validate("skill", "---\nname: s\ndescription: d\n---\n"))).toEqual([])
    expect(errors(await catalog.validate("flow", "x", "agents/x.md"))).toEqual(["CAT-PATH"])
    expect(rows.commits).toHaveLength(1)
  })

  test("[F2] a flow that cannot be read whole is checked against the flows that it runs", async () => {
    const { catalog } = await stocked({
      agents: { "a.md": agent("a") },
      flows: { "kid.yaml": flow("kid", step("x", "a"), "inputs: { n: { type: number, required: true } }\n") },
    })
    const children = "  - { id: y, type: flow-ref, flow: nowhere }\n  - { id: z, type: flow-ref, flow: kid }\n"
    const told = (steps: string) => catalog.validate("flow", flow("f", steps)).then(errors)
    expect(await told(`  - { id: x, type: agent }\n${children}`)).toEqual(["FV-PARSE", "FV-FLOW", "FV-FLOW-INPUT"])
    expect(await told(step("x", "a") + children)).toEqual(["FV-FLOW", "FV-FLOW-INPUT"])
  })

  test("[F62] an agent whose skill is missing is in error until the skill exists", async () => {
    const { catalog } = world()
    const text = agent("a", "tools: read\nskills: s\n")
    expect(errors(await catalog.validate("agent", text, "agents/a.md"))).toEqual(["AV-SKILL"])
    await catalog.put("skill", "skills/s/SKILL.md", "---\nname: s\ndescription: d\n---\n")
    expect(errors(await catalog.validate("agent", text, "agents/a.md"))).toEqual([])
  })

  test("[F71] a parsed text is not read again", async () => {
    const { catalog, blobs } = await stocked({ agents: { "cached.md": agent("cached", "tools: read\n", "once only ${{task}}") } })
    await catalog.files()
    blobs.gets = []
    await catalog.files()
    await catalog.agents()
    expect(blobs.gets).toEqual([])
  })
})

describe("agent_catalog", () => {
  test("[F70] rows have the seed's exact shape", async () => {
    const { catalog } = await stocked({
      agents: {
        "w.md": agent(
          "w",
          "tools: [read, grep]\ninputs: [doc]\noutputs:\n  - { name: verdict, description: the verdict, type: string }\n  - plain\ncard: { label: W }\narchitect:\n  use_when: reviewing\n",
          "${{task}} ${{input.doc}}",
        ),
        "x.md": agent("x", "denied_tools: [write]\n"),
      },
    })
    const rows = await catalog.agents()
    expect(rows.find((r) => r.name === "w")).toEqual({
      name: "w",
      description: "the agent w",
      tools: ["read", "grep"],
      inputs: ["doc"],
      outputs: [{ name: "verdict", description: "the verdict" }, { name: "plain" }],
      card: { label: "W" },
      source_type: "local",
      source_path: "agents/w.md",
      architect: { use_when: "reviewing" },
    })
    expect(rows.find((r) => r.name === "x")).toEqual({
      name: "x",
      description: "the agent x",
      tools: ["read", "grep", "skill_read"],
      source_type: "local",
      source_path: "agents/x.md",
      architect: { use_when: "the agent x" },
    })
    const builtIn = rows.find((r) => r.name === "flow-architect")
    expect([builtIn?.source_type, builtIn && "source_path" in builtIn]).toEqual(["built-in", false])
  })
})
