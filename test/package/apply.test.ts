// `validate`, `plan` and `apply` of a folder, the last two against a server that is a catalog in memory: what plan says is what apply does.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer, type IncomingMessage, type Server } from "node:http"
import { once } from "node:events"
import { tmpdir } from "node:os"
import path from "node:path"
import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { definitionOf } from "../../local/definition-files.ts"
import { difference, filesOf } from "../../cli/project/difference.ts"
import { catalogFolder } from "../../src/core/flow/catalog-kinds.ts"
import { planLines, projectName, type ProjectPlan } from "../../cli/project/planned.ts"
import type { Bundle, Plan } from "../../src/api/catalog.ts"
import type { CatalogPlan } from "../../src/api/doc/catalog.doc.ts"
import { plan } from "../../src/engine/catalog/catalog-apply.ts"
import { agent, flow, step, world } from "../support/engine/memory-catalog.ts"
import { sluice, type Done } from "./sluice.ts"

let folder = ""
let server: Server
let url = ""
/** Writes that were asked for, with their conditions, and the projects of all plans and writes. */
let puts = 0
let tags: (string | undefined)[] = []
let projects: (string | null)[] = []
let gate: CatalogPlan["gate"]
/** Somebody else, between a plan and its apply. */
let meanwhile: () => Promise<unknown>
let catalog: ReturnType<typeof world>["catalog"]

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "sluice-apply-"))
  puts = 0
  tags = []
  projects = []
  ;({ catalog } = world({}))
  gate = { passed: true, reached: [], report: { flows: [] } }
  meanwhile = async () => {}
  server = createServer((request, answer) => {
    void (async () => {
      let text = ""
      for await (const part of request) text += String(part)
      const { status, body } = await answered(request, text)
      answer.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    })()
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const at = server.address()
  url = typeof at === "object" && at !== null ? `http://127.0.0.1:${at.port}` : ""
  await write("sluice.yaml", "name: t\n")
  await write("agents/a.md", agent("a"))
  await write("flows/one.yaml", flow("one", step("s", "a")))
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true, force: true })
})

/** As the routes of the catalog answer, over the catalog itself. */
async function answered({ method, url: target = "", headers }: IncomingMessage, text: string): Promise<{ status: number; body: unknown }> {
  const { pathname, searchParams } = new URL(target, "http://here")
  if (pathname === "/v1/catalog/export") return { status: 200, body: bundleIn(await catalog.export()) }
  if (method === "GET") {
    const data = [...filesOf(bundleIn(await catalog.export())).keys()].map((path) => ({ path, tier: "local" }))
    return { status: 200, body: { data, next_cursor: null, revision: 0 } }
  }
  const sent = JSON.parse(text) as Partial<Plan>
  const { mode = method === "PUT" ? "replace" : "merge", delete: gone = [], ...bundle } = sent
  const project = searchParams.get("project")
  projects.push(project)
  const wish = { mode, bundle, delete: gone, ...(project === null ? {} : { project }) }
  if (pathname === "/v1/catalog/plan") {
    const found = await plan(catalog.ground, wish, undefined, () => Promise.reject(new Error("no gate")))
    return { status: 200, body: { ...withoutOk(found), gate } }
  }
  await meanwhile()
  puts += 1
  const tag = headers["if-match"]
  tags.push(tag)
  const found = await catalog.apply(wish, tag === undefined ? undefined : Number(tag.slice(2, -1)), { configures: true })
  return "stale" in found ? { status: 412, body: { code: "stale", detail: "moved" } } : { status: 200, body: withoutOk(found) }
}
const withoutOk = (found: object): object => Object.fromEntries(Object.entries(found).filter(([name]) => name !== "ok"))
const bundleIn = (found: Awaited<ReturnType<typeof catalog.export>>): Bundle => (found.ok ? found.bundle : {})

const onlyOnce = (act: () => Promise<unknown>): (() => Promise<unknown>) => {
  let left = 1
  return async () => (left-- > 0 ? act() : undefined)
}

async function write(name: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
  await writeFile(path.join(folder, name), text)
}
const at = (...args: string[]): Promise<Done> => sluice([...args, "--url", url, "--key", "k"], { cwd: folder })

