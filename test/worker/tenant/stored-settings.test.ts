// Settings that are stored as they are: one table for all of them, and the tables that they had before.

import { evictDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { portOf } from "../../../src/cloudflare/platform/port-of.ts"

const stubOf = (name: string) => env.TENANT.get(env.TENANT.idFromName(name))
const KIND = { name: "order", schema: { type: "object" } }
const PLAN = { name: "ship", schema: {}, dispatcher: { binding: "DISPATCH_SHOP" } } as const

describe("stored settings", () => {
  test("[N6] a setting is its default until it is put, and a put replaces the whole of it", async () => {
    const settings = portOf(env, "t-stored", "settings")
    expect([await settings.get("services"), await settings.get("roles"), await settings.get("prices")]).toEqual([{}, {}, {}])
    await settings.put("services", { search: { provider: "brave" }, k8s: { url: "https://k.example" } })
    await settings.put("services", { search: { provider: "tavily" } })
    await settings.put("prices", { "b/x": { input: 1, output: 2 }, "a/y": { input: 3, output: 4, cacheRead: 0.5 } })
    await evictDurableObject(stubOf("t-stored"))
    expect(await settings.get("services")).toEqual({ search: { provider: "tavily" } })
    expect(Object.keys(await settings.get("prices"))).toEqual(["a/y", "b/x"])
  })

  test("[T40] [T41] items are listed by name, one collection does not see another's, and the last of MOST is refused", async () => {
    const settings = portOf(env, "t-items", "settings")
    expect(await settings.putItem("references", KIND)).toBe("created")
    expect(await settings.putItem("references", { ...KIND, ttl_ms: 5 })).toBe("replaced")
    expect(await settings.putItem("references", { ...KIND, name: "case" })).toBe("created")
    expect((await settings.items("references")).map(({ name }) => name)).toEqual(["case", "order"])
    expect(await settings.items("plans")).toEqual([])
    expect([await settings.removeItem("plans", "order"), await settings.removeItem("references", "order")]).toEqual([false, true])
    for (let i = 1; i < 200; i++) await settings.putItem("references", { ...KIND, name: `k${i}` })
    expect(await settings.putItem("references", { ...KIND, name: "one-more" })).toBe("full")
    expect(await settings.putItem("references", { ...KIND, name: "case", ttl_ms: 1 })).toBe("replaced")
  })

  test("[T40] [T41] an item keeps the order of its members: a model reads the properties of a schema in its author's order", async () => {
    const settings = portOf(env, "t-order", "settings")
    const schema = { type: "object", properties: { zip: { type: "string" }, city: { type: "string" }, age: { type: "number" } } }
    await settings.putItem("references", { name: "place", schema, ttl_ms: 9 })
    await settings.putItem("plans", { ...PLAN, schema })
    await evictDurableObject(stubOf("t-order"))
    expect(JSON.stringify(await settings.items("references"))).toBe(JSON.stringify([{ name: "place", schema, ttl_ms: 9 }]))
    expect(JSON.stringify((await settings.items("plans"))[0]?.schema)).toBe(JSON.stringify(schema))
  })

  test("[T40] a removed kind takes its references with it, also when it is defined again", async () => {
    const [settings, references] = [portOf(env, "t-gone", "settings"), portOf(env, "t-gone", "references")]
    await settings.putItem("references", KIND)
    const made = await references.create("order", { n: 1 })
    if (!made.ok) throw new Error("not created")
    expect((await references.find("order", made.reference.id)).ok).toBe(true)
    expect(await settings.removeItem("references", "order")).toBe(true)
    await settings.putItem("references", KIND)
    expect(await references.find("order", made.reference.id)).toEqual({ ok: false, code: "not_found" })
  })
})
