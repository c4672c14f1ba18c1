// The rules that hold for every setting and collection that is stored as it is, whichever they are.

import { describe, expect, test } from "vitest"
import { COLLECTIONS, SETTINGS } from "../../../src/api/settings.ts"
import { EXAMPLES } from "../../../src/api/doc/api.doc.ts"
import { capital } from "../../../src/api/stored.ts"
import { setUp } from "../../support/http/ask.ts"

describe.each(Object.keys(SETTINGS))("/v1/settings/%s", (name) => {
  const path = `/v1/settings/${name}`
  const example = EXAMPLES[capital(name)] as object
  const setUpWithProvider = (): ReturnType<typeof setUp> => {
    const all = setUp()
    // The example of the roles names its models.
    all.acme.settings.byName.set("anthropic", { kind: "anthropic", apiKey: "key-of-the-tenant" })
    return all
  }

  test("[N6] it is its default, then what was put, and a put of {} replaces it", async () => {
    const { ask } = setUpWithProvider()
    expect(await ask("GET", path)).toMatchObject({ status: 200, body: {} })
    expect(await ask("PUT", path, { body: example })).toMatchObject({ status: 200, body: example })
    expect((await ask("GET", path)).body).toEqual(example)
    expect((await ask("PUT", path, { body: {} })).body).toEqual({})
  })

  test("[H3] a body that is no object, or has an unknown field, is 422 and stores nothing", async () => {
    const { ask } = setUpWithProvider()
    await ask("PUT", path, { body: example })
    for (const body of [[], [example], 1, null, { ...example, nonesuch: 1 }])
      expect((await ask("PUT", path, { body })).status, JSON.stringify(body)).toBe(422)
    expect((await ask("GET", path)).body).toEqual(example)
  })

  test("[H1] only the scope admin opens it", async () => {
    const { ask, services } = setUp()
    services.key("key-r", "acme", ["runs:read", "catalog:write", "tools:call"])
    expect((await ask("GET", path, { key: "key-r" })).status).toBe(403)
    expect((await ask("PUT", path, { key: "key-r", body: {} })).status).toBe(403)
  })
})

describe.each(Object.values(COLLECTIONS))("$path", ({ path, shape, body, most, nouns }) => {
  const example = Object.fromEntries(Object.entries(EXAMPLES[shape] as object).filter(([name]) => name in body.shape))

  test("[T40] [T41] an item is created, replaced, listed by name and removed", async () => {
    const { ask } = setUp()
    const item = { name: "one", ...example }
    expect(await ask("PUT", `${path}/one`, { body: example })).toMatchObject({ status: 201, body: item })
    expect(await ask("PUT", `${path}/one`, { body: example })).toMatchObject({ status: 200, body: item })
    expect((await ask("GET", `${path}/one`)).body).toEqual(item)
    expect((await ask("GET", path)).body["data"]).toEqual([item])
    expect((await ask("DELETE", `${path}/one`)).status).toBe(204)
    for (const method of ["GET", "DELETE"] as const) expect((await ask(method, `${path}/one`)).status).toBe(404)
  })

  test("[H3] a bad name or body is 422, and nothing is stored", async () => {
    const { ask } = setUp()
    for (const name of ["a.b", "a%20b", "%C3%BC", "x".repeat(101)])
      expect((await ask("PUT", `${path}/${name}`, { body: example })).status, name).toBe(422)
    for (const body of [[], 1, {}, { ...example, nonesuch: 1 }])
      expect((await ask("PUT", `${path}/one`, { body })).status, JSON.stringify(body)).toBe(422)
    expect((await ask("GET", path)).body["data"]).toEqual([])
  })

  test("[H6] a full collection refuses a new item with 409 and still replaces one", async () => {
    const { ask } = setUp()
    for (let i = 0; i < most; i++) await ask("PUT", `${path}/k${i}`, { body: example })
    const refused = await ask("PUT", `${path}/new`, { body: example })
    expect([refused.status, refused.body["code"], refused.body["detail"]]).toEqual([
      409,
      "too_many_kinds",
      `A tenant has at most ${most} ${nouns}.`,
    ])
    expect((await ask("PUT", `${path}/k3`, { body: example })).status).toBe(200)
  })
})
