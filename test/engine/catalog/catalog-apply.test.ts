// A folder applied to the catalog [F78]: one revision or none, what it says it changed, and a plan that says the same.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { plan as planned } from "../../../src/engine/catalog/catalog-apply.ts"
import type { Trigger } from "../../../src/engine/catalog/catalog-breaks.ts"
import { Catalog } from "../../../src/engine/catalog/catalog.ts"
import { inTurn } from "../../../src/engine/in-turn.ts"
import type { Registered } from "../../../src/engine/catalog/registered-tools.ts"
import type { Applied, ApplyWish, Planned } from "../../../src/ports/tenant/authoring/apply.ts"
import type { CatalogParts } from "../../../src/engine/catalog/catalog-ground.ts"
import { isConfig } from "../../../src/core/flow/catalog-kinds.ts"
import { checkConfig } from "../../../src/engine/catalog/config/config-value.ts"
import type { Bundle, ProjectBundle, StaleRevision } from "../../../src/ports/tenant/catalog.ts"
import type { Held } from "../../../src/ports/tenant/authoring/gate.ts"
import "../../support/property-seed.ts"
import { amount } from "../../support/amount.ts"
import { BUILTINS, FragileBlobs, MemoryRows, TOOLS, agent, flow, step, stocked, world } from "../../support/engine/memory-catalog.ts"

const A = agent("a")
const F = flow("f", step("x", "a"))
const HELD = async (): Promise<Held> => ({ proof: { revision: 0, digest: "" }, flows: [] })
const planOf = (catalog: Catalog, wish: ApplyWish, ifRevision?: number): Promise<Planned<{ held?: Held }> | StaleRevision> =>
  planned(catalog.ground, wish, ifRevision, HELD)
const merge = (bundle: Bundle, gone: readonly string[] = []): ApplyWish => ({ mode: "merge", bundle, delete: gone })
const done = (result: Applied): Extract<Applied, { ok: true }> => {
  if (result.ok) return result
  throw new Error(JSON.stringify(result))
}

describe("an apply", () => {
  test("[N4] stores the bodies of hundreds of files a few at a time, and others have their turn between", async () => {
    const { catalog, blobs } = world()
    let turns = 0
    let timer = setTimeout(function again() {
      turns++
      timer = setTimeout(again, 0)
    })
    const put = blobs.put.bind(blobs)
    const atOnce: number[] = []
    let [since, last] = [0, -1]
    blobs.put = (body) => {
      since = turns === last ? since + 1 : 1
      last = turns
      atOnce.push(since)
      return put(body)
    }
    const agents = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`a${n}.md`, agent(`a${n}`)]))
    const result = await catalog.replace({ agents })
    clearTimeout(timer)
    expect([result.ok, atOnce.length]).toEqual([true, 200])
    expect(Math.max(...atOnce)).toBeLessThanOrEqual(12)
  })

  test("[F78] says which files are new, changed and gone", async () => {
    const { catalog } = await stocked({ agents: { "a.md": A, "b.md": agent("b") }, flows: { "f.yaml": F } })
    expect(await catalog.replace({ agents: { "a.md": agent("a", "tools: grep\n"), "c.md": agent("c") } })).toMatchObject({
      revision: 2,
      added: ["agents/c.md"],
      changed: ["agents/a.md"],
      removed: ["agents/b.md"],
      breaks: [],
    })
  })

  test("[F78] merging writes what is given, and deletes only what is named", async () => {
    const { catalog } = await stocked({ agents: { "a.md": A, "b.md": agent("b") }, flows: { "f.yaml": F } })
    const result = done(await catalog.apply(merge({ agents: { "c.md": agent("c") } }, ["agents/b.md", "agents/never.md"])))
    expect(result).toMatchObject({ revision: 2, added: ["agents/c.md"], changed: [], removed: ["agents/b.md"] })
    const { data } = await catalog.files()
    expect(data.filter((row) => row.tier === "local").map((row) => row.path)).toEqual(["agents/a.md", "agents/c.md", "flows/f.yaml"])
  })

  test("[F78] the second of two equal applies makes no revision, and writes a lost body again", async () => {
    const { catalog, blobs } = await stocked({ agents: { "a.md": A } })
    blobs.lose((await catalog.read("agent", "a"))?.hash ?? "")
    expect(await catalog.replace({ agents: { "a.md": A } })).toMatchObject({ ok: true, revision: 1, added: [], changed: [], removed: [] })
    expect(await catalog.apply(merge({}, ["agents/gone.md"]))).toMatchObject({ ok: true, revision: 1 })
    expect((await catalog.read("agent", "a"))?.content).toBe(A)
  })

  test("[F78] [F5] a definition under a second path is refused, unless the first is deleted with it", async () => {
    const { catalog } = await stocked({ agents: { "a.md": A }, flows: { "n/f.yaml": F.replace("name: f", "name: n:f") } })
    const again = { flows: { "n/f/flow.yaml": F.replace("name: f", "name: n:f") } }
    expect(await catalog.apply(merge(again))).toMatchObject({ ok: false, diagnostics: { "flows/n/f/flow.yaml": [{ code: "CAT-TWICE" }] } })
    expect(done(await catalog.apply(merge(again, ["flows/n/f.yaml"])))).toMatchObject({
      revision: 2,
      added: ["flows/n/f/flow.yaml"],
      removed: ["flows/n/f.yaml"],
    })
    expect(done(await catalog.replace({ flows: { "n/f.yaml": F.replace("name: f", "name: n:f") } }))).toMatchObject({ revision: 3 })
  })

  test.each([
    ["agents/a.md", "is both written and deleted"],
    ["../a.md", "outside"],
    ["packages/p/agents/a.md", "outside the catalog"],
  ])("[F78] to delete %s is refused: it %s", async (path) => {
    const { catalog } = await stocked({ agents: { "a.md": A } })
    expect(await catalog.apply(merge({ agents: { "a.md": A } }, [path]))).toMatchObject({
      ok: false,
      diagnostics: { [path]: [{ code: "CAT-PATH" }] },
    })
    expect((await catalog.files()).revision).toBe(1)
  })

  test("[F78] [F73] a stale revision is refused, in a plan too", async () => {
    const { catalog } = await stocked({ agents: { "a.md": A } })
    expect(await catalog.apply(merge({ agents: {} }), 0)).toEqual({ stale: 1 })
    expect(await planOf(catalog, merge({ agents: {} }), 0)).toEqual({ stale: 1 })
  })
})