describe("validate", () => {
  test.each([
    ["pretty", /^flows\/one\.yaml:4:\d+: error FV-AGENT: .*\n {4}4 \| .*\n {6}\| +\^\n2 files: not valid, 1 error\n$/],
    ["github", /^::error file=flows\/one\.yaml,line=4,col=\d+,title=FV-AGENT::/],
    ["sarif", /"ruleId":"FV-AGENT".*"uri":"flows\/one\.yaml"/],
    ["json", /"valid":false.*"path":"flows\/one\.yaml"/],
  ])("[F2] as %s names the place, and ends with 3", async (format, says) => {
    await write("flows/one.yaml", flow("one", step("s", "nobody")))
    const { code, out, err } = await sluice(["validate", "--format", format], { cwd: folder })
    expect([code, err]).toEqual([3, ""])
    expect(out).toMatch(says)
  })

  test("[F2] a file is judged with its project; a tool of sluice.yaml is known, any other is not", async () => {
    await write("agents/b.md", agent("b", "tools: crm.find\n"))
    expect(await sluice(["validate", "flows/one.yaml"], { cwd: folder })).toEqual({ code: 0, out: "flows/one.yaml: valid\n", err: "" })
    expect((await sluice(["validate"], { cwd: folder })).code).toBe(3)
    await write("sluice.yaml", "tools: [crm.find]\n")
    expect((await sluice(["validate"], { cwd: folder })).code).toBe(0)
  })

  test.each([
    ["flows/x.md", "flow", "a flow's file is flows/NAME.yaml"],
    ["flows/x.ts", "flow", "a handler's file is code/FLOW/STEP.ts"],
    ["flows/x.rehearsal.yml", "rehearsal", "ends in .yaml"],
    ["agents/x.yaml", "agent", "an agent's file is agents/NAME.md"],
    ["tests/x.yaml", "test", "tests/NAME.test.yaml"],
    ["code/x/s.py", "code", "a handler's file ends in .ts or .js"],
    ["tools/x.ts", "tool", "a tool's file is tools/NAME.yaml"],
    ["hooks/x.json", "hook", "a hook's file is hooks/NAME.yaml"],
  ])("[F2] %s is told by its folder: it should be %s", async (name, kind, says) => {
    await write(name, "x")
    expect(definitionOf(name)).toEqual({ kind, path: name })
    const { code, out } = await sluice(["validate", name], { cwd: folder })
    expect(code).toBe(3)
    expect(out).toContain(`${name}:1: error CAT-PATH: `)
    expect(out).toContain(says)
  })

  test.each([
    ["a folder that is not there", ["nowhere"], "nowhere is not there"],
    ["a file that is in no project", ["/dev/null"], "is in no project"],
  ])("[F2] %s is a usage error", async (_, args, says) => {
    const { code, err } = await sluice(["validate", ...args], { cwd: folder })
    expect(code).toBe(2)
    expect(err).toContain(says)
  })
})

