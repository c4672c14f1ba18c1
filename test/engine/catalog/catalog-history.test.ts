// Revisions of the catalog in memory: past states, changes and rollback [F72].

import { describe, expect, test } from "vitest"
import { hasErrors } from "../../../src/core/diagnostic.ts"
import { Catalog } from "../../../src/engine/catalog/catalog.ts"
import { loadDefinitions } from "../../../src/engine/catalog/definitions.ts"
import type { BundleResult } from "../../../src/ports/tenant/catalog.ts"
import { BUILTINS, agent, flow, stocked, step, world } from "../../support/engine/memory-catalog.ts"

const A1 = agent("a")
const A2 = agent("a", "tools: grep\n")
const F = flow("f", step("x", "a"))

/** 1: agent and flow; 2: the agent changed; 3: the flow removed. */
async function storied() {
  const w = await stocked({ agents: { "a.md": A1 }, flows: { "f.yaml": F } })
  await w.catalog.put("agent", "agents/a.md", A2, undefined, "ann")
  await w.catalog.remove("flow", "f", undefined, "ben")
  const hash = async (revision: number) => (await w.catalog.read("agent", "a", revision))?.hash ?? ""
  return { ...w, a1: await hash(1), a2: await hash(2), f: (await w.catalog.read("flow", "f", 1))?.hash ?? "" }
}

const done = (result: object): Extract<BundleResult, { ok: true }> => {
  if ("ok" in result && result.ok === true && "revision" in result) return result as Extract<BundleResult, { ok: true }>
  throw new Error(JSON.stringify(result))
}

describe("history", () => {
  test("[F72] every accepted write is a revision with its time, author, changes, old and new hash", async () => {
    const { catalog, a1, a2, f } = await storied()
    const page = await catalog.history.list({ limit: 10 })
    expect(page).toEqual({
      data: [
        {
          revision: 3,
          at: expect.any(Number),
          by: "ben",
          action: "remove",
          changed: 1,
          changes: [{ path: "flows/f.yaml", before: f, after: null }],
        },
        {
          revision: 2,
          at: expect.any(Number),
          by: "ann",
          action: "write",
          changed: 1,
          changes: [{ path: "agents/a.md", before: a1, after: a2 }],
        },
        {
          revision: 1,
          at: expect.any(Number),
          by: null,
          action: "replace",
          changed: 2,
          changes: [
            { path: "agents/a.md", before: null, after: a1 },
            { path: "flows/f.yaml", before: null, after: f },
          ],
        },
      ],
      next_cursor: null,
    })
  })

  test("[F72] a refused write makes no revision; writing the same text makes a revision without changes", async () => {
    const { catalog } = await storied()
    await catalog.put("agent", "agents/a.md", "nothing")
    await catalog.put("agent", "agents/a.md", A2)
    expect(await catalog.history.list({ limit: 1 })).toMatchObject({ data: [{ revision: 4, changed: 0, changes: [] }] })
  })

  test("[H5] pages are newest first and lose or repeat nothing while writes come in", async () => {
    const { catalog } = world()
    for (let i = 0; i < 7; i++) await catalog.put("agent", "agents/a.md", agent("a", "tools: read\n", `n${i} \${{task}}`))
    const seen: number[] = []
    let cursor: string | null | undefined
    while (cursor !== null) {
      const page = await catalog.history.list({ limit: 3, ...(cursor === undefined ? {} : { cursor }) })
      if ("badCursor" in page) throw new Error("bad cursor")
      seen.push(...page.data.map((r) => r.revision))
      cursor = page.next_cursor
      await catalog.put("agent", "agents/b.md", agent("b"))
    }
    expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1])
  })

  test("[H5] an invalid cursor is refused", async () => {
    const { catalog } = await storied()
    for (const cursor of ["", "0", "-1", "x", "99", "1.5", "1e2", "WyJ4Il0"])
      expect(await catalog.history.list({ limit: 1, cursor }), cursor).toEqual({ badCursor: true })
  })

  test("[H5] the changes of a page are limited; the rest is on the next page", async () => {
    const { catalog, rows } = world()
    const files = (count: number, prefix: string) =>
      Array.from(
        { length: count },
        (_, i) => ({ type: "put", kind: "skill", id: `s/${prefix}${i}`, path: `skills/s/${prefix}${i}`, hash: "ab", size: 1 }) as const,
      )
    rows.commit(files(1500, "a"), { action: "replace" })
    rows.commit(files(1500, "b"), { action: "replace" })
    rows.commit(files(2500, "c"), { action: "replace" })
    const counts = async (cursor?: string) => {
      const page = await catalog.history.list({ limit: 50, ...(cursor === undefined ? {} : { cursor }) })
      return "data" in page ? [page.data.map((r) => [r.revision, r.changed, r.changes.length]), page.next_cursor] : "bad"
    }
    expect(await counts()).toEqual([[[3, 2500, 2000]], "3"])
    expect(await counts("3")).toEqual([[[2, 1500, 1500]], "2"])
    expect(await counts("2")).toEqual([[[1, 1500, 1500]], null])
  })

  test("[F72] a write reads no past rows", async () => {
    const { catalog, rows } = await storied()
    rows.looked = 0
    await catalog.put("agent", "agents/b.md", agent("b"))
    await catalog.remove("agent", "b")
    await catalog.replace({ flows: { "g.yaml": F.replace("name: f", "name: g") } })
    await catalog.files()
    expect(rows.looked).toBe(0)
  })
})