describe("breaks", () => {
  const trigger = (kind: Trigger["kind"], id: string, of: string): Trigger => ({
    kind,
    id,
    flow: of,
    fault: ({ inputs }) => (Object.hasOwn(inputs, "topic") ? "/inputs/topic is required" : undefined),
  })
  const house = async (): Promise<Catalog> => {
    const triggers = [trigger("hook", "h1", "f"), trigger("schedule", "s1", "f"), trigger("hook", "h2", "never")]
    const blobs = new FragileBlobs()
    const catalog = new Catalog({
      store: new MemoryRows(),
      blobs,
      builtins: BUILTINS,
      tools: TOOLS,
      inTurn: inTurn(),
      triggers: () => triggers,
    })
    const top = flow("top", "  - { id: one, type: flow-ref, flow: f }\n")
    done(await catalog.replace({ agents: { "a.md": A, "b.md": agent("b") }, flows: { "f.yaml": F, "top.yaml": top } }))
    return catalog
  }

  test("[F78] hooks, schedules and flows that lose their flow; what was broken before does not count", async () => {
    const catalog = await house()
    expect(done(await catalog.apply(merge({}, ["flows/f.yaml"]))).breaks).toEqual([
      { kind: "hook", id: "h1", flow: "f", why: 'there is no flow "f"' },
      { kind: "schedule", id: "s1", flow: "f", why: 'there is no flow "f"' },
      { kind: "flow", id: "top", flow: "top", why: expect.stringContaining("line 4: ") },
    ])
  })

  test("[F78] of many breaks 1,000 are listed", async () => {
    const triggers = Array.from({ length: 1_200 }, (_, i) => trigger("hook", `h${i}`, "f"))
    const blobs = new FragileBlobs()
    const catalog = new Catalog({
      store: new MemoryRows(),
      blobs,
      builtins: BUILTINS,
      tools: TOOLS,
      inTurn: inTurn(),
      triggers: () => triggers,
    })
    done(await catalog.replace({ agents: { "a.md": A }, flows: { "f.yaml": F } }))
    expect(done(await catalog.replace({ flows: {} })).breaks).toHaveLength(1_000)
  })

  test("[F78, F79] agents that list a tool whose file goes or makes it no longer, and the flows that name them", async () => {
    const tool = "description: looks\nparameters: { type: object, properties: {} }\nrequest: { method: GET, url: 'https://example.com/' }\n"
    let registered: readonly Registered[] = []
    const catalog = new Catalog({
      store: new MemoryRows(),
      blobs: new FragileBlobs(),
      builtins: BUILTINS,
      tools: TOOLS,
      inTurn: inTurn(),
      registered: () => registered,
    })
    const by = { by: "an admin", configures: true } as const
    const uses = (name: string) => agent(name, "tools: lookup\n")
    const files = {
      agents: {
        "a.md": A,
        "uses.md": uses("uses"),
        "routes.md": agent("routes", "tools: read\nrole: coordinator\nroutes: [uses]\n"),
        "also.md": agent("also", "tools: lookup, read\n"),
      },
      flows: { "f.yaml": F, "g.yaml": flow("g", step("x", "uses")), "h.yaml": flow("h", step("y", "routes")) },
      tools: { "lookup.yaml": tool },
    }
    done((await catalog.apply({ mode: "replace", bundle: files }, undefined, by)) as Applied)
    registered = [{ name: "lookup", hash: "0", file: "lookup" }]
    const wish = merge({}, ["tools/lookup.yaml"])
    const lost = ["agent also @subagent/also", "agent uses @subagent/uses", "flow g g", "flow h h"]
    const planned = await planOf(catalog, wish)
    const said = "ok" in planned && planned.ok ? planned.breaks : []
    expect(said.map(({ kind, id, flow }) => `${kind} ${id} ${flow}`).sort()).toEqual(lost)
    expect(said.flatMap(({ why }) => (why.includes("lookup") ? [] : [why]))).toEqual([])
    // The file stays, and makes another tool.
    const renamed = await planOf(catalog, { ...wish, bundle: { tools: { "other.yaml": tool } } })
    expect("ok" in renamed && renamed.ok && renamed.breaks).toHaveLength(4)
    // Those that change with it are not broken by it.
    const mended = await planOf(catalog, { ...wish, bundle: { agents: { "uses.md": agent("uses") } } })
    expect("ok" in mended && mended.ok && mended.breaks.map(({ id }) => id)).toEqual(["also"])
    expect(done((await catalog.apply(wish, undefined, by)) as Applied).breaks).toEqual(said)
    registered = []
    expect(
      done((await catalog.apply(merge({}, ["agents/a.md"]), undefined, by)) as Applied).breaks.map(({ kind, id }) => [kind, id]),
    ).toEqual([["flow", "f"]])
  })

  test("[F78] agents that list a skill that goes, and hooks of their flows", async () => {
    const triggers = [trigger("hook", "h1", "g")]
    const catalog = new Catalog({
      store: new MemoryRows(),
      blobs: new FragileBlobs(),
      builtins: BUILTINS,
      tools: TOOLS,
      inTurn: inTurn(),
      triggers: () => triggers,
    })
    const skilled = agent("skilled", "tools: skill_read\nskills: [style]\n")
    const skill = "---\nname: style\ndescription: how we write\n---\nPlainly.\n"
    done(
      await catalog.replace({
        agents: { "skilled.md": skilled },
        flows: { "g.yaml": flow("g", step("x", "skilled")) },
        skills: { "style/SKILL.md": skill },
      }),
    )
    expect(done(await catalog.apply(merge({}, ["skills/style/SKILL.md"]))).breaks.map(({ kind, id }) => [kind, id])).toEqual([
      ["hook", "h1"],
      ["agent", "skilled"],
      ["flow", "g"],
    ])
  })

  test("[F78] a flow that no longer loads, or wants what its hook does not give", async () => {
    const catalog = await house()
    expect(done(await catalog.apply(merge({}, ["agents/b.md"]))).breaks).toEqual([])
    const wants = flow("f", step("x", "a"), "inputs: { topic: { type: string, required: true } }\n")
    const planned = await planOf(catalog, merge({ flows: { "f.yaml": wants } }))
    expect("ok" in planned && planned.ok && planned.breaks.map(({ id, why }) => [id, why])).toEqual([
      ["h1", "/inputs/topic is required"],
      ["s1", "/inputs/topic is required"],
    ])
    expect(done(await catalog.apply(merge({}, ["agents/a.md"]))).breaks.map(({ kind, id }) => [kind, id])).toEqual([
      ["hook", "h1"],
      ["schedule", "s1"],
      ["flow", "f"],
    ])
  })
})

