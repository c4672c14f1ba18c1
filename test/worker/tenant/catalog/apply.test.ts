// [F78] A folder applied over the API: what it changed and broke, what a plan says, and a crash between the bodies and the rows.

import { runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import type { Applied, CatalogPlan } from "../../../../src/api/doc/catalog.doc.ts"
import { catalogPort } from "../../../../src/cloudflare/authoring/catalog.ts"
import { CATALOG, tenant, type Tenant } from "../../../support/worker/service-client.ts"

const agent = (name: string): string =>
  `---\nname: ${name}\ndescription: ${name}\nmodel: rehearsal/default\ntools: read\n---\nDo it. \${{task}}\n`

async function shop(id: string): Promise<Tenant> {
  const t = await tenant(id)
  await t.ask("PUT", "/v1/catalog?project=shop", CATALOG)
  return t
}

describe("PATCH /v1/catalog", () => {
  test("[F78] writes what is sent, deletes what is named, and says which hooks and schedules break", async () => {
    const t = await shop("apply-merge")
    await t.ask("PUT", "/v1/secrets/in", { value: "a secret of the hook" })
    const hook = await t.ask<{ id: string }>("POST", "/v1/hooks", { flow: "long", kind: "token", secret: "in" })
    const schedule = await t.ask<{ id: string }>("POST", "/v1/schedules", { flow: "long", cron: "0 0 29 2 *", task: "go" })
    const answer = await t.ask<Applied>("PATCH", "/v1/catalog", { agents: { "b.md": agent("b") }, delete: ["flows/long.yaml"] })
    expect(answer).toEqual({
      revision: 2,
      diagnostics: {},
      added: ["agents/b.md"],
      changed: [],
      removed: ["flows/long.yaml"],
      breaks: [
        { kind: "hook", id: hook.id, flow: "long", why: 'there is no flow "long"' },
        { kind: "schedule", id: schedule.id, flow: "long", why: 'there is no flow "long"' },
      ],
    })
    const { data } = await t.ask<{ data: { action: string; changed: number }[] }>("GET", "/v1/catalog/history?limit=1")
    expect(data).toMatchObject([{ action: "merge", changed: 2 }])
    expect(await t.ask("PATCH", "/v1/catalog", { agents: { "b.md": agent("b") }, delete: ["flows/long.yaml"] })).toMatchObject({
      revision: 2,
    })
  })

  test("[F78] [F73] with the tag of another revision it is 412; a file with an error is 422 at its place; `{}` is 422", async () => {
    const t = await shop("apply-refused")
    const stale = await t.raw("PATCH", "/v1/catalog", { agents: {} }, { "if-match": '"r0"' })
    expect([stale.status, stale.headers.get("etag")]).toEqual([412, '"r1"'])
    const bad = await t.raw("PATCH", "/v1/catalog", { agents: { "b.md": "no" }, delete: ["nowhere/x.md"] })
    expect(bad.status).toBe(422)
    expect(((await bad.json()) as { errors: { pointer: string }[] }).errors.map((e) => e.pointer)).toEqual(
      expect.arrayContaining(["/agents/b.md"]),
    )
    for (const body of [{}, { delete: [] }, { mode: "merge" }]) expect((await t.raw("PATCH", "/v1/catalog", body)).status).toBe(422)
    expect(await t.ask("GET", "/v1/catalog")).toMatchObject({ revision: 1 })
  })
})

describe("POST /v1/catalog/plan", () => {
  test("[F78] says what an apply does, what others changed, and what the gate says, and writes nothing", async () => {
    const t = await shop("apply-plan")
    const tests = "cases:\n  - { name: works, task: go, expect: { status: failed } }\n"
    await t.ask("PATCH", "/v1/catalog?project=shop", { flows: { "quick.test.yaml": tests } })
    await t.ask("PUT", "/v1/settings/gate", { flows: [{ match: "quick" }] })
    const write = await t.raw("PUT", "/v1/flows/long", undefined, { "content-type": "application/yaml" })
    expect(write.status).toBe(422)
    await t.ask("PATCH", "/v1/catalog?project=other", { agents: { "z.md": agent("z") } })
    const wish = { agents: { "a.md": agent("a") }, delete: ["agents/z.md"] }
    const plan = await t.ask<CatalogPlan>("POST", "/v1/catalog/plan?project=shop", { mode: "merge", ...wish })
    expect(plan).toMatchObject({
      revision: 3,
      added: [],
      changed: ["agents/a.md"],
      removed: ["agents/z.md"],
      drift: {
        since: 2,
        changes: [{ path: "agents/z.md", status: "added", revision: 3, by: "all", action: "merge", overwritten: true }],
        more: false,
      },
      gate: { passed: false, reached: ["quick"], report: { flows: [{ flow: "quick", tests: { failed: 1 } }] } },
    })
    expect((await t.raw("PATCH", "/v1/catalog?project=shop", wish)).status).toBe(409)
    expect(await t.ask("GET", "/v1/catalog")).toMatchObject({ revision: 3 })
    await t.ask("PUT", "/v1/settings/gate", { flows: [] })
    const again = await t.ask<CatalogPlan>("POST", "/v1/catalog/plan?project=shop", { mode: "merge", ...wish })
    expect(again.gate).toEqual({ passed: true, reached: [], report: { flows: [] } })
    const done = await t.ask<Applied>("PATCH", "/v1/catalog?project=shop", wish)
    expect(done).toMatchObject({ revision: 4, changed: again.changed, removed: again.removed, added: again.added })
  })

  test("[F78] `delete` needs the mode merge, and a project has a name", async () => {
    const t = await shop("apply-plan-refused")
    const refused = await t.raw("POST", "/v1/catalog/plan", { mode: "replace", agents: {}, delete: ["agents/a.md"] })
    expect([refused.status, await refused.json()]).toMatchObject([422, { errors: [{ pointer: "/delete" }] }])
    expect((await t.raw("PUT", "/v1/catalog?project=a%2Fb", CATALOG)).status).toBe(422)
  })
})

test("[F78] a crash in the transaction leaves the old catalog, and the next apply the new one", async () => {
  const t = await shop("apply-crash")
  const renamed = (from: string, to: string) =>
    runInDurableObject(env.TENANT.get(env.TENANT.idFromName(t.id)), async (_, state) => {
      state.storage.sql.exec(`ALTER TABLE ${from} RENAME TO ${to}`)
    })
  const before = await t.ask("GET", "/v1/catalog")
  await renamed("revision", "revision_lost")
  const wish = { agents: { "b.md": agent("b") }, delete: ["flows/long.yaml"] }
  const cut = catalogPort(env, t.id).apply({ mode: "merge", bundle: { agents: wish.agents }, delete: wish.delete })
  await expect(cut).rejects.toThrow("revision")
  expect(await t.ask("GET", "/v1/catalog")).toEqual(before)
  await renamed("revision_lost", "revision")
  expect(await t.ask("PATCH", "/v1/catalog", wish)).toMatchObject({ revision: 2, added: ["agents/b.md"], removed: ["flows/long.yaml"] })
})

test("[F78] the last apply of the newest 100 projects is remembered", async () => {
  const t = await shop("apply-projects")
  const kept = await runInDurableObject(env.TENANT.get(env.TENANT.idFromName(t.id)), async (_, state) => {
    for (let i = 0; i < 120; i++)
      state.storage.sql.exec("INSERT INTO applied (project, revision, at) VALUES (?, 1, ?)", `p${i}`, Date.now() + 1_000 + i)
    return state.storage.sql.exec("SELECT count(*) AS n FROM applied").one()["n"]
  })
  expect(kept).toBe(121)
  await t.ask("PATCH", "/v1/catalog?project=p119", { agents: { "b.md": agent("b") } })
  const left = await runInDurableObject(env.TENANT.get(env.TENANT.idFromName(t.id)), async (_, state) =>
    state.storage.sql.exec("SELECT project FROM applied ORDER BY at").toArray(),
  )
  expect([left.length, left.some((row) => row["project"] === "shop")]).toEqual([100, false])
})