describe("past revisions", () => {
  test("[F72] gives the rows and texts of every revision, including built-ins", async () => {
    const { catalog, a1, a2 } = await storied()
    const own = async (revision: number) => {
      const found = await catalog.filesAt(revision)
      return "data" in found ? found.data.filter((f) => f.tier === "local").map((f) => [f.path, f.hash]) : found
    }
    expect(await own(0)).toEqual([])
    expect(await own(1)).toEqual([
      ["agents/a.md", a1],
      ["flows/f.yaml", expect.any(String)],
    ])
    expect(await own(2)).toEqual([
      ["agents/a.md", a2],
      ["flows/f.yaml", expect.any(String)],
    ])
    expect(await own(3)).toEqual([["agents/a.md", a2]])
    expect(await own(4)).toEqual({ ok: false, code: "no_revision", latest: 3 })
    expect(await catalog.read("agent", "a", 1)).toMatchObject({ content: A1, hash: a1 })
    expect(await catalog.read("flow", "f", 2)).toMatchObject({ content: F })
    expect(await catalog.read("flow", "f", 3)).toBeUndefined()
    expect(await catalog.read("flow", "f", 0)).toBeUndefined()
    expect(await catalog.read("flow", "hello", 0)).toMatchObject({ tier: "built-in" })
    expect(await catalog.read("agent", "a", 9)).toBeUndefined()
  })

  test("[F72] name@revision pins that revision's flow, agents and skills", async () => {
    const index = (text: string) => `---\nname: s\ndescription: d\n---\n${text}\n`
    const head = "tools: read\nskills: s\n"
    const { catalog, blobs } = await stocked({
      agents: { "a.md": agent("a", head, "OLD ${{task}}") },
      flows: { "f.yaml": F },
      skills: { "s/SKILL.md": index("OLD") },
    })
    await catalog.put("agent", "agents/a.md", agent("a", head, "NEW ${{task}}"))
    await catalog.put("skill", "skills/s/SKILL.md", index("NEW"))
    await catalog.put("flow", "flows/f.yaml", flow("f", step("y", "a")))
    const at = async (revision?: number) => {
      const pinned = await catalog.pins.pin(
        { flow: "f", ...(revision === undefined ? {} : { revision }) },
        { providers: [], roles: {} },
        { rehearse: true },
      )
      if (!pinned.ok) return pinned
      const { flow: found, agents, skills } = await loadDefinitions(pinned.pins, blobs)
      return [pinned.pins.revision, found.steps[0]?.id, agents["a"]?.body.slice(0, 3), skills["s"]?.skill.text.trim().slice(-3)]
    }
    expect(await at(1)).toEqual([1, "x", "OLD", "OLD"])
    expect(await at(2)).toEqual([2, "x", "NEW", "OLD"])
    expect(await at()).toEqual([4, "y", "NEW", "NEW"])
    expect(await at(0)).toEqual({ ok: false, code: "not_found" })
    expect(await at(99)).toEqual({ ok: false, code: "not_found" })
  })
})