describe("drift", () => {
  test("[F78] lists what others have changed since the project's last apply: who, when, and whether the apply undoes it", async () => {
    const { catalog } = world()
    const files = { agents: { "a.md": A, "b.md": agent("b") } }
    const wish = { mode: "merge", bundle: files, project: "shop" } as const
    const first = await planOf(catalog, wish)
    expect("ok" in first && first.ok && first.drift).toEqual({ since: null, changes: [], more: false })
    done(await catalog.apply(wish))
    await catalog.put("agent", "agents/a.md", agent("a", "tools: grep\n"), undefined, "ann")
    await catalog.put("agent", "agents/z.md", agent("z"), undefined, "ben")
    await catalog.put("agent", "agents/b.md", agent("b", "tools: grep\n"), undefined, "ann")
    await catalog.put("agent", "agents/b.md", agent("b"), undefined, "ann")
    const found = await planOf(catalog, wish)
    const row = { at: expect.any(Number), action: "write" }
    expect("ok" in found && found.ok && found.drift).toEqual({
      since: 1,
      changes: [
        { path: "agents/a.md", status: "changed", revision: 2, by: "ann", overwritten: true, ...row },
        { path: "agents/z.md", status: "added", revision: 3, by: "ben", overwritten: false, ...row },
      ],
      more: false,
    })
    done(await catalog.apply(wish))
    const after = await planOf(catalog, wish)
    expect("ok" in after && after.ok && after.drift).toEqual({ since: 6, changes: [], more: false })
    const other = await planOf(catalog, { ...wish, project: "other" })
    expect("ok" in other && other.ok && other.drift.since).toBeNull()
  })

  test("[F78] an apply that changes nothing counts as one", async () => {
    const { catalog } = await stocked({ agents: { "a.md": A } })
    const wish = { ...merge({ agents: { "a.md": A } }), project: "shop" }
    done(await catalog.apply(wish))
    const found = await planOf(catalog, wish)
    expect("ok" in found && found.ok && found.drift.since).toBe(1)
  })

  test("[F78] drift of more than 1,000 revisions is cut, and says so", async () => {
    const { catalog, rows } = await stocked({ agents: { "a.md": A } })
    for (let i = 0; i < 1_100; i++)
      rows.commit([{ type: "put", kind: "skill", id: `s/f${i}`, path: `skills/s/f${i}`, hash: "ab", size: 1 }], { action: "write" })
    const found = await planOf(catalog, merge({ agents: { "a.md": A } }))
    expect("ok" in found && found.ok && [found.drift.since, found.drift.changes.length, found.drift.more]).toEqual([1, 1_000, true])
  })

  test("[F78] more than 2,000 changed files are cut, and the plan says so", async () => {
    const { catalog, rows } = await stocked({ agents: { "a.md": A } })
    const put = (i: number) => ({ type: "put", kind: "skill", id: `s/f${i}`, path: `skills/s/f${i}`, hash: "ab", size: 1 }) as const
    rows.commit(
      Array.from({ length: 2_100 }, (_, i) => put(i)),
      { action: "write" },
    )
    const found = await planOf(catalog, merge({ agents: { "a.md": A } }))
    expect("ok" in found && found.ok && [found.drift.changes.length, found.drift.more]).toEqual([2_000, true])
  })
})

