// The first write that a tenant's object ever sees [F78, F79]: it creates the tables, whatever kind of file it brings, also after a write that was
// refused and a restart.

import { expect, test } from "vitest"
import { builtinFiles } from "../../../../src/cloudflare/platform/builtin-files.ts"
import { configuring } from "../../../../src/cloudflare/tenant/catalog/configure.ts"
import { tenantStores } from "../../../../src/cloudflare/tenant/tenant-stores.ts"
import { Catalog } from "../../../../src/engine/catalog/catalog.ts"
import { inTurn } from "../../../../src/engine/in-turn.ts"
import { toolNames } from "../../../../src/tools/toolbox.ts"
import type { ProjectBundle } from "../../../../src/ports/tenant/catalog.ts"
import { sqliteStorage } from "../../../support/cloudflare/sqlite-storage.ts"
import { FragileBlobs } from "../../../support/engine/memory-catalog.ts"

/** The catalog of the tenant `local`, over its object's rows: one life of the object. */
function lifeOf(storage: DurableObjectStorage, blobs: FragileBlobs) {
  const stores = tenantStores(storage, { ENVIRONMENT: "local" }, "local", { blobs })
  const catalog = new Catalog({
    store: stores.sql,
    blobs,
    builtins: builtinFiles,
    tools: toolNames(),
    registered: () => stores.tools.names(),
    traits: () => stores.tools.specs(),
    configure: configuring(
      stores,
      () => undefined,
      () => undefined,
    ),
    around: {
      scopes: () => stores.secrets.scopes(),
      models: () => stores.providers.models(),
      refused: (url) => (url.includes("blocked") ? "the port is not allowed" : undefined),
      leaks: async () => false,
    },
    inTurn: inTurn(),
  })
  return { stores, catalog }
}

const FLOWS = { "a.yaml": "name: a\ndescription: d\nsteps:\n  - { id: w, type: wait, for: 1s }\n" }
const TOOL = `description: Find a ticket.
parameters: { type: object, properties: { id: { type: string, description: The id. } }, required: [id] }
request: { method: GET, url: "https://tickets.example.com/t/\${{args.id}}" }
effect: read
`
const callback = (host: string): string => `url: https://${host}.example.com/in\nsecret: cb\nevents: [run.failed]\n`

const KINDS: Readonly<Record<string, ProjectBundle>> = {
  flows: { flows: FLOWS },
  agents: { agents: { "b.md": "---\nname: b\ndescription: d\nmodel: rehearsal/default\n---\nDo it. ${{task}}\n" } },
  skills: { skills: { "s/SKILL.md": "---\nname: s\ndescription: d\n---\nWords.\n" } },
  tools: { tools: { "get_ticket.yaml": TOOL } },
  hooks: { flows: FLOWS, hooks: { "h.yaml": "flow: a\nkind: token\nsecret: in\n" } },
  schedules: { flows: FLOWS, schedules: { "n.yaml": 'flow: a\ncron: "0 2 * * *"\n' } },
  callbacks: { callbacks: { "c.yaml": callback("alerts") } },
  policy: { settings: { "policy.yaml": "tools: { deny: [bash] }\n" } },
  budget: { settings: { "budget.yaml": "usd: 5\n" } },
  gate: { settings: { "gate.yaml": "flows:\n  - match: never*\n" } },
  roles: { settings: { "roles.yaml": "fast: rehearsal/default\n" } },
}

test.each(Object.entries(KINDS))("[F79] the first write brings %s", async (_, bundle) => {
  const [storage, blobs] = [sqliteStorage(), new FragileBlobs()]
  const applied = await lifeOf(storage, blobs).catalog.apply({ mode: "merge", bundle }, undefined, { configures: true })
  expect(applied).toMatchObject({ ok: true, revision: 1 })
  expect(lifeOf(storage, blobs).stores.sql.files()).toHaveLength(Object.values(bundle).flatMap((files) => Object.keys(files)).length)
})

test("[F79] a first write that is refused leaves nothing, and what comes after it and a restart is written", async () => {
  const [storage, blobs] = [sqliteStorage(), new FragileBlobs()]
  const first = lifeOf(storage, blobs)
  const refused = await first.catalog.apply({ mode: "merge", bundle: { callbacks: { "c.yaml": callback("blocked") } } }, undefined, {
    configures: true,
  })
  expect(refused).toMatchObject({ ok: false })
  expect(first.stores.sql.files()).toEqual([])
  for (const life of [first, lifeOf(storage, blobs)]) {
    const bundle = { ...KINDS["schedules"], ...KINDS["tools"], ...KINDS["callbacks"] }
    expect(await life.catalog.apply({ mode: "merge", bundle }, undefined, { configures: true })).toMatchObject({ ok: true, revision: 1 })
  }
})

test("[S1] a first write that fails inside takes the tables back with it, and the next one makes them", () => {
  const storage = sqliteStorage()
  const { sql, policies } = lifeOf(storage, new FragileBlobs()).stores
  const tables = (): unknown[] => storage.sql.exec("SELECT name FROM sqlite_master").toArray()
  expect(() =>
    sql.write(() => {
      policies.begin(1)
      throw new Error("no room")
    }),
  ).toThrow("no room")
  expect(tables()).toEqual([])
  expect(sql.read("SELECT * FROM meta")).toEqual([])
  sql.write(() => policies.begin(2))
  expect(policies.rules().version).toBe(2)
})

test("[N3] after a deletion nothing can be written until the next tenant is founded, and nothing is created", () => {
  const storage = sqliteStorage()
  const stores = tenantStores(storage, { ENVIRONMENT: "production" }, "acme", { blobs: new FragileBlobs() })
  stores.account.bury()
  const late = [
    () => stores.sessions.claim({ agent: "a", id: "s", by: "run_1/a" }),
    () => stores.runs.note({ id: "run_1", flow: "f", status: "running", created: 1, view: { seq: 1 } }),
    () => stores.settings.put("roles", {}),
  ]
  for (const write of late) expect(write).toThrow("the tenant was deleted")
  expect(storage.sql.exec("SELECT name FROM sqlite_master").toArray()).toEqual([])
  stores.account.found({ name: "acme", created: 5 })
  for (const write of late) write()
  expect(stores.account.since()).toBe(5)
})