describe("diff", () => {
  test("[F72] shows the changes between two revisions per path, in both directions", async () => {
    const { catalog, a1, a2, f } = await storied()
    expect(await catalog.history.diff({ from: 1, to: 3 })).toEqual({
      ok: true,
      from: 1,
      to: 3,
      data: [
        {
          path: "agents/a.md",
          status: "changed",
          before: a1,
          after: a2,
          diff: "@@ -2,7 +2,7 @@\n name: a\n description: the agent a\n model: '@fast'\n-tools: read\n+tools: grep\n ---\n Do the task.\n \n",
        },
        { path: "flows/f.yaml", status: "removed", before: f, after: null, diff: expect.stringMatching(/^@@ -1,4 \+0,0 @@\n-name: f\n/) },
      ],
    })
    const back = await catalog.history.diff({ from: 3, to: 1 })
    expect(back.ok && back.data.map((d) => [d.path, d.status])).toEqual([
      ["agents/a.md", "changed"],
      ["flows/f.yaml", "added"],
    ])
  })

  test("[F72] without `from` it shows one revision, without both the last; a path selects one file", async () => {
    const { catalog } = await storied()
    const paths = async (query: Parameters<typeof catalog.history.diff>[0]) => {
      const found = await catalog.history.diff(query)
      return found.ok ? [found.from, found.to, found.data.map((d) => d.path)] : found
    }
    expect(await paths({ to: 2 })).toEqual([1, 2, ["agents/a.md"]])
    expect(await paths({})).toEqual([2, 3, ["flows/f.yaml"]])
    expect(await paths({ from: 0, to: 3, path: "agents/a.md" })).toEqual([0, 3, ["agents/a.md"]])
    expect(await paths({ from: 0, path: "nowhere" })).toEqual([0, 3, []])
    expect(await paths({ to: 0 })).toEqual([0, 0, []])
    expect(await paths({ from: 0, to: 4 })).toEqual({ ok: false, code: "no_revision", latest: 3 })
  })

  test("[F72] a file that was removed and restored unchanged is not a difference", async () => {
    const { catalog } = await storied()
    await catalog.put("agent", "agents/a.md", A1)
    await catalog.put("flow", "flows/f.yaml", F)
    expect(await catalog.history.diff({ from: 1 })).toMatchObject({ ok: true, data: [] })
  })

  test("[F74] a lost body leaves its row without hunks", async () => {
    const { catalog, blobs, a1 } = await storied()
    blobs.lose(a1)
    const found = await catalog.history.diff({ to: 2 })
    expect(found.ok && found.data).toEqual([{ path: "agents/a.md", status: "changed", before: a1, after: expect.any(String) }])
  })

  test("[F72] an answer is limited: further rows have hashes but no hunks", async () => {
    const index = "---\nname: s\ndescription: d\n---\n"
    const { catalog } = await stocked({ skills: { "s/SKILL.md": index } })
    const large = Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`s/f${i}.txt`, `${i}`.repeat(300_000)]))
    await catalog.replace({ skills: { "s/SKILL.md": index, ...large } })
    const found = await catalog.history.diff({})
    if (!found.ok) throw new Error("no revision")
    expect(found.data.map((d) => d.diff !== undefined)).toEqual([true, true, true, false, false, false])
    const one = await catalog.history.diff({ path: "skills/s/f5.txt" })
    expect(one.ok && one.data[0]?.diff?.length).toBeGreaterThan(300_000)
  })
})