// Folders of every kind of file, some with faults.
const NAMES = ["a", "b", "c", "d"] as const
const name = fc.constantFrom(...NAMES)
const agentText = fc.tuple(name, fc.constantFrom("tools: read\n", "tools: grep\n", "skills: [s]\ntools: skill_read\n", "nonsense: [\n"))
const flowText = fc.tuple(name, name, fc.boolean())
const folderOf = fc
  .record({
    agents: fc.option(fc.array(agentText, { maxLength: 4 }), { nil: undefined }),
    flows: fc.option(fc.array(flowText, { maxLength: 4 }), { nil: undefined }),
    skills: fc.option(fc.array(fc.constantFrom("SKILL.md", "more.md"), { maxLength: 2 }), { nil: undefined }),
    code: fc.option(fc.array(name, { maxLength: 2 }), { nil: undefined }),
  })
  .map(({ agents, flows, skills, code }): Bundle => ({
    ...(agents ? { agents: Object.fromEntries(agents.map(([n, head]) => [`${n}.md`, agent(n, head)])) } : {}),
    ...(flows
      ? {
          flows: Object.fromEntries(
            flows.flatMap(([n, uses, deep]) => {
              const id = deep ? `deep:${n}` : n
              return [[`${id.replace(":", "/")}.yaml`, flow(id, step("x", uses))]]
            }),
          ),
        }
      : {}),
    ...(skills
      ? {
          skills: Object.fromEntries(
            skills.map((f) => [`s/${f}`, f === "SKILL.md" ? "---\nname: s\ndescription: d\n---\nRead.\n" : "more"]),
          ),
        }
      : {}),
    ...(code ? { code: Object.fromEntries(code.map((n) => [`${n}/x.ts`, "export default () => ({})\n"])) } : {}),
  }))
