// A project's tools and callbacks in files [F79]: one truth with the routes of the API, in the same revisions.

import { describe, expect, test } from "vitest"
import type { Applied } from "../../../../src/api/doc/catalog.doc.ts"
import { admin, CATALOG, client, tenant, type Tenant } from "../../../support/worker/service-client.ts"

const TICKETS = `description: Find a ticket.
parameters: { type: object, properties: { id: { type: string, description: The id. } }, required: [id] }
request: { method: GET, url: "https://tickets.example.com/t/\${{args.id}}" }
effect: read
`
const PETS = `prefix: shop_
openapi:
  openapi: 3.0.0
  info: { title: Pets, version: "1" }
  servers: [{ url: "https://pets.example.com" }]
  paths:
    /pets: { get: { operationId: list_pets, summary: All pets, responses: { "200": { description: ok } } } }
    /pets/{id}: { get: { operationId: one_pet, summary: A pet, parameters: [{ name: id, in: path, required: true, schema: { type: string } }], responses: { "200": { description: ok } } } }
`
const ALERTS = "url: https://alerts.example.com/sluice\nevents: [run.failed]\nsecret: signing\n"
const USER = "---\nname: user\ndescription: u\nmodel: rehearsal/default\ntools: find_ticket, shop_list_pets\n---\nDo it. ${{task}}\n"
const PROJECT = {
  ...CATALOG,
  agents: { ...CATALOG.agents, "user.md": USER },
  tools: { "find_ticket.yaml": TICKETS, "pets.yaml": PETS },
  callbacks: { "alerts.yaml": ALERTS },
}

type Row = { id: string; name: string; url: string; events: string[]; secret: string; enabled: boolean }
const list = async (t: Tenant, path: string): Promise<Row[]> => (await t.ask<{ data: Row[] }>("GET", path)).data
const own = async (t: Tenant): Promise<string[]> =>
  (await list(t, "/v1/tools?limit=200")).map(({ name }) => name).filter((name) => /^(?:find_ticket|shop_|other)/.test(name))
const problem = async (answer: Promise<Response>): Promise<[number, string, string]> => {
  const r = await answer
  const body = r.status === 204 ? {} : ((await r.json()) as { code?: string; detail?: string })
  return [r.status, body.code ?? "", body.detail ?? ""]
}
const owned = (file: string) => [409, "owned_by_file", expect.stringContaining(`The file ${file} of the catalog sets this.`)]

async function project(id: string): Promise<Tenant> {
  const t = await tenant(id)
  await t.ask("PUT", "/v1/catalog", PROJECT)
  return t
}