describe("rollback", () => {
  test("[F72] a rollback is a new revision with the old content; the history stays", async () => {
    const { catalog, a1, a2, f } = await storied()
    expect(done(await catalog.history.rollback(1, undefined, "cy")).revision).toBe(4)
    expect(await catalog.read("agent", "a")).toMatchObject({ content: A1, hash: a1 })
    expect(await catalog.read("flow", "f")).toMatchObject({ content: F })
    expect(await catalog.history.list({ limit: 1 })).toMatchObject({
      data: [
        {
          revision: 4,
          by: "cy",
          action: "rollback",
          target: 1,
          changes: [
            { path: "agents/a.md", before: a2, after: a1 },
            { path: "flows/f.yaml", before: null, after: f },
          ],
        },
      ],
    })
    expect(await catalog.history.diff({ from: 1, to: 4 })).toMatchObject({ data: [] })
    done(await catalog.history.rollback(3))
    expect(await catalog.read("flow", "f")).toBeUndefined()
    done(await catalog.history.rollback(0))
    expect((await catalog.files()).data.filter((row) => row.tier === "local")).toEqual([])
    expect(await catalog.history.rollback(99)).toEqual({ ok: false, code: "no_revision", latest: 6 })
  })

  test("[F72] a revision that was valid when it was written is always there to go back to; what today's checks find is reported", async () => {
    const { rows, blobs } = await storied()
    // The tool `read`, which revision 1's agent uses, no longer exists.
    const strict = new Catalog({ store: rows, blobs, builtins: BUILTINS, tools: ["grep"], inTurn: (work) => work() })
    const result = done(await strict.history.rollback(1))
    expect(
      Object.entries(result.diagnostics)
        .filter(([, list]) => hasErrors(list))
        .map(([path]) => path),
    ).toEqual(["agents/a.md"])
    expect([result.revision, rows.revision()]).toEqual([4, 4])
    expect(await strict.read("flow", "f")).toMatchObject({ content: F })
  })

  test("[F74] a lost body prevents a rollback to it, and is named", async () => {
    const { catalog, blobs, a1 } = await storied()
    blobs.lose(a1)
    const result = await catalog.history.rollback(1)
    expect(result).toMatchObject({ ok: false, diagnostics: { "agents/a.md": [{ code: "CAT-CORRUPT" }] } })
    expect((await catalog.files()).revision).toBe(3)
  })

  test("[F74] a file that is already broken and stays unchanged does not block a rollback", async () => {
    const { catalog } = await storied()
    await catalog.put("flow", "flows/f.yaml", F)
    await catalog.remove("agent", "a")
    await catalog.put("agent", "agents/b.md", agent("b"))
    // At revision 5 and now, flow f names a missing agent.
    const result = done(await catalog.history.rollback(5))
    expect(Object.keys(result.diagnostics)).toContain("flows/f.yaml")
    expect(await catalog.read("agent", "b")).toBeUndefined()
  })

  test("[F5] a flow that moved to another path moves back", async () => {
    const at = (path: string) => ({ agents: { "a.md": A1 }, flows: { [path]: F } })
    for (const [first, second] of [
      ["legal/nda.yaml", "legal/nda/flow.yaml"],
      ["legal/nda/flow.yaml", "legal/nda.yaml"],
    ] as const) {
      const { catalog } = await stocked(at(first))
      expect(await catalog.replace(at(second))).toMatchObject({ ok: true, revision: 2 })
      expect((await catalog.read("flow", "legal:nda"))?.path).toBe(`flows/${second}`)
      done(await catalog.history.rollback(1))
      expect((await catalog.files("flow")).data.filter((row) => row.tier === "local").map((row) => row.path)).toEqual([`flows/${first}`])
      expect((await catalog.read("flow", "legal:nda", 2))?.path).toBe(`flows/${second}`)
    }
  })

  test("[F73] the whole catalog's tag is its revision", async () => {
    const { catalog, rows } = await storied()
    expect(await catalog.history.rollback(1, 2)).toEqual({ stale: 3 })
    expect(await catalog.replace({ flows: {} }, 2)).toEqual({ stale: 3 })
    expect(rows.revision()).toBe(3)
    expect(await catalog.history.rollback(1, 3)).toMatchObject({ ok: true, revision: 4 })
    expect(await catalog.replace({ flows: {} }, 4)).toMatchObject({ ok: true, revision: 5 })
  })

  test("[F73] remove succeeds with the seen hash and fails with another", async () => {
    const { catalog, a1, a2 } = await storied()
    expect(await catalog.remove("agent", "a", a1)).toEqual({ stale: a2 })
    expect(await catalog.remove("agent", "none", a1)).toBe(false)
    expect(await catalog.remove("agent", "a", a2)).toBe(true)
  })
})

describe("export", () => {
  const bundle = {
    agents: { "a.md": agent("a", "tools: read\nskills: s\n", "ünï ${{task}}") },
    flows: {
      "f.yaml": F,
      "f.rehearsal.yaml": "steps: {}\n",
      "legal/nda/flow.yaml": flow("nda", "  - { id: c, type: code, outputs: [n] }\n"),
    },
    skills: { "s/SKILL.md": "---\nname: s\ndescription: d\n---\n\uFEFFBODY", "s/ref/x.txt": "" },
    code: { "legal/nda/c.ts": "export default (): { n: number } => ({ n: 1 })\n" },
  }

  test("[N3] an export is exactly the bundle that recreates the catalog with the same hashes", async () => {
    const { catalog } = await stocked(bundle)
    const first = await catalog.export()
    if (!first.ok) throw new Error("lost")
    expect(first.bundle).toEqual(bundle)
    const other = await stocked(JSON.parse(JSON.stringify(first.bundle)))
    const hashes = async (of: typeof catalog) => (await of.files()).data.map((f) => [f.path, f.hash])
    expect(await hashes(other.catalog)).toEqual(await hashes(catalog))
    const second = await other.catalog.export()
    expect(second.ok && JSON.stringify(second.bundle)).toBe(JSON.stringify(first.bundle))
  })

  test("[N3] an export contains no built-ins and no packages", async () => {
    const { catalog } = world()
    await catalog.packages.put("acme", { version: "1", agents: { "p.md": agent("p") } })
    expect(await catalog.export()).toEqual({ ok: true, revision: 1, bundle: { agents: {}, flows: {}, skills: {}, code: {} } })
  })

  test("[F74] an export names a lost body", async () => {
    const { catalog, rows, blobs } = await stocked(bundle)
    blobs.lose(rows.files().find((f) => f.kind === "agent")?.hash ?? "")
    expect(await catalog.export()).toEqual({ ok: false, lost: ["agents/a.md"] })
  })
})