const wish = fc.record({
  mode: fc.constantFrom("merge" as const, "replace" as const),
  bundle: folderOf,
  delete: fc.array(
    name.map((n) => `agents/${n}.md`),
    { maxLength: 2 },
  ),
})
const BASE: Bundle = {
  agents: Object.fromEntries(NAMES.map((n) => [`${n}.md`, agent(n)])),
  flows: { "a.yaml": flow("a", step("x", "a")) },
  skills: { "s/SKILL.md": "---\nname: s\ndescription: d\n---\nRead.\n" },
}
const localOf = async (catalog: Catalog) => {
  const { data } = await catalog.files()
  return data.filter((row) => row.tier === "local").map(({ path, hash }) => [path, hash])
}

describe("random folders", () => {
  const CRON = ["0 1 * * *", "0 2 * * *", "never"]
  const configured = fc
    .record({
      schedules: fc.option(fc.array(fc.tuple(name, fc.constantFrom(...CRON)), { maxLength: 3 }), { nil: undefined }),
      budget: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
      removed: fc.boolean(),
    })
    .map(({ schedules, budget, removed }): ProjectBundle => ({
      ...(schedules ? { schedules: Object.fromEntries(schedules.map(([n, cron]) => [`${n}.yaml`, `flow: a\ncron: "${cron}"\n`])) } : {}),
      ...(budget !== undefined ? { settings: { "budget.yaml": `usd: ${budget}\n` } } : removed ? { settings: {} } : {}),
    }))

  test("[F79] what the files set and the files are never apart, through applies, rollbacks and crashes", async () => {
    let refused = 0
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(configured, fc.nat(8)), { minLength: 1, maxLength: 6 }), async (steps) => {
        const blobs = new FragileBlobs()
        const rows = new MemoryRows()
        const set = new Map<string, unknown>()
        const parts = { store: rows, blobs, builtins: BUILTINS, tools: TOOLS, inTurn: inTurn() }
        const configure: Required<CatalogParts>["configure"] = async (changes) => () => {
          for (const { kind, id, value } of changes)
            if (value === null) set.delete(`${kind} ${id}`)
            else set.set(`${kind} ${id}`, value)
        }
        const catalog = new Catalog({ ...parts, configure })
        done(await catalog.replace(BASE))
        for (const [bundle, cut] of steps) {
          let puts = 0
          blobs.beforePut = async () => {
            if (cut > 5 && puts++ >= cut - 6) throw new Error("cut off")
          }
          const result = await catalog.apply({ mode: "replace", bundle }, undefined, { configures: true }).catch(() => undefined)
          if (result && "ok" in result && !result.ok) refused++
          if (cut === 5) await catalog.history.rollback(1, undefined, { configures: true })
          const files = await Promise.all(
            rows.files().map(async ({ kind, id, hash, size }) => {
              if (!isConfig(kind)) return []
              const text = await (await catalog.ground.texts()).text({ hash, size })
              return [[`${kind} ${id}`, checkConfig(kind, id, text ?? "").value] as const]
            }),
          )
          expect(new Map(files.flat())).toEqual(set)
        }
      }),
      { numRuns: amount(100, 35) },
    )
    expect(refused).toBeGreaterThan(amount(10, 3))
  })

  test("[F79] without the right to configure, such files are sent unchanged or not at all", async () => {
    const { catalog, rows } = world()
    const bundle = { ...BASE, settings: { "budget.yaml": "usd: 1\n" } }
    await expect(catalog.replace(bundle, undefined, "ci")).rejects.toThrow("the scope admin")
    expect(rows.revision()).toBe(0)
    expect(await catalog.replace(bundle, undefined, { configures: true })).toMatchObject({ revision: 1 })
    expect(await catalog.replace(bundle, undefined, "ci")).toMatchObject({ revision: 1 })
    await expect(catalog.history.rollback(0, undefined, "ci")).rejects.toThrow("the scope admin")
  })

  test("[F78] the plan is what the apply does, and the second apply changes nothing", async () => {
    let applied = 0
    await fc.assert(
      fc.asyncProperty(wish, async (asked) => {
        const { catalog } = await stocked(BASE)
        const before = await localOf(catalog)
        const plan = await planOf(catalog, asked)
        expect(await localOf(catalog)).toEqual(before)
        const result = await catalog.apply(asked)
        if (!("ok" in plan)) throw new Error("stale")
        expect(result.ok).toBe(plan.ok)
        expect(result.diagnostics).toEqual(plan.diagnostics)
        if (!result.ok || !plan.ok) {
          expect(await localOf(catalog)).toEqual(before)
          return
        }
        applied++
        const outcome = ({ added, changed, removed, breaks }: typeof result | typeof plan) => ({ added, changed, removed, breaks })
        expect(outcome(result)).toEqual(outcome(plan))
        const changes = [...result.added, ...result.changed, ...result.removed].sort()
        expect(result.revision).toBe(changes.length === 0 ? 1 : 2)
        if (changes.length > 0) {
          const page = await catalog.history.list({ limit: 1 })
          expect("data" in page && page.data[0]?.changes.map((change) => change.path)).toEqual(changes)
        }
        expect(await catalog.apply(asked)).toMatchObject({ ok: true, revision: result.revision, added: [], changed: [], removed: [] })
      }),
      { numRuns: amount(100, 35) },
    )
    expect(applied).toBeGreaterThan(amount(30, 10))
  })

  test("[F78] [N3] an export applied to an empty catalog gives the same files, and applied again, no revision", async () => {
    await fc.assert(
      fc.asyncProperty(wish, async (asked) => {
        const { catalog } = await stocked(BASE)
        await catalog.apply(asked)
        const file = await catalog.export()
        if (!file.ok) throw new Error("lost")
        const empty = world().catalog
        // Files that an apply broke are in the export, and no apply takes them.
        const copied = await empty.replace(file.bundle)
        if (!copied.ok) return
        expect(await localOf(empty)).toEqual(await localOf(catalog))
        expect(await catalog.replace(file.bundle)).toMatchObject({ added: [], changed: [], removed: [] })
      }),
      { numRuns: amount(100, 35) },
    )
  })

  test("[F78] an apply that is cut off anywhere leaves the old catalog or the new one", async () => {
    await fc.assert(
      fc.asyncProperty(wish, fc.nat(12), async (asked, at) => {
        const whole = await stocked(BASE)
        const before = await localOf(whole.catalog)
        await whole.catalog.apply(asked)
        const after = await localOf(whole.catalog)
        const cut = await stocked(BASE)
        let puts = 0
        cut.blobs.beforePut = async () => {
          if (puts++ >= at) throw new Error("cut off")
        }
        await cut.catalog.apply(asked).catch(() => undefined)
        // A new object reads the rows that are there.
        const again = new Catalog({ store: cut.rows, blobs: cut.blobs, builtins: BUILTINS, tools: TOOLS, inTurn: inTurn() })
        const left = await localOf(again)
        expect([before, after]).toContainEqual(left)
        for (const [path] of left)
          expect((await again.files()).data.find((row) => row.path === path)?.diagnostics).not.toContainEqual(
            expect.objectContaining({ code: "CAT-CORRUPT" }),
          )
      }),
      { numRuns: amount(100, 35) },
    )
  })
})
