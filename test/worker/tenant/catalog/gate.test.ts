// [K24] The gate: a write that breaks a flow's tests is 409 with the report and changes nothing, by whatever way it comes.

import { describe, expect, test, beforeEach } from "vitest"
import type { GateReport } from "../../../../src/ports/tenant/authoring/gate.ts"
import { ask, call, ended, flow, start, until } from "../../../support/worker/house.ts"

const md = (name: string, out: string, more = ""): string =>
  `---\nname: ${name}\ndescription: ${name}\ntools: skill_read\n${more}outputs:\n  - { name: ${out}, type: number }\n---\nDo it.\n`
const TESTS =
  "cases:\n  - name: has n\n    task: go\n    expect: { status: succeeded, steps: { a: { outputs: { n: { schema: { type: number } } } } } }\n"
const HANDLER = "export default function () { return { x: 1 } }\n"
const catalog = {
  agents: { "a.md": md("a", "n", "skills: [s]\n"), "z.md": md("z", "n"), "c.md": md("c", "n") },
  flows: {
    "f.yaml": flow(
      "f",
      "  - { id: a, type: agent, agent: a }\n  - { id: k, type: flow-ref, flow: child }\n  - { id: h, type: code, outputs: [ { name: x, type: number } ] }\n",
    ),
    "f.test.yaml": TESTS,
    "child.yaml": flow("child", "  - { id: c, type: agent, agent: c }\n"),
    "other.yaml": flow("other", "  - { id: a, type: agent, agent: z }\n"),
  },
  skills: { "s/SKILL.md": "---\nname: s\ndescription: s\n---\nRead.\n" },
  code: { "f/h.ts": HANDLER },
}
const BAD = md("a", "m", "skills: [s]\n")

const text = async (method: string, path: string, body?: string, key?: string): Promise<Response> => {
  const { SELF } = await import("cloudflare:test")
  return SELF.fetch(`http://sluice${path}`, {
    method,
    headers: { authorization: `Bearer ${key ?? "sl_local_dev"}`, "content-type": "text/plain" },
    ...(body === undefined ? {} : { body }),
  })
}
/** A run that a backtest finds: it is over, and the list has heard of it. */
const recorded = async (name: string): Promise<string> => {
  const id = await start(name, { rehearse: true })
  await until(id, ended)
  await expect
    .poll(async () => (await ask<{ data: { id: string; ended: string | null }[] }>("GET", `/v1/runs?flow=${name}`)).data)
    .toContainEqual(expect.objectContaining({ id, ended: expect.any(String) }))
  return id
}
const revision = async (): Promise<number> => (await ask<{ revision: number }>("GET", "/v1/catalog")).revision
async function broken(answer: Promise<Response>): Promise<GateReport> {
  const before = await revision()
  const r = await answer
  const body = (await r.json()) as { code: string; report: GateReport; detail: string }
  expect([r.status, body.code], JSON.stringify(body)).toEqual([409, "gate_failed"])
  expect(await revision()).toBe(before)
  return body.report
}

beforeEach(async () => {
  await call("PUT", "/v1/settings/gate", { flows: [] })
  await ask("PUT", "/v1/catalog", catalog)
  await ask("PUT", "/v1/settings/gate", { flows: [{ match: "f" }] })
})

