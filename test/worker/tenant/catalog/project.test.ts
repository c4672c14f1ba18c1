// [F79] A project's folder is the tenant's configuration: hooks, schedules and settings in files, in the same revisions.

import { runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import type { Applied } from "../../../../src/api/doc/catalog.doc.ts"
import { admin, CATALOG, client, tenant, type Tenant } from "../../../support/worker/service-client.ts"

const PROJECT = {
  ...CATALOG,
  tests: { "quick.test.yaml": "cases:\n  - { name: works, task: go, expect: { status: succeeded } }\n" },
  hooks: { "tickets.yaml": "flow: quick\nkind: token\nsecret: in\nmapping: { task: '${{trigger.body.title}}' }\n" },
  schedules: { "nightly.yaml": "flow: quick\ncron: 0 3 29 2 *\ntask: go\n" },
  settings: {
    "policy.yaml": "max_timeout: 5m\n",
    "roles.yaml": "fast: rehearsal/default\n",
    "budget.yaml": "usd: 5\n",
    "gate.yaml": "flows:\n  - match: 'never*'\n",
  },
}
type Row = { id: string; name?: string; url: string; enabled: boolean; task?: string; next: string | null }
const rows = async (t: Tenant, path: string): Promise<Row[]> => (await t.ask<{ data: Row[] }>("GET", path)).data
const problem = async (answer: Promise<Response>): Promise<[number, string, string]> => {
  const r = await answer
  const body = r.status === 204 ? {} : ((await r.json()) as { code?: string; detail?: string })
  return [r.status, body.code ?? "", body.detail ?? ""]
}

async function project(id: string): Promise<Tenant> {
  const t = await tenant(id)
  await t.ask("PUT", "/v1/catalog", PROJECT)
  return t
}

describe("a project's folder", () => {
  test("[F79] one apply sets hooks, schedules and settings, as one revision; applied again it changes nothing", async () => {
    const t = await project("project-all")
    const [hook] = await rows(t, "/v1/hooks")
    const [schedule] = await rows(t, "/v1/schedules")
    expect(hook).toMatchObject({ name: "tickets", flow: "quick", kind: "token", enabled: true })
    expect(schedule).toMatchObject({ name: "nightly", cron: "0 3 29 2 *", zone: "UTC", next: expect.any(String) })
    expect(await t.ask("GET", "/v1/settings/policy")).toMatchObject({ max_timeout: 300_000 })
    expect(await t.ask("GET", "/v1/settings/roles")).toEqual({ fast: "rehearsal/default" })
    expect(await t.ask("GET", "/v1/settings/budget")).toEqual({ usd: 5 })
    expect(await t.ask("GET", "/v1/settings/gate")).toEqual({ flows: [{ match: "never*" }] })
    expect(await t.ask("POST", "/v1/flows/quick/test", {})).toMatchObject({ passed: 1, failed: 0 })
    expect(await t.ask<Applied>("PUT", "/v1/catalog", PROJECT)).toMatchObject({ revision: 1, added: [], changed: [], removed: [] })
    expect(await rows(t, "/v1/hooks")).toEqual([hook])
    expect(await rows(t, "/v1/schedules")).toEqual([schedule])
  })

  test("[F79] a changed hook keeps its address, and gets it again when a rollback brings it back", async () => {
    const t = await project("project-url")
    const [hook] = await rows(t, "/v1/hooks")
    const changed = PROJECT.hooks["tickets.yaml"].replace("kind: token", "kind: hmac")
    expect(await t.ask("PATCH", "/v1/catalog", { hooks: { "tickets.yaml": changed } })).toMatchObject({ changed: ["hooks/tickets.yaml"] })
    expect(await rows(t, "/v1/hooks")).toMatchObject([{ id: hook?.id, url: hook?.url, kind: "hmac" }])
    await t.ask("PATCH", "/v1/catalog", { delete: ["hooks/tickets.yaml", "schedules/nightly.yaml", "policy.yaml", "roles.yaml"] })
    expect([await rows(t, "/v1/hooks"), await rows(t, "/v1/schedules")]).toEqual([[], []])
    expect(await t.ask("GET", "/v1/settings/roles")).toEqual({})
    expect(await t.ask("GET", "/v1/settings/policy")).not.toHaveProperty("max_timeout", 300_000)
    await t.ask("POST", "/v1/catalog/rollback", { revision: 1 })
    expect(await rows(t, "/v1/hooks")).toMatchObject([{ id: hook?.id, url: hook?.url, kind: "token" }])
    expect(await rows(t, "/v1/schedules")).toMatchObject([{ name: "nightly", next: expect.any(String) }])
    expect(await t.ask("GET", "/v1/settings/policy")).toMatchObject({ max_timeout: 300_000 })
    expect(await t.ask("GET", "/v1/catalog/diff?from=3&to=4")).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ path: "policy.yaml", status: "added" })]),
    })
  })

  test("[F79] what a file sets is changed through the file alone; what no file sets is as free as before", async () => {
    const t = await project("project-owned")
    const [hook] = await rows(t, "/v1/hooks")
    const [schedule] = await rows(t, "/v1/schedules")
    const owned = (file: string) => [409, "owned_by_file", expect.stringContaining(`The file ${file} of the catalog sets this.`)]
    expect(await problem(t.raw("PUT", "/v1/settings/policy", {}))).toEqual(owned("policy.yaml"))
    expect(await problem(t.raw("PUT", "/v1/settings/roles", {}))).toEqual(owned("roles.yaml"))
    expect(await problem(t.raw("PUT", "/v1/settings/budget", {}))).toEqual(owned("budget.yaml"))
    expect(await problem(t.raw("PUT", "/v1/settings/gate", {}))).toEqual(owned("gate.yaml"))
    expect(await problem(t.raw("DELETE", `/v1/hooks/${hook?.id}`))).toEqual(owned("hooks/tickets.yaml"))
    expect(await problem(t.raw("DELETE", `/v1/schedules/${schedule?.id}`))).toEqual(owned("schedules/nightly.yaml"))
    const cron = { flow: "quick", cron: "0 0 29 2 *", task: "go" }
    expect(await problem(t.raw("PUT", `/v1/schedules/${schedule?.id}`, cron))).toEqual(owned("schedules/nightly.yaml"))
    const free = await t.ask<Row>("POST", "/v1/schedules", cron)
    expect((await t.raw("DELETE", `/v1/schedules/${free.id}`)).status).toBe(204)
    await t.ask("PATCH", "/v1/catalog", { delete: ["budget.yaml"] })
    expect(await t.ask("PUT", "/v1/settings/budget", { usd: 1 })).toEqual({ usd: 1 })
  })

  test("[F79] a key that writes the catalog and is no admin may send these files unchanged, and change none", async () => {
    const t = await project("project-scope")
    const { key } = await admin.ask<{ key: string }>("POST", `/v1/tenants/${t.id}/keys`, {
      name: "ci",
      scopes: ["catalog:write", "catalog:read"],
    })
    const ci = client(key)
    expect(await ci.ask("PUT", "/v1/catalog", { ...PROJECT, code: {} })).toMatchObject({ revision: 1 })
    expect(await problem(ci.raw("PATCH", "/v1/catalog", { settings: { "policy.yaml": "autonomy: conservative\n" } }))).toMatchObject([
      403,
      "forbidden",
      expect.stringContaining("scope admin"),
    ])
    expect(await problem(ci.raw("PATCH", "/v1/catalog", { delete: ["gate.yaml"] }))).toMatchObject([
      403,
      "forbidden",
      expect.stringContaining("scope admin"),
    ])
    expect(await problem(ci.raw("POST", "/v1/catalog/rollback", { revision: 0 }))).toMatchObject([
      403,
      "forbidden",
      expect.stringContaining("scope admin"),
    ])
    expect(await t.ask("GET", "/v1/catalog")).toMatchObject({ revision: 1 })
  })

  test("[F79] a file with a fault writes nothing, and the fault has its place", async () => {
    const t = await tenant("project-faults")
    const answer = await t.raw("PUT", "/v1/catalog", {
      ...PROJECT,
      hooks: { "tickets.yaml": PROJECT.hooks["tickets.yaml"].replace("quick", "quikc") },
      settings: { "policy.yaml": "autonomie: full\n", "polcy.yaml": "" },
    })
    expect(answer.status).toBe(422)
    expect(((await answer.json()) as { errors: unknown }).errors).toMatchObject([
      { pointer: "/hooks/tickets.yaml", line: 1, suggestion: 'did you mean "quick"?' },
      { pointer: "/settings/polcy.yaml" },
      { pointer: "/settings/policy.yaml", line: 1 },
    ])
    expect([(await rows(t, "/v1/hooks")).length, (await t.ask<{ revision: number }>("GET", "/v1/catalog")).revision]).toEqual([0, 0])
  })

  test("[F79] [N3] the export applied to an empty tenant gives the same files and settings", async () => {
    const [from, to] = [await project("project-from"), await tenant("project-to")]
    const file = await from.ask<Record<string, object>>("GET", "/v1/catalog/export")
    expect(Object.keys(file).sort()).toEqual(["agents", "code", "flows", "hooks", "schedules", "settings", "skills", "tests"])
    await to.ask("PUT", "/v1/catalog", file)
    expect(await to.ask("GET", "/v1/catalog/export")).toEqual(file)
    expect(await to.ask("GET", "/v1/settings/policy")).toEqual(await from.ask("GET", "/v1/settings/policy"))
    expect(await rows(to, "/v1/hooks")).toMatchObject([{ name: "tickets" }])
  })

  test("[F79] [F78] a flow that goes with its hook and schedule breaks nothing; one that goes alone breaks both", async () => {
    const t = await project("project-breaks")
    const wish = { mode: "merge", delete: ["flows/quick.yaml", "tests/quick.test.yaml"] }
    expect(await t.ask<Applied>("POST", "/v1/catalog/plan", wish)).toMatchObject({
      breaks: [
        { kind: "hook", name: "tickets", flow: "quick" },
        { kind: "schedule", name: "nightly", flow: "quick" },
      ],
    })
    const whole = { ...wish, delete: [...wish.delete, "hooks/tickets.yaml", "schedules/nightly.yaml"] }
    expect(await t.ask<Applied>("POST", "/v1/catalog/plan", whole)).toMatchObject({ breaks: [] })
    expect(await problem(t.raw("DELETE", "/v1/flows/quick"))).toMatchObject([409, "in_use", expect.stringContaining("hook")])
  })

  test("[F79] of names without a file the newest 1,000 are remembered", async () => {
    const t = await project("project-names")
    const object = env.TENANT.get(env.TENANT.idFromName(t.id))
    await runInDurableObject(object, (_, { storage }) => {
      for (let i = 0; i < 1_100; i++)
        storage.sql.exec("INSERT INTO named_item (kind, name, id, at) VALUES ('hook', ?, ?, ?)", `n${i}`, `id${i}`, i)
    })
    await t.ask("PATCH", "/v1/catalog", { hooks: { "more.yaml": PROJECT.hooks["tickets.yaml"] } })
    const left = await runInDurableObject(object, (_, { storage }) =>
      storage.sql.exec<{ name: string }>("SELECT name FROM named_item WHERE kind = 'hook' ORDER BY at").toArray(),
    )
    expect([left.length, left[0]?.name]).toEqual([1_002, "n100"])
  })
})
