// The catalog as a whole over HTTPS: revisions, history, diff, rollback, export [F72] [F73] [H5] [N3].

import { describe, expect, test } from "vitest"
import { setUp } from "../../support/http/ask.ts"

const error = { code: "FV-NAME", line: 4, severity: "error", message: "bad" } as const

describe("revisions", () => {
  test("[F72] the catalog of a revision has its ETag", async () => {
    const { ask } = setUp()
    await ask("PUT", "/v1/agents/a", { body: "1" })
    const now = await ask("GET", "/v1/catalog")
    expect([now.headers.get("etag"), now.body["revision"]]).toEqual(['"r7"', 7])
    const then = await ask("GET", "/v1/catalog?revision=3")
    expect([then.headers.get("etag"), then.body]).toMatchObject(['"r3"', { revision: 3, data: [{ id: "a" }], next_cursor: null }])
    expect((await ask("GET", "/v1/catalog?revision=0")).body).toMatchObject({ revision: 0, data: [] })
  })

  test.each(["99", "-1", "x", "", "1e3", "9999999999999999999"])("[F72] ?revision=%s is 422 and names the parameter", async (revision) => {
    const { ask } = setUp()
    const r = await ask("GET", `/v1/catalog?revision=${revision}`)
    expect([r.status, r.body["errors"]]).toMatchObject([422, [{ pointer: "?revision" }]])
  })

  test("[H5] history is a list of times, names and changes, newest first, page by page", async () => {
    const { ask, acme } = setUp()
    const changes = [{ path: "agents/a.md", before: null, after: "ab" }]
    acme.catalog.revisions = [{ revision: 7, at: 1_700_000_000_000, by: "ann", action: "write", changed: 1, changes }]
    const r = await ask("GET", "/v1/catalog/history?limit=1&cursor=8")
    expect(r.body).toEqual({
      data: [{ revision: 7, at: "2023-11-14T22:13:20.000Z", by: "ann", action: "write", changed: 1, changes }],
      next_cursor: "5",
    })
    expect(acme.catalog.asked).toEqual([{ limit: 1, cursor: "8" }])
    for (const query of ["limit=0", "limit=201", "limit=x", "cursor=foreign"])
      expect((await ask("GET", `/v1/catalog/history?${query}`)).status, query).toBe(422)
  })

  test("[F72] a diff takes two revisions and a path", async () => {
    const { ask, acme } = setUp()
    expect((await ask("GET", "/v1/catalog/diff?from=2&to=5&path=agents/a.md")).body).toEqual({ from: 2, to: 5, data: [] })
    await ask("GET", "/v1/catalog/diff")
    expect(acme.catalog.asked).toEqual([{ from: 2, to: 5, path: "agents/a.md" }, {}])
    const pointer = async (query: string) => (await ask("GET", `/v1/catalog/diff?${query}`)).body["errors"]
    expect(await pointer("from=99&to=5")).toMatchObject([{ pointer: "?from" }])
    expect(await pointer("from=2&to=99")).toMatchObject([{ pointer: "?to" }])
    expect(await pointer("from=two")).toMatchObject([{ pointer: "?from" }])
  })
})

describe("rollback", () => {
  test("[F72] answers the new revision", async () => {
    const { ask, acme } = setUp()
    const r = await ask("POST", "/v1/catalog/rollback", { body: { revision: 3 } })
    expect([r.status, r.body, r.headers.get("etag")]).toEqual([200, { revision: 2, diagnostics: {} }, '"r2"'])
    expect(acme.catalog.rolledBack).toEqual([3])
  })

  test.each([{}, { revision: -1 }, { revision: 1.5 }, { revision: "3" }, { revision: 99 }, { revision: 3, force: true }])(
    "[F72] a rollback with %j is 422 and changes nothing",
    async (body) => {
      const { ask, acme } = setUp()
      expect((await ask("POST", "/v1/catalog/rollback", { body })).status).toBe(422)
      expect(acme.catalog.rolledBack).toEqual([])
    },
  )

  test("[F72] a file with an error is named by its path, without a pointer, because the body has no files", async () => {
    const { ask, acme } = setUp()
    acme.catalog.bundleResult = { ok: false, diagnostics: { "flows/f.yaml": [error] } }
    const r = await ask("POST", "/v1/catalog/rollback", { body: { revision: 3 } })
    expect([r.status, r.body["code"], r.body["diagnostics"]]).toEqual([422, "not_written", { "flows/f.yaml": [error] }])
    expect(r.body["errors"]).toEqual([{ pointer: "", line: 4, message: "flows/f.yaml: bad" }])
  })
})

describe("If-Match on the whole catalog", () => {
  test.each([
    ["PUT", "/v1/catalog", { flows: {} }],
    ["POST", "/v1/catalog/rollback", { revision: 3 }],
  ])("[F73] %s %s: the ETag is the revision", async (method, path, body) => {
    const { ask, acme } = setUp()
    const late = await ask(method, path, { body, headers: { "if-match": '"r6"' } })
    expect([late.status, late.body["current"], late.headers.get("etag")]).toEqual([412, 7, '"r7"'])
    const foreign = await ask(method, path, { body, headers: { "if-match": '"abc"' } })
    expect([foreign.status, foreign.body["current"], foreign.headers.get("etag")]).toEqual([412, 7, '"r7"'])
    for (const tag of ["*", "abc", 'W/"r7"', '"r7", "r8"'])
      expect((await ask(method, path, { body, headers: { "if-match": tag } })).status, tag).toBe(422)
    expect([acme.catalog.bundles, acme.catalog.rolledBack]).toEqual([[], []])
    expect((await ask(method, path, { body, headers: { "if-match": '"r7"' } })).status).toBe(200)
  })
})