describe("the gate", () => {
  test("[K24] an agent that breaks a test is 409; one that does not reach the flow, or keeps its tests, is written", async () => {
    const report = await broken(text("PUT", "/v1/agents/a", BAD))
    expect(report.flows).toMatchObject([{ flow: "f", tests: { failed: 1, cases: [{ failures: [{ at: "/steps/a/outputs/n" }] }] } }])
    expect((await text("PUT", "/v1/agents/z", md("z", "m"))).status).toBe(200)
    expect((await text("PUT", "/v1/agents/a", catalog.agents["a.md"].replace("Do it.", "Do it well."))).status).toBe(200)
  })

  test("[K24] by the flow, a bundle, a package, an import, a rollback, a handler, a skill, a child, a removal", async () => {
    await broken(text("PUT", "/v1/flows/f", flow("f", "  - { id: b, type: agent, agent: a }\n")))
    await broken(call("PUT", "/v1/catalog", { agents: { ...catalog.agents, "a.md": BAD } }))
    await broken(call("POST", "/v1/import?write=1", { files: { "flows/f.yaml": flow("f", "  - { id: b, type: agent, agent: a }\n") } }))
    await broken(text("PUT", "/v1/code/f/h", "export default function () { throw new Error('no') }\n"))
    await broken(
      text(
        "PUT",
        "/v1/flows/child",
        flow("child", "  - { id: c, type: fork, question: q, branches: { x: d } }\n  - { id: d, type: agent, agent: nobody }\n"),
      ).then(async (r) =>
        r.status === 422 ? text("PUT", "/v1/flows/child/rehearsal", "steps:\n  c:\n    - error: { status: 400 }\n") : r,
      ),
    )
    await broken(text("DELETE", "/v1/flows/f/tests"))
    await broken(text("DELETE", "/v1/flows/f"))
    await broken(text("PUT", "/v1/flows/f/tests", TESTS.replace("type: number", "type: string")))
    const skill = await text("PUT", "/v1/skills/s/SKILL.md", "---\nname: s\ndescription: other\n---\nRead more.\n")
    expect(skill.status).toBe(200)
    // Written past the gate, and rolled back to.
    expect((await text("PUT", "/v1/agents/a?force=1", BAD)).status).toBe(200)
    const worse = await revision()
    expect((await text("PUT", "/v1/agents/a", catalog.agents["a.md"])).status).toBe(200)
    await broken(call("POST", "/v1/catalog/rollback", { revision: worse }))
    expect((await call("POST", "/v1/catalog/rollback", { revision: worse - 1 })).status).toBe(200)
    // A package that stands in for a file that goes.
    await ask("PUT", "/v1/packages/p", { version: "1", agents: { "a.md": BAD.replace("skills: [s]\n", "") } })
    await broken(text("DELETE", "/v1/agents/a?force=0").then(async (r) => (r.status === 204 ? text("GET", "/") : r)))
    await text("DELETE", "/v1/packages/p")
  })

  test("[K24] force needs the scope admin, and stands in the history", async () => {
    const { key } = await ask<{ key: string }>("POST", "/v1/keys", { name: `w${Date.now()}`, scopes: ["catalog:write", "catalog:read"] })
    expect((await text("PUT", "/v1/agents/a?force=1", BAD, key)).status).toBe(403)
    const removal = await text("DELETE", "/v1/agents/a?force=1", undefined, key)
    expect([removal.status, ((await removal.json()) as { report?: GateReport }).report?.flows[0]?.flow]).toEqual([403, "f"])
    expect((await text("PUT", "/v1/agents/a?force=1", BAD)).status).toBe(200)
    const [row] = (await ask<{ data: { forced?: true; by: string }[] }>("GET", "/v1/catalog/history?limit=1")).data
    expect(row).toMatchObject({ forced: true, by: "local" })
    expect((await text("PUT", "/v1/agents/z", md("z", "q"))).status).toBe(200)
    const [next] = (await ask<{ data: { forced?: true }[] }>("GET", "/v1/catalog/history?limit=1")).data
    expect(next?.forced).toBeUndefined()
  })

  test("[K24] a flow and its tests change together; what was being written meanwhile is tested again", async () => {
    const steps = "  - { id: b, type: agent, agent: a }\n"
    const both = { ...catalog, flows: { ...catalog.flows, "f.yaml": flow("f", steps), "f.test.yaml": TESTS.replace("a: {", "b: {") } }
    expect((await call("PUT", "/v1/catalog", { flows: both.flows, code: {} })).status).toBe(200)
    const good = Array.from({ length: 3 }, (_, i) => text("PUT", "/v1/agents/a", catalog.agents["a.md"].replace("Do it.", `Do it ${i}.`)))
    const statuses = (await Promise.all(good)).map((r) => r.status)
    expect(statuses.every((status) => status === 200 || status === 409)).toBe(true)
    expect(statuses).toContain(200)
    await broken(text("PUT", "/v1/agents/a", BAD))
  })

  test("[K24] a gate with a backtest: what it does not allow is 409 with the runs", async () => {
    const id = await recorded("f")
    // Other files have runs of a flow with this name, by other definitions: the newest one is this test's.
    const gate = (allow: readonly string[]) =>
      ask("PUT", "/v1/settings/gate", { flows: [{ match: "f", tests: false, backtest: { last: 1, allow } }] })
    await gate([])
    const other = catalog.agents["a.md"].replace("Do it.", "Do it well.")
    const report = await broken(text("PUT", "/v1/agents/a", other))
    expect(report.flows[0]).toMatchObject({
      flow: "f",
      backtest: { runs: expect.arrayContaining([expect.objectContaining({ run: id, result: "changed", why: "prompt" })]) },
    })
    await gate(["prompt"])
    expect((await text("PUT", "/v1/agents/a", other)).status).toBe(200)
    await broken(text("PUT", "/v1/agents/a", BAD))
    expect((await call("PUT", "/v1/settings/gate", { flows: [{ match: "f", backtest: { last: 3, allow: ["weather"] } }] })).status).toBe(
      422,
    )
  })

  test("[K24] a backtest is made of a write by whatever way it comes: bundles, packages, imports, rollbacks, removals", async () => {
    await call("PUT", "/v1/settings/gate", { flows: [] })
    const own = md("pa", "n")
    const pack = (agent: string, version = "1") => ({
      version,
      agents: { "pa.md": agent },
      flows: { "g.yaml": flow("g", "  - { id: a, type: agent, agent: pa }\n") },
    })
    await ask("PUT", "/v1/packages/p", pack(own))
    for (const name of ["f", "g"]) await recorded(name)
    const before = await revision()
    const other = own.replace("Do it.", "Do it well.")
    const theirs = catalog.agents["a.md"].replace("Do it.", "Do it well.")
    await text("PUT", "/v1/agents/a", theirs)
    const changed = await revision()
    await call("POST", "/v1/catalog/rollback", { revision: before })
    await ask("PUT", "/v1/settings/gate", { flows: [{ match: "*", tests: false, backtest: { last: 1, allow: [] } }] })
    const told = async (answer: Promise<Response>) =>
      (await broken(answer)).flows.map(({ flow: id, backtest }) => [id, backtest?.runs[0]?.why])

    expect(await told(call("PUT", "/v1/packages/p", pack(other)))).toEqual([["g", "prompt"]])
    expect(await told(text("DELETE", "/v1/packages/p"))).toEqual([["g", "route"]])
    expect(await told(text("PUT", "/v1/agents/pa", other))).toEqual([["g", "prompt"]])
    expect(await told(call("PUT", "/v1/catalog", { agents: { ...catalog.agents, "a.md": theirs } }))).toEqual([["f", "prompt"]])
    expect(await told(call("POST", "/v1/import?write=1", { files: { "agents/a.md": theirs } }))).toEqual([["f", "prompt"]])
    expect(await told(call("POST", "/v1/catalog/rollback", { revision: changed }))).toEqual([["f", "prompt"]])
    expect(await told(text("DELETE", "/v1/flows/f"))).toEqual([["f", "route"]])
    expect(await told(text("PUT", "/v1/flows/f", flow("f", "  - { id: b, type: agent, agent: a }\n")))).toEqual([["f", "route"]])
    expect(await told(text("PUT", "/v1/code/f/h", "export default function () { return { x: 2 } }\n"))).toEqual([["f", "code"]])
    expect(await told(text("PUT", "/v1/agents/c", md("c", "n").replace("Do it.", "Do it well.")))).toEqual([["f", "prompt"]])

    // What changes nothing that a run would see passes.
    expect((await call("PUT", "/v1/packages/p", pack(own, "2"))).status).toBe(200)
    expect((await text("PUT", "/v1/agents/fresh", md("fresh", "n"))).status).toBe(200)
    await ask("PUT", "/v1/settings/gate", { flows: [{ match: "*", tests: false, backtest: { last: 1, allow: ["prompt", "route"] } }] })
    expect((await call("PUT", "/v1/packages/p", pack(other))).status).toBe(200)
    expect((await text("DELETE", "/v1/packages/p")).status).toBe(204)
  })

  test("[K24] a malformed gate is 422; a gate without tests holds nothing up", async () => {
    for (const body of [{ flows: [{ tests: "yes" }] }, { flows: [{ match: "f", more: 1 }] }, { flows: "f" }])
      expect((await call("PUT", "/v1/settings/gate", body)).status).toBe(422)
    await ask("PUT", "/v1/settings/gate", { flows: [{ match: "f", tests: false }] })
    expect(await ask("GET", "/v1/settings/gate")).toEqual({ flows: [{ match: "f", tests: false }] })
    expect((await text("PUT", "/v1/agents/a", BAD)).status).toBe(200)
  })
})
