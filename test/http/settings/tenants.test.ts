// The instance's tenants, which need the admin key, and their separation.

import { describe, expect, test } from "vitest"
import { ROUTES } from "../../../src/http/app.ts"
import { setUp } from "../../support/http/ask.ts"

const admin = "key-admin"

describe("tenants", () => {
  test("[N1] the admin key creates, lists, reads and limits them", async () => {
    const { ask } = setUp()
    const made = await ask("POST", "/v1/tenants", { key: admin, body: { id: "new-one" } })
    expect(made.status).toBe(201)
    expect(made.headers.get("location")).toBe("/v1/tenants/new-one")
    expect(made.body).toMatchObject({ id: "new-one", name: "new-one", created: "1970-01-01T00:00:01.000Z" })
    expect((await ask("POST", "/v1/tenants", { key: admin, body: { id: "new-one" } })).body).toMatchObject({ status: 409, code: "taken" })
    expect((await ask("GET", "/v1/tenants", { key: admin })).body).toMatchObject({ data: [{ id: "new-one" }], next_cursor: null })
    expect((await ask("GET", "/v1/tenants/new-one", { key: admin })).body).toEqual(made.body)
    expect((await ask("GET", "/v1/tenants/nobody", { key: admin })).status).toBe(404)
    const quotas = await ask("PUT", "/v1/tenants/new-one/quotas", { key: admin, body: { concurrent_runs: 2, retention_max: "90d" } })
    expect(quotas.body).toMatchObject({ concurrent_runs: 2, starts_per_minute: 1200, retention_max: 7_776_000_000 })
    expect((await ask("GET", "/v1/tenants/new-one/quotas", { key: admin })).body).toEqual(quotas.body)
    expect((await ask("PUT", "/v1/tenants/nobody/quotas", { key: admin, body: { concurent_runs: 2 } })).status).toBe(404)
    const storage = await ask("PUT", "/v1/tenants/new-one/quotas", { key: admin, body: { storage_bytes: 1 } })
    expect(storage.body).toMatchObject({ storage_bytes: 1, concurrent_runs: 2 })
    for (const body of [{ concurent_runs: 2 }, { concurrent_runs: -1 }, { concurrent_runs: 1.5 }, { retention_max: "soon" }])
      expect((await ask("PUT", "/v1/tenants/new-one/quotas", { key: admin, body })).status).toBe(422)
  })

  test("[N1] an id is a short lowercase word", async () => {
    const { ask } = setUp()
    for (const id of ["", "a", "A1", "1a", "a_b", "a/b", "-a", "a".repeat(32), "ü1"])
      expect((await ask("POST", "/v1/tenants", { key: admin, body: { id } })).status, id).toBe(422)
  })

  test("[N1] a jurisdiction without storage is refused with the reason", async () => {
    const { ask } = setUp()
    const made = await ask("POST", "/v1/tenants", { key: admin, body: { id: "in-eu", jurisdiction: "eu" } })
    expect(made.body).toMatchObject({ status: 422, code: "unsupported", errors: [{ pointer: "/jurisdiction" }] })
  })

  test("[N5] the admin key creates keys of a tenant, which are shown once", async () => {
    const { ask } = setUp()
    await ask("POST", "/v1/tenants", { key: admin, body: { id: "acme-2" } })
    const headers = { "idempotency-key": "k" }
    const made = await ask("POST", "/v1/tenants/acme-2/keys", { key: admin, body: { scopes: ["runs:read"] }, headers })
    expect(made.body["key"]).toBe("sl_acme_SECRET-OF-KEY-0")
    const again = await ask("POST", "/v1/tenants/acme-2/keys", { key: admin, body: { scopes: ["runs:read"] }, headers })
    expect([again.headers.get("idempotent-replayed"), again.text.includes("SECRET-OF-KEY")]).toEqual(["true", false])
    expect((await ask("GET", "/v1/tenants/acme-2/keys", { key: admin })).text).not.toContain("SECRET-OF-KEY")
    expect((await ask("DELETE", "/v1/tenants/acme-2/keys/key_0", { key: admin })).status).toBe(204)
    for (const [method, path] of [
      ["POST", "/v1/tenants/nobody/keys"],
      ["GET", "/v1/tenants/nobody/keys"],
      ["DELETE", "/v1/tenants/nobody/keys/key_0"],
      ["DELETE", "/v1/tenants/nobody"],
    ] as const)
      expect((await ask(method, path, { key: admin, ...(method === "POST" ? { body: {} } : {}) })).status, path).toBe(404)
  })

  test("[N3] a deletion lists what it removed, or answers that it is still in progress", async () => {
    const { ask, services } = setUp()
    const { tenants } = services
    for (const id of ["small", "large"]) await ask("POST", "/v1/tenants", { key: admin, body: { id } })
    tenants.deleted = { ...tenants.deleted, runs: 3, keys: 1 }
    const gone = await ask("DELETE", "/v1/tenants/small", { key: admin })
    expect([gone.status, gone.body]).toEqual([200, { id: "small", deleted: tenants.deleted }])
    tenants.isDone = false
    const going = await ask("DELETE", "/v1/tenants/large", { key: admin })
    expect([going.status, going.body]).toEqual([202, { id: "large", status: "deleting", deleted: tenants.deleted }])
  })
})

describe("separation of tenants", () => {
  test("[N5] the admin key opens no route of a tenant, and a tenant's key opens no route of the instance", async () => {
    const { ask, services } = setUp()
    for (const [method, path, scope] of ROUTES) {
      // `{message:send}` is a word that the path must have, `{[^/]+:cancel}` ends with one.
      const concrete = path.replace(/:[a-z]+(?:\{([^}]*)\})?/g, (_, form = "") =>
        `x1${/:[a-z]+$/.exec(form)?.[0] ?? ""}`.replace(/^x1(?=:send|:stream)/, "message"),
      )
      // A route for `any` tenant refuses the admin key, too.
      if (scope === "open") continue
      const key = scope === "instance" ? "key-a" : admin
      const answer = await ask(method, concrete, { key })
      expect(answer.status, `${method} ${concrete}`).toBe(403)
    }
    expect(services.opened).toEqual([])
  })

  test("[S10] [H2] a tenant's keys and settings are invisible to other tenants", async () => {
    const { ask, services } = setUp()
    const made = await ask("POST", "/v1/keys", { key: "key-b", body: { scopes: ["admin"] } })
    const shape = ({ status, headers, body }: Awaited<ReturnType<typeof ask>>) => [
      status,
      headers.get("content-type"),
      { ...body, instance: "" },
    ]
    expect(shape(await ask("DELETE", `/v1/keys/${String(made.body["id"])}`))).toEqual(shape(await ask("DELETE", "/v1/keys/key_unknown")))
    expect((await ask("GET", "/v1/keys")).body["data"]).toEqual([])
    await ask("PUT", "/v1/settings/cors", { key: "key-b", body: { origins: ["https://b.example"] } })
    await ask("PUT", "/v1/settings/retention", { key: "key-b", body: { runs: "1h" } })
    expect((await ask("GET", "/v1/settings/cors")).body).toEqual({ origins: [] })
    expect((await ask("GET", "/v1/settings/retention")).body).toEqual({ runs: "30d" })
    expect(services.of("other").account.keys.rows).toHaveLength(1)
  })
})
