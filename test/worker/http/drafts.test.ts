// Drafts of the catalog over the API [F80], with real objects: only a start that names the draft uses it.

import { beforeAll, describe, expect, test } from "vitest"
import { admin, CATALOG, client, ended, tenant, type Client, type Tenant } from "../../support/worker/service-client.ts"

const agent = (words: string): string =>
  `---\nname: a\ndescription: a\nmodel: rehearsal/default\ntools: write, read\n---\n${words} \${{task}}\n`
const quick = (id: string): string => `name: quick\ndescription: d\nsteps:\n  - { id: ${id}, type: agent, agent: a }\n`
const DRAFT = {
  mode: "merge",
  agents: { "a.md": agent("Do it anew.") },
  flows: { "quick.yaml": quick("drafted"), "fresh.yaml": quick("drafted").replace("quick", "fresh") },
  hooks: { "drafted.yaml": "flow: quick\nkind: token\nsecret: in\n" },
  schedules: { "drafted.yaml": "flow: quick\ncron: 0 3 29 2 *\ntask: go\n" },
}
const APPLIED = ["a"]
const DRAFTED = ["drafted"]

let t: Tenant
beforeAll(async () => {
  t = await tenant("drafts")
  await t.ask("PUT", "/v1/catalog", CATALOG)
})

async function stepsOf(from: Client, run: string): Promise<string[]> {
  await ended(from, run)
  return Object.keys((await from.ask<{ steps: object }>("GET", `/v1/runs/${run}`)).steps)
}
const started = async (from: Client, flow: string): Promise<string> =>
  (await from.ask<{ id: string }>("POST", `/v1/flows/${flow}/runs`, { task: "go" })).id
const stepsFrom = async (from: Client, flow: string): Promise<string[]> => stepsOf(from, await started(from, flow))

async function problem(from: Client, method: string, path: string, body?: unknown): Promise<[number, string]> {
  const answer = await from.raw(method, path, body)
  const { detail = "" } = answer.status === 204 ? {} : ((await answer.json()) as { detail?: string })
  return [answer.status, detail]
}

