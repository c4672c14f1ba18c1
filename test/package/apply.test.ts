// `validate`, `plan` and `apply` of a folder, the last two against a server that is a catalog in memory: what plan says is what apply does.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import { once } from "node:events"
import { tmpdir } from "node:os"
import path from "node:path"
import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { difference, filesOf, kindOf, KINDS } from "../../cli/project/difference.ts"
import type { Bundle } from "../../src/api/catalog.ts"
import { agent, flow, step, world } from "../support/engine/memory-catalog.ts"
import { sluice, type Done } from "./sluice.ts"

let folder = ""
let server: Server
let url = ""
let puts = 0
let catalog: ReturnType<typeof world>["catalog"]

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "sluice-apply-"))
  puts = 0
  ;({ catalog } = world({}))
  server = createServer((request, answer) => {
    void (async () => {
      let text = ""
      for await (const part of request) text += String(part)
      if (request.method !== "GET") puts += 1
      const found = request.method === "GET" ? await catalog.export() : await written(request.method, JSON.parse(text) as Bundle)
      const body = "bundle" in found ? found.bundle : found
      answer.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
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

/** PATCH merges, as the server does. */
async function written(method: string | undefined, ours: Bundle) {
  if (method === "PUT") return catalog.replace(ours)
  const there = await catalog.export()
  const theirs: Bundle = there.ok ? there.bundle : {}
  const kinds = KINDS.flatMap((kind) => (ours[kind] === undefined ? [] : [[kind, { ...theirs[kind], ...ours[kind] }] as const]))
  return catalog.replace(Object.fromEntries(kinds))
}

async function write(name: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
  await writeFile(path.join(folder, name), text)
}
const at = (...args: string[]): Promise<Done> => sluice([...args, "--url", url, "--key", "k"], { cwd: folder })

describe("validate", () => {
  test.each([
    ["pretty", /^flows\/one\.yaml:4:\d+: error FV-AGENT: .*\n {4}4 \| .*\n {6}\| +\^\n2 files: not valid\n$/],
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
    expect(planned).toMatchObject({ added: ["agents/a.md", "flows/one.yaml"], changed: [], removed: [] })
    expect(puts).toBe(0)
    const done = JSON.parse((await at("apply", "--json")).out) as object
    expect(done).toEqual({ ...planned, revision: 1 })
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

  test("[F73] a project with a fault is not sent, and no server is asked", async () => {
    await write("flows/one.yaml", "steps: [")
    const { code, err } = await sluice(["apply", "--url", "http://127.0.0.1:1", "--key", "k"], { cwd: folder })
    expect([code, err]).toEqual([3, "sluice: nothing was sent: the project is not valid\n"])
  })

  const names = fc.constantFrom("a", "b", "c")
  const files = fc.dictionary(names, fc.constantFrom("1", "2"), { maxKeys: 3 })
  const bundles = fc.record({ agents: files, flows: files, settings: files }, { requiredKeys: [] })
  test("[F73] a plan names each path once, and nothing of a kind that the folder has not", () => {
    fc.assert(
      fc.property(bundles, bundles, (ours, theirs) => {
        const { added, changed, removed } = difference(ours, theirs)
        const all = [...added, ...changed, ...removed]
        expect(new Set(all).size).toBe(all.length)
        for (const path of all) expect(ours).toHaveProperty(kindOf(path))
        const [here, there] = [filesOf(ours), filesOf(theirs)]
        for (const path of here.keys()) expect(all.includes(path)).toBe(here.get(path) !== there.get(path))
      }),
    )
  })
})