describe("a project's tools and callbacks", () => {
  test("[F79] one apply registers tools, imports a document and makes a receiver, and its agents may use them; the second changes nothing", async () => {
    const t = await tenant("project-tools")
    const plan = await t.ask<Applied>("POST", "/v1/catalog/plan", { ...PROJECT, mode: "replace" })
    const applied = await t.ask<Applied>("PUT", "/v1/catalog", PROJECT)
    expect([plan.added, plan.diagnostics]).toEqual([applied.added, applied.diagnostics])
    expect(await own(t)).toEqual(["find_ticket", "shop_list_pets", "shop_one_pet"])
    const [receiver] = await list(t, "/v1/callbacks")
    expect(receiver).toMatchObject({ name: "alerts", url: "https://alerts.example.com/sluice", events: ["run.failed"], secret: "signing" })
    expect(await t.ask("GET", "/v1/agents/user/tools")).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ name: "find_ticket", granted: true })]),
    })
    expect(await t.ask<Applied>("PUT", "/v1/catalog", PROJECT)).toMatchObject({ revision: 1, added: [], changed: [], removed: [] })
    expect(await list(t, "/v1/callbacks")).toEqual([receiver])
  })

  test("[F79] a changed file changes its tools; a removed one takes them along, and a rollback brings them back with their ids", async () => {
    const t = await project("project-tools-back")
    const [receiver] = await list(t, "/v1/callbacks")
    await t.ask("PATCH", "/v1/catalog", {
      tools: { "pets.yaml": `only: [one_pet]\n${PETS}` },
      callbacks: { "alerts.yaml": ALERTS.replace("failed", "waiting") },
    })
    expect(await own(t)).toEqual(["find_ticket", "shop_one_pet"])
    expect(await list(t, "/v1/callbacks")).toMatchObject([{ id: receiver?.id, events: ["run.waiting"] }])
    await t.ask("PATCH", "/v1/catalog", {
      delete: ["tools/pets.yaml", "tools/find_ticket.yaml", "callbacks/alerts.yaml", "agents/user.md"],
    })
    expect([await own(t), await list(t, "/v1/callbacks")]).toEqual([[], []])
    await t.ask("POST", "/v1/catalog/rollback", { revision: 1 })
    expect(await own(t)).toEqual(["find_ticket", "shop_list_pets", "shop_one_pet"])
    expect(await list(t, "/v1/callbacks")).toEqual([{ ...receiver, created: expect.any(String) }])
    expect(await t.ask("GET", "/v1/catalog/diff?from=3&to=4")).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ path: "tools/pets.yaml", status: "added" })]),
    })
  })

  test("[F79] what a file makes is changed through the file alone, and a file takes over what a request made", async () => {
    const t = await tenant("project-tools-owned")
    const registration = { description: "d", parameters: { type: "object" }, request: { method: "GET", url: "https://o.example.com/" } }
    for (const name of ["find_ticket", "other"]) await t.ask("PUT", `/v1/tools/${name}`, registration)
    await t.ask("PUT", "/v1/catalog", PROJECT)
    expect(await t.ask("GET", "/v1/tools/find_ticket")).toMatchObject({ description: "Find a ticket." })
    expect(await problem(t.raw("PUT", "/v1/tools/find_ticket", registration))).toEqual(owned("tools/find_ticket.yaml"))
    expect(await problem(t.raw("DELETE", "/v1/tools/shop_one_pet"))).toEqual(owned("tools/pets.yaml"))
    const document = {
      openapi: "3.0.0",
      paths: { "/x": { get: { operationId: "shop_one_pet" } } },
      servers: [{ url: "https://x.example.com" }],
    }
    expect(await problem(t.raw("POST", "/v1/tools/import", { openapi: document }))).toEqual(owned("tools/pets.yaml"))
    const [receiver] = await list(t, "/v1/callbacks")
    expect(await problem(t.raw("DELETE", `/v1/callbacks/${receiver?.id}`))).toEqual(owned("callbacks/alerts.yaml"))
    expect((await t.raw("DELETE", "/v1/tools/other")).status).toBe(204)
  })

  test("[F79] a tool moves from one file to another in one apply", async () => {
    const t = await project("project-tools-move")
    const moved = { tools: { "a.yaml": PETS }, delete: ["tools/pets.yaml"] }
    await t.ask("PATCH", "/v1/catalog", moved)
    expect(await own(t)).toEqual(["find_ticket", "shop_list_pets", "shop_one_pet"])
    expect(await problem(t.raw("DELETE", "/v1/tools/shop_one_pet"))).toEqual(owned("tools/a.yaml"))
    await t.ask("PATCH", "/v1/catalog", { tools: { "a.yaml": `only: [one_pet]\n${PETS}`, "b.yaml": `only: [list_pets]\n${PETS}` } })
    expect(await own(t)).toEqual(["find_ticket", "shop_list_pets", "shop_one_pet"])
    await t.ask("PATCH", "/v1/catalog", { tools: { "a.yaml": `only: [list_pets]\n${PETS}`, "b.yaml": `only: [one_pet]\n${PETS}` } })
    expect(await own(t)).toEqual(["find_ticket", "shop_list_pets", "shop_one_pet"])
    expect(await problem(t.raw("DELETE", "/v1/tools/shop_one_pet"))).toEqual(owned("tools/b.yaml"))
  })

  test("[F79] faults have their places: taken names, refused addresses, a secret of the vault; a scope or model that is missing warns", async () => {
    const t = await tenant("project-tools-faults")
    await t.ask("PUT", "/v1/secrets/hush", { value: "Zm9vYmFyYmF6cXV4" })
    const answer = await t.raw("PUT", "/v1/catalog", {
      ...PROJECT,
      tools: {
        "grep.yaml": TICKETS,
        "local.yaml": TICKETS.replace("tickets.example.com", "127.0.0.9"),
        "pets.yaml": PETS,
        "pets2.yaml": PETS,
      },
      callbacks: {
        "alerts.yaml": ALERTS,
        "bad.yaml": "url: http://10.0.0.1/\nsecret: hush\n",
        "leak.yaml": "url: https://a.example.com/Zm9vYmFyYmF6cXV4\nsecret: hush\n",
      },
    })
    expect(answer.status).toBe(422)
    const { errors } = (await answer.json()) as { errors: { pointer: string; line: number; code?: string }[] }
    expect(errors.map(({ pointer, line }) => [pointer, line])).toEqual([
      ["/agents/user.md", 5],
      ["/callbacks/bad.yaml", 1],
      ["/callbacks/leak.yaml", 1],
      ["/tools/grep.yaml", 1],
      ["/tools/local.yaml", 3],
      ["/tools/pets2.yaml", 1],
      ["/tools/pets2.yaml", 1],
    ])
    const { diagnostics } = await t.ask<Applied>("PUT", "/v1/catalog", {
      ...PROJECT,
      hooks: { "in.yaml": "flow: quick\nkind: token\nsecret: hsh\nmapping: { task: go }\n" },
      settings: { "roles.yaml": "fast: nobody/model\n" },
    })
    expect(diagnostics["callbacks/alerts.yaml"]).toMatchObject([{ code: "PV-SCOPE", severity: "warning", line: 3 }])
    expect(diagnostics["hooks/in.yaml"]).toMatchObject([
      { code: "PV-SCOPE", line: 3, suggestion: expect.stringContaining('did you mean "hush"?') },
    ])
    expect(diagnostics["roles.yaml"]).toMatchObject([{ code: "PV-MODEL", severity: "warning", line: 1 }])
  })

  test("[F79] an MCP server's file sets its settings; while it cannot be asked it has no tools, and the file alone removes it", async () => {
    const t = await tenant("project-tools-mcp")
    const file = "url: https://mcp.example.com/mcp\nauth: { scope: linear }\neffect: read\ntimeout: 5000\n"
    const { diagnostics } = await t.ask<Applied>("PUT", "/v1/catalog", { ...CATALOG, tools: { "linear.yaml": file } })
    expect(diagnostics["tools/linear.yaml"]).toMatchObject([{ code: "PV-SCOPE", line: 2, column: 16 }])
    const settings = { url: "https://mcp.example.com/mcp", auth: { scope: "linear" }, effect: "read", timeout: 5_000 }
    expect(await t.ask("GET", "/v1/mcp-servers/linear")).toMatchObject({ ...settings, tools: [] })
    expect(await problem(t.raw("DELETE", "/v1/mcp-servers/linear"))).toEqual(owned("tools/linear.yaml"))
    expect(await problem(t.raw("PUT", "/v1/mcp-servers/linear", { url: "https://mcp.invalid/" }))).toEqual(owned("tools/linear.yaml"))
    await t.ask("PATCH", "/v1/catalog", { delete: ["tools/linear.yaml"] })
    expect((await t.raw("GET", "/v1/mcp-servers/linear")).status).toBe(404)
  })

  test("[F79] a key that is no admin changes none of them; the export gives another tenant the same", async () => {
    const t = await project("project-tools-scope")
    const { key } = await admin.ask<{ key: string }>("POST", `/v1/tenants/${t.id}/keys`, {
      name: "ci",
      scopes: ["catalog:write", "catalog:read"],
    })
    for (const gone of ["tools/pets.yaml", "callbacks/alerts.yaml"])
      expect(await problem(client(key).raw("PATCH", "/v1/catalog", { delete: [gone] }))).toMatchObject([
        403,
        "forbidden",
        expect.stringContaining("admin"),
      ])
    const file = await t.ask<object>("GET", "/v1/catalog/export")
    const to = await tenant("project-tools-to")
    await to.ask("PUT", "/v1/catalog", file)
    expect([await to.ask("GET", "/v1/catalog/export"), await own(to)]).toEqual([file, await own(t)])
  })
})