describe("plan and apply", () => {
  test("[F73] plan says what apply does; a second apply does nothing", async () => {
    const planned = JSON.parse((await at("plan", "--json")).out) as object
    expect(Object.keys(planned).sort()).toEqual(
      "added breaks changed diagnostics diffs drift environment gate handlers kept mode project removed revision url".split(" "),
    )
    expect(planned).toMatchObject({ added: ["agents/a.md", "flows/one.yaml"], changed: [], removed: [] })
    expect(puts).toBe(0)
    const done = JSON.parse((await at("apply", "--json")).out) as object
    expect(done).toEqual({ ...planned, revision: 1, diagnostics: {} })
    expect(JSON.parse((await at("apply", "--json")).out)).toMatchObject({ added: [], changed: [], revision: null })
    expect(puts).toBe(1)
  })

  test("[F73] apply leaves what is only on the server; --prune removes it", async () => {
    await at("apply")
    await rm(path.join(folder, "flows/one.yaml"))
    const kept = await at("plan")
    expect(kept.out).toContain("flows/one.yaml is only on the server; --prune removes it")
    expect((await at("apply", "--prune", "--json")).code).toBe(0)
    expect((await catalog.files("flow")).data.map(({ id }) => id)).toEqual([])
    expect((await catalog.files("agent")).data.map(({ id }) => id)).toEqual(["a"])
  })

  test("[F79] --prune removes a project's last setting too", async () => {
    await write("sluice.yaml", "name: shop\n")
    await write("budget.yaml", "usd: 5\n")
    await at("apply")
    await rm(path.join(folder, "budget.yaml"))
    expect((await at("plan")).out).toContain("budget.yaml is only on the server; --prune removes it")
    expect((await at("plan", "--prune")).out).toContain("- budget.yaml\n")
    expect((await at("apply", "--prune")).code).toBe(0)
    expect((await at("plan", "--prune")).out).toContain("has all of it")
  })

  test("[F78] both name the project, and an apply holds the revision of its plan", async () => {
    await write("sluice.yaml", "name: My shop!\n")
    await at("apply")
    await write("agents/a.md", agent("a", undefined, "Other.\n\n${{task}}\n"))
    await at("apply")
    expect([...new Set(projects)]).toEqual(["My-shop"])
    expect(tags).toEqual(['"r0"', '"r1"'])
  })

  test("[F78] plan shows what others have changed since the last apply, and whether an apply overwrites it", async () => {
    await at("apply")
    const theirs = { "a.md": agent("a", undefined, "Theirs.\n\n${{task}}\n"), "b.md": agent("b") }
    await catalog.apply({ mode: "merge", bundle: { agents: theirs } }, undefined, "ann")
    const { code, out } = await at("plan")
    expect(code).toBe(0)
    expect(out.split("\n")).toEqual([
      "~ agents/a.md",
      "    @@ -4,6 +4,6 @@",
      "     model: '@fast'",
      "     tools: read",
      "     ---",
      "    -Theirs.",
      "    +Do the task.",
      "     ",
      "     ${{task}}",
      "  agents/b.md is only on the server; --prune removes it",
      "! drift agents/a.md: changed by ann in revision 2, since the last apply; the apply overwrites this",
      "! drift agents/b.md: added by ann in revision 2, since the last apply; it stays",
      `0 to add, 1 to change, 0 to remove (${url}, now at revision 2)`,
      "",
    ])
    expect((await at("plan", "--prune")).out).toContain("- agents/b.md\n")
  })

  test("[F78] a server that others brought to the same files is noted as applied, once", async () => {
    await catalog.apply({ mode: "replace", bundle: { agents: { "a.md": agent("a") }, flows: { "one.yaml": flow("one", step("s", "a")) } } })
    for (const _ of [1, 2]) expect((await at("apply")).out).toBe(`${url} has all of it: nothing to apply\n`)
    expect([puts, JSON.parse((await at("plan", "--json")).out)]).toMatchObject([1, { revision: 1, drift: { since: 1 } }])
  })

  test("[F78] a gate that fails is told with its flows; plan ends with 1, and apply writes nothing unless forced", async () => {
    gate = { passed: false, reached: ["one"], report: { flows: [{ flow: "one", tests: { failed: 2 } }] } }
    const planned = await at("plan")
    expect([planned.code, planned.out]).toEqual([1, expect.stringContaining("! gate FAILED: one (2 of its tests fail)\n")])
    const refused = await at("apply")
    expect([refused.code, puts]).toEqual([1, 0])
    expect(refused.err).toContain("nothing was written: the gate fails")
    expect([(await at("apply", "--force")).code, puts]).toEqual([0, 1])
  })

  test("[F78] a write between plan and apply that changes the plan stops the apply; any other does not", async () => {
    await at("apply")
    await write("agents/a.md", agent("a", undefined, "Ours.\n\n${{task}}\n"))
    meanwhile = onlyOnce(() => catalog.apply({ mode: "merge", bundle: { agents: { "z.md": agent("z") } } }))
    expect((await at("apply")).code).toBe(0)
    await write("agents/a.md", agent("a", undefined, "Ours again.\n\n${{task}}\n"))
    const theirs = agent("a", undefined, "Theirs.\n\n${{task}}\n")
    meanwhile = onlyOnce(() => catalog.apply({ mode: "merge", bundle: { agents: { "a.md": theirs } } }))
    const { code, err } = await at("apply")
    expect([code, err]).toEqual([1, expect.stringContaining("nothing was written: someone else changed the catalog, which is now at revision 4")])
    expect(bundleIn(await catalog.export()).agents?.["a.md"]).toBe(theirs)
  })

  test("[F78] what breaks is told with its reason", () => {
    const planned: ProjectPlan = {
      revision: 1,
      diagnostics: {},
      added: [],
      changed: ["code/one/s.ts", "flows/one.yaml"],
      removed: [],
      mode: "merge",
      project: null,
      kept: [],
      diffs: {},
      environment: null,
      handlers: [
        { path: "code/one/s.ts", files: ["code/one/s.ts", "lib/a.ts"], packages: ["zod@4.6.7"], bytes: 2_048, hash: "0123456789abcdef" },
      ],
      breaks: [{ kind: "hook", id: "hk_1", name: "orders", flow: "one", why: 'the input "day" is missing' }],
      drift: { since: 1, changes: [], more: true },
      gate: { passed: true, reached: ["one"], report: {} },
    }
    expect(planLines(planned)).toEqual([
      "~ code/one/s.ts  (2 files, zod@4.6.7: 2.0 KiB, sha256 0123456789ab)",
      "~ flows/one.yaml",
      "! drift: more changes than are listed (sluice catalog history)",
      '! breaks hook orders: the input "day" is missing',
      "gate passed: one",
    ])
  })

  test.each([
    ["shop", "shop"],
    ["My shop!", "My-shop"],
    ["Crème_2", "Creme_2"],
    ["..x", "x"],
    ["東京", undefined],
    [undefined, undefined],
    ["a".repeat(99) + " b", "a".repeat(99)],
  ])("[F78] the server knows the project %j as %j", (name, known) => {
    expect(projectName(name)).toBe(known)
  })

  test("[F73] a project with a fault is not sent, and no server is asked", async () => {
    await write("flows/one.yaml", "steps: [")
    const { code, err } = await sluice(["apply", "--url", "http://127.0.0.1:1", "--key", "k"], { cwd: folder })
    expect([code, err]).toEqual([3, "sluice: nothing was sent: the project is not valid\n"])
  })

  const whole = fc.record({ agents: fc.subarray(["a", "b", "c"]), extra: fc.subarray(["a", "b", "d"]), text: fc.constantFrom("1", "2") })
  test.each(["merge", "replace"] as const)(
    "[F78] over random folders an apply (%s) does what its plan says, and the next does nothing",
    async (mode) => {
      await fc.assert(
        fc.asyncProperty(fc.array(whole, { minLength: 1, maxLength: 4 }), async (states) => {
          const { catalog: fresh } = world({})
          for (const { agents, extra, text } of states) {
            const body = (name: string): string => agent(name, undefined, `${text}\n\n\${{task}}\n`)
            const there = Object.fromEntries(extra.map((name) => [`${name}.md`, body(name)]))
            await fresh.apply({ mode: "merge", bundle: { agents: there } })
            const bundle = { agents: Object.fromEntries(agents.map((name) => [`${name}.md`, body(name)])) }
            const wish = { mode, bundle, project: "p" }
            const said = await plan(fresh.ground, wish, undefined, () => Promise.reject(new Error("no gate")))
            const done = await fresh.apply(wish)
            if ("stale" in said || "stale" in done || !said.ok || !done.ok) throw new Error("refused")
            expect([done.added, done.changed, done.removed]).toEqual([said.added, said.changed, said.removed])
            const again = await plan(fresh.ground, wish, undefined, () => Promise.reject(new Error("no gate")))
            expect(again).toMatchObject({ added: [], changed: [], removed: [], drift: { changes: [] } })
          }
        }),
        { numRuns: 50 },
      )
    },
  )

  const names = fc.constantFrom("a", "b", "c")
  const files = fc.dictionary(names, fc.constantFrom("1", "2"), { maxKeys: 3 })
  const bundles = fc.record({ agents: files, flows: files, settings: files }, { requiredKeys: [] })
  test("[F73] a plan names each path once, and nothing of a kind that the folder has not", () => {
    fc.assert(
      fc.property(bundles, bundles, (ours, theirs) => {
        const { added, changed, removed } = difference(ours, theirs)
        const all = [...added, ...changed, ...removed]
        expect(new Set(all).size).toBe(all.length)
        for (const path of all) expect(ours).toHaveProperty(catalogFolder(path))
        const [here, there] = [filesOf(ours), filesOf(theirs)]
        for (const path of here.keys()) expect(all.includes(path)).toBe(here.get(path) !== there.get(path))
      }),
    )
  })
})
