import { beforeEach, describe, expect, test } from "vitest"
import { setUp } from "../../support/http/ask.ts"

let it: ReturnType<typeof setUp>
beforeEach(() => void (it = setUp()))
const SCHEMA = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] }
const put = (body: unknown, kind = "orders") => it.ask("PUT", `/v1/references/${kind}`, { body })

describe("references over HTTP", () => {
  test("[T40] a kind is created, replaced, listed and removed; each fault has its place", async () => {
    expect(await put({ schema: SCHEMA, ttl_ms: 5 })).toMatchObject({ status: 201, body: { name: "orders", schema: SCHEMA, ttl_ms: 5 } })
    expect((await put({ schema: SCHEMA })).status).toBe(200)
    expect((await it.ask("GET", "/v1/references/orders")).body).toEqual({ name: "orders", schema: SCHEMA })
    expect((await it.ask("GET", "/v1/references")).body["data"]).toHaveLength(1)
    for (const [body, pointer] of [
      [{}, "/schema"],
      [{ schema: {}, ttl: 5 }, "/ttl"],
      [{ schema: {}, ttl_ms: -1 }, "/ttl_ms"],
      [{ schema: { $ref: "#/$defs/x" } }, "/schema"],
    ] as const)
      expect(await put(body)).toMatchObject({ status: 422, body: { errors: [{ pointer }] } })
    expect((await put({ schema: SCHEMA }, "1%20x")).status).toBe(422)
    expect((await it.ask("DELETE", "/v1/references/orders")).status).toBe(204)
    for (const method of ["GET", "DELETE"]) expect((await it.ask(method, "/v1/references/orders")).status).toBe(404)
  })

  test("[T40] a value is stored and read by its id; a value that does not fit is 422 at the fault's place", async () => {
    await put({ schema: SCHEMA })
    const made = await it.ask("POST", "/v1/references/orders", { body: { n: 1 } })
    expect(made).toMatchObject({ status: 201, body: { kind: "orders", glimpse: { n: 1 } } })
    expect((await it.ask("POST", "/v1/references/orders", { body: { n: 1 } })).status).toBe(200)
    const path = `/v1/references/orders/${String(made.body["id"])}`
    expect((await it.ask("GET", path)).body).toEqual({ ...made.body, value: { n: 1 } })
    expect((await it.ask("GET", `${path}?glimpse=1`)).body).toEqual(made.body)
    expect((await it.ask("GET", `${path}?glimpse=yes`)).status).toBe(422)
    expect(await it.ask("POST", "/v1/references/orders", { body: { n: "1" } })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "/n" }] },
    })
    expect((await it.ask("POST", "/v1/references/orders")).status).toBe(422)
    expect((await it.ask("POST", "/v1/references/none", { body: { n: 1 } })).status).toBe(404)
  })

  test("[T32] a value is stored without the tenant's secrets", async () => {
    await put({ schema: {} })
    await it.ask("PUT", "/v1/secrets/shop", { body: { value: "s3cret-of-the-shop" } })
    const made = await it.ask("POST", "/v1/references/orders", { body: { note: "it is s3cret-of-the-shop" } })
    expect((await it.ask("GET", `/v1/references/orders/${String(made.body["id"])}`)).text).not.toContain("s3cret-of")
  })

  test("[G11] a caller marks a value that comes from outside", async () => {
    await put({ schema: {} })
    expect((await it.ask("POST", "/v1/references/orders?untrusted=1", { body: 1 })).body).toMatchObject({ untrusted: true })
  })
})

describe("plans over HTTP", () => {
  const PATH = "/v1/plans/refunds"
  const BODY = { schema: SCHEMA, dispatcher: { binding: "DISPATCH_SHOP" } }

  test("[T41] a kind of plan is created, replaced, listed and removed", async () => {
    expect(await it.ask("PUT", PATH, { body: BODY })).toMatchObject({ status: 201, body: { name: "refunds", ...BODY } })
    expect((await it.ask("PUT", PATH, { body: { ...BODY, display_aliases: { draft: "Proposal" } } })).status).toBe(200)
    expect((await it.ask("GET", PATH)).body).toMatchObject({ display_aliases: { draft: "Proposal" } })
    expect((await it.ask("GET", "/v1/plans")).body["data"]).toHaveLength(1)
    expect([(await it.ask("DELETE", PATH)).status, (await it.ask("GET", PATH)).status]).toEqual([204, 404])
  })

  test("[T41] a dispatcher is a webhook with an allowed address, or a binding meant for dispatchers", async () => {
    for (const [dispatcher, pointer] of [
      [{ binding: "RUN" }, "/dispatcher/binding"],
      [{ url: "https://10.0.0.1/", secret: "shop" }, "/dispatcher/url"],
      [{ url: "http://shop.example/", secret: "shop" }, "/dispatcher/url"],
      [{ url: "https://shop.example/", secret: "a b" }, "/dispatcher/secret"],
    ] as const)
      expect(await it.ask("PUT", PATH, { body: { schema: {}, dispatcher } })).toMatchObject({
        status: 422,
        body: { errors: [{ pointer }] },
      })
    expect(
      (await it.ask("PUT", PATH, { body: { schema: {}, dispatcher: { url: "https://shop.example/x", secret: "shop" } } })).status,
    ).toBe(201)
  })

  test("[T41] the plans of a run are listed; an unknown run is 404", async () => {
    const run = `run_${"a".repeat(26)}`
    it.acme.run(run).begin()
    await it.acme.plans.insert(run, { planId: "p1", plan: "refunds", body: { actions: [] } })
    expect((await it.ask("GET", `/v1/runs/${run}/plans`)).body["data"]).toEqual([
      { planId: "p1", plan: "refunds", state: "draft", body: { actions: [] } },
    ])
    expect((await it.ask("GET", `/v1/runs/run_${"b".repeat(26)}/plans`)).status).toBe(404)
  })
})