describe("a draft", () => {
  test("[F80] is what starts that name it run; other starts, hooks and schedules have the applied catalog, whose revision stays", async () => {
    await t.ask("PUT", "/v1/secrets/in", { value: "12345678" })
    const hook = await t.ask<{ id: string }>("POST", "/v1/hooks", { flow: "quick", kind: "token", secret: "in" })
    const schedule = await t.ask<{ id: string }>("POST", "/v1/schedules", { flow: "quick", cron: "0 3 29 2 *", task: "go" })
    const before = await Promise.all(["/v1/catalog", "/v1/catalog/history", "/v1/hooks", "/v1/schedules"].map((path) => t.ask("GET", path)))

    const written = await t.ask<object>("PUT", "/v1/catalog/drafts/mine", DRAFT)
    expect(written).toMatchObject({
      draft: "mine",
      revision: 1,
      files: 5,
      by: "all",
      added: ["flows/fresh.yaml", "hooks/drafted.yaml", "schedules/drafted.yaml"],
      changed: ["agents/a.md", "flows/quick.yaml"],
      removed: [],
      breaks: [],
    })

    const drafted = await started(t, "quick@draft:mine")
    expect(await stepsOf(t, drafted)).toEqual(DRAFTED)
    expect(await t.ask("GET", `/v1/runs/${drafted}`)).toMatchObject({ flow: "quick", pinned: { revision: 1, draft: "mine" } })
    expect(await stepsFrom(t, "fresh@draft:mine")).toEqual(DRAFTED)
    expect(await stepsFrom(t, "quick")).toEqual(APPLIED)
    expect((await problem(t, "POST", "/v1/flows/fresh/runs", { task: "go" }))[0]).toBe(404)
    const fired = await t.ask<{ run: string }>("POST", `/v1/schedules/${schedule.id}/fire`, {})
    expect(await stepsOf(t, fired.run)).toEqual(APPLIED)
    expect(await stepsOf(t, await delivered(hook.id))).toEqual(APPLIED)

    const after = await Promise.all(["/v1/catalog", "/v1/catalog/history", "/v1/hooks"].map((path) => t.ask("GET", path)))
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2))
    const rows = async (path: string) => (await t.ask<{ data: { id: string }[] }>("GET", path)).data.map(({ id }) => id)
    expect([(await rows("/v1/hooks")).length, await rows("/v1/schedules")]).toEqual([1, [schedule.id]])
  })

  test("[F80] a run that began with it goes on when it is changed or removed", async () => {
    const wait = "name: slow\ndescription: d\nsteps:\n  - { id: hold, type: wait, for: 10m }\n  - { id: after, type: agent, agent: a }\n"
    await t.ask("PUT", "/v1/catalog/drafts/slow", { mode: "merge", flows: { "slow.yaml": wait } })
    const run = await started(t, "slow@draft:slow")
    await t.ask("DELETE", "/v1/catalog/drafts/slow")
    expect(await t.ask("GET", `/v1/runs/${run}`)).toMatchObject({ flow: "slow", status: expect.stringMatching(/^(?:running|waiting)$/) })
    await t.ask("POST", `/v1/runs/${run}/cancel`, {})
    const [status, detail] = await problem(t, "POST", "/v1/flows/slow@draft:slow/runs", { task: "go" })
    expect([status, detail]).toEqual([404, expect.stringContaining('no draft "slow"')])
  })

  test("[K21, F80] its tests are tried as the draft has them, and leave no result of the catalog", async () => {
    const cases = (step: string): string =>
      `cases:\n  - { name: works, task: go, expect: { status: succeeded, steps: { ${step}: { status: complete } } } }\n`
    await t.ask("PUT", "/v1/catalog/drafts/tried", {
      mode: "merge",
      flows: { "quick.yaml": quick("drafted") },
      tests: { "quick.test.yaml": cases("drafted") },
    })
    expect(await t.ask("POST", "/v1/flows/quick@draft:tried/test", {})).toMatchObject({ flow: "quick", passed: 1, failed: 0 })
    expect((await problem(t, "POST", "/v1/flows/quick/test", {}))[1]).toContain("has no tests")
    expect(await t.ask("GET", "/v1/flows/quick/test")).toEqual({ flow: "quick", cases: [] })
    expect((await problem(t, "POST", "/v1/flows/quick@draft:gone/test", {}))[1]).toContain('no draft "gone"')
    expect((await problem(t, "POST", "/v1/flows/quick@draft:tried/test", { definitions: {} }))[0]).toBe(422)
  })

  test("[F80] many starts at once, as desks serve them, each get what they name", async () => {
    const own = await tenant("drafts-many")
    await own.ask("PUT", "/v1/catalog", CATALOG)
    await own.ask("PUT", "/v1/catalog/drafts/mine", { mode: "merge", flows: { "quick.yaml": quick("drafted") } })
    const names = Array.from({ length: 24 }, (_, i) => (i % 2 === 0 ? "quick" : "quick@draft:mine"))
    const seen = await Promise.all(names.map((name) => stepsFrom(own, name)))
    expect(seen).toEqual(names.map((name) => (name === "quick" ? APPLIED : DRAFTED)))
    await own.ask("PUT", "/v1/catalog/drafts/mine", { mode: "merge", flows: { "quick.yaml": quick("again") } })
    expect(await stepsFrom(own, "quick@draft:mine")).toEqual(["again"])
  })

  test("[F80] is listed, read and removed; what is wrong is said", async () => {
    const own = await tenant("drafts-list")
    await own.ask("PUT", "/v1/catalog", CATALOG)
    expect(await own.ask("GET", "/v1/catalog/drafts")).toEqual({ data: [], next_cursor: null })
    await own.ask("PUT", "/v1/catalog/drafts/one", { mode: "replace", flows: CATALOG.flows })
    const { data } = await own.ask<{ data: object[] }>("GET", "/v1/catalog/drafts")
    expect(data).toEqual([await own.ask("GET", "/v1/catalog/drafts/one")])
    expect(data).toMatchObject([{ draft: "one", mode: "replace", files: 2, expires_at: expect.stringMatching(/Z$/) }])
    await own.ask("PUT", "/v1/catalog/drafts/warned", { mode: "merge", flows: { "quick.yaml": `${quick("warned")}\nodd: true\n` } })
    expect(await own.ask("GET", "/v1/catalog/drafts")).toMatchObject({ data: [{ draft: "one" }, { draft: "warned", warnings: 1 }] })
    expect(data[0]).not.toHaveProperty("warnings")
    expect(await own.ask("GET", "/v1/catalog/drafts/warned")).toHaveProperty("warnings", 1)
    await own.ask("DELETE", "/v1/catalog/drafts/warned")
    for (const name of ["7", "Big", "a_b", `a${"b".repeat(40)}`, "-x", "a%40b"])
      expect((await problem(own, "PUT", `/v1/catalog/drafts/${name}`, { mode: "merge", flows: CATALOG.flows }))[0], name).toBe(422)
    expect(await problem(own, "PUT", "/v1/catalog/drafts/one", { mode: "merge", flows: { "x.yaml": "name: x" } })).toEqual([
      422,
      expect.stringContaining("/flows/x.yaml"),
    ])
    expect((await problem(own, "PUT", "/v1/catalog/drafts/one", { mode: "replace", flows: {}, delete: ["flows/x.yaml"] }))[0]).toBe(422)
    expect((await problem(own, "PUT", "/v1/catalog/drafts/one", { mode: "merge" }))[0]).toBe(422)
    expect((await problem(own, "DELETE", "/v1/catalog/drafts/one"))[0]).toBe(204)
    expect((await problem(own, "DELETE", "/v1/catalog/drafts/one"))[0]).toBe(404)
    expect((await problem(own, "GET", "/v1/catalog/drafts/one"))[0]).toBe(404)
  })

  test("[H1, F79, F80] is written by a key that may apply the same, and by no other", async () => {
    const own = await tenant("drafts-keys")
    await own.ask("PUT", "/v1/catalog", CATALOG)
    const keyed = async (scopes: readonly string[]): Promise<Client> =>
      client((await admin.ask<{ key: string }>("POST", "/v1/tenants/drafts-keys/keys", { name: "some", scopes })).key)
    const [starter, writer] = [await keyed(["runs:write", "runs:read"]), await keyed(["catalog:write"])]
    const plain = { mode: "merge", flows: { "quick.yaml": quick("drafted") } }
    expect((await problem(starter, "PUT", "/v1/catalog/drafts/one", plain))[0]).toBe(403)
    expect(
      (await problem(writer, "PUT", "/v1/catalog/drafts/one", { ...plain, settings: { "policy.yaml": "max_timeout: 5m\n" } }))[0],
    ).toBe(403)
    expect((await problem(writer, "PUT", "/v1/catalog/drafts/one", plain))[0]).toBe(200)
    expect(await stepsFrom(starter, "quick@draft:one")).toEqual(DRAFTED)
    expect((await problem(writer, "POST", "/v1/flows/quick@draft:one/runs", { task: "go" }))[0]).toBe(403)
    // Another tenant's draft is nobody's.
    expect((await problem(t, "POST", "/v1/flows/quick@draft:one/runs", { task: "go" }))[0]).toBe(404)
  })
})

/** The run of a delivery. */
async function delivered(hook: string): Promise<string> {
  const answer = await client("12345678").ask<{ run: string; verdict: string }>("POST", `/v1/hooks/${hook}`, { title: "go" })
  expect(answer.verdict).toBe("accepted")
  return answer.run
}