describe("export", () => {
  test("[N3] answers a bundle that another catalog accepts unchanged", async () => {
    const { ask, acme } = setUp()
    const bundle = { agents: { "a.md": "x" }, flows: {}, skills: { "s/SKILL.md": "ü" }, code: {} }
    acme.catalog.exportResult = { ok: true, revision: 7, bundle }
    const r = await ask("GET", "/v1/catalog/export")
    expect([r.status, r.body, r.headers.get("etag")]).toEqual([200, bundle, '"r7"'])
    expect((await ask("PUT", "/v1/catalog", { body: r.body, key: "key-b" })).status).toBe(200)
  })

  test("[F74] lost files make the export fail and are named", async () => {
    const { ask, acme } = setUp()
    acme.catalog.exportResult = { ok: false, lost: ["agents/a.md"] }
    const r = await ask("GET", "/v1/catalog/export")
    expect([r.status, r.body["code"], r.body["lost"]]).toEqual([409, "catalog_lost", ["agents/a.md"]])
  })
})

describe("packages", () => {
  const body = { version: "1.2.0", agents: { "a.md": "x" }, flows: {} }

  test("[F70] dry=1 answers what a PUT would, and registers nothing", async () => {
    const { ask } = setUp()
    const dry = await ask("PUT", "/v1/packages/acme?dry=1", { body })
    expect([dry.status, dry.body, dry.headers.get("etag")]).toMatchObject([200, { name: "acme", version: "1.2.0" }, null])
    expect((await ask("GET", "/v1/packages/acme")).status).toBe(404)
    expect((await ask("PUT", "/v1/packages/acme?dry=yes", { body })).status).toBe(422)
    expect((await ask("PUT", "/v1/packages/acme?dry=1", { body, headers: { "if-match": `"${"0".repeat(64)}"` } })).status).toBe(412)
  })

  test("[F70] a package is registered, listed, read and removed", async () => {
    const { ask } = setUp()
    const put = await ask("PUT", "/v1/packages/acme", { body })
    expect([put.status, put.body]).toMatchObject([200, { name: "acme", version: "1.2.0", revision: 2, diagnostics: {} }])
    expect((await ask("GET", "/v1/packages")).body).toMatchObject({
      data: [{ name: "acme", version: "1.2.0", agents: 1 }],
      next_cursor: null,
    })
    const got = await ask("GET", "/v1/packages/acme")
    expect([got.headers.get("etag"), got.body]).toMatchObject([
      put.headers.get("etag"),
      { name: "acme", version: "1.2.0", agents: { "a.md": "x" }, flows: {}, skills: {}, code: {} },
    ])
    expect((await ask("GET", "/v1/packages/acme", { headers: { "if-none-match": put.headers.get("etag") ?? "" } })).status).toBe(304)
    expect((await ask("DELETE", "/v1/packages/acme")).status).toBe(204)
    expect((await ask("GET", "/v1/packages/acme")).status).toBe(404)
    expect((await ask("DELETE", "/v1/packages/acme")).status).toBe(404)
  })

  test.each([
    ["acme", {}],
    ["acme", { version: "" }],
    ["acme", { version: "1 2" }],
    ["acme", { version: 1 }],
    ["acme", { version: "1", agent: {} }],
    ["a%20b", body],
    ["__proto__", body],
    ["..%2Fx", body],
  ])("[F70] PUT /v1/packages/%s %j is 422", async (name, bad) => {
    const { ask, acme } = setUp()
    expect((await ask("PUT", `/v1/packages/${name}`, { body: bad })).status).toBe(422)
    expect(acme.catalog.registered.size).toBe(0)
  })

  test("[F73] If-Match on a package", async () => {
    const { ask, acme } = setUp()
    const etag = (await ask("PUT", "/v1/packages/acme", { body })).headers.get("etag") ?? ""
    for (const method of ["PUT", "DELETE"]) {
      const late = await ask(method, "/v1/packages/acme", { ...(method === "PUT" ? { body } : {}), headers: { "if-match": '"ab"' } })
      expect([late.status, late.headers.get("etag")], method).toEqual([412, etag])
    }
    expect(acme.catalog.registered.size).toBe(1)
    expect((await ask("DELETE", "/v1/packages/acme", { headers: { "if-match": etag } })).status).toBe(204)
  })

  test("[F70] an error in a package points to its place in the body", async () => {
    const { ask, acme } = setUp()
    acme.catalog.bundleResult = { ok: false, diagnostics: { "agents/a.md": [error] } }
    const r = await ask("PUT", "/v1/packages/acme", { body })
    expect([r.status, r.body["errors"]]).toMatchObject([422, [{ pointer: "/agents/a.md", line: 4 }]])
  })
})
