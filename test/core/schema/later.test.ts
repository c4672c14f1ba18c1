// Schemas that are built when something first reads them.

import { describe, expect, test } from "vitest"
import { z } from "zod"
import { later } from "../../../src/core/schema/later.ts"

function counted() {
  let builds = 0
  const schema = later(() => {
    builds++
    return z.strictObject({ name: z.string().max(3), size: z.number().exactOptional() })
  })
  return { schema, builds: () => builds }
}

describe("a schema that is built later", () => {
  test("is built by its first reader, once", () => {
    const { schema, builds } = counted()
    const parent = later(() => z.strictObject({ child: schema }))
    expect(builds()).toBe(0)
    expect(parent.parse({ child: { name: "a" } })).toEqual({ child: { name: "a" } })
    expect(schema.parse({ name: "b", size: 1 })).toEqual({ name: "b", size: 1 })
    expect(builds()).toBe(1)
  })

  test("judges and names faults as the schema itself does", () => {
    const { schema } = counted()
    const plain = z.strictObject({ name: z.string().max(3), size: z.number().exactOptional() })
    for (const value of [undefined, null, [], "a", {}, { name: 1 }, { name: "long" }, { name: "a", more: 1 }, { name: "a", size: "1" }]) {
      expect(schema.safeParse(value).error?.issues).toEqual(plain.safeParse(value).error?.issues)
      expect(z.array(schema).safeParse([value]).error?.issues).toEqual(z.array(plain).safeParse([value]).error?.issues)
    }
  })

  test("is of the schema's class, has its members, and can be picked from, extended and refined", () => {
    const { schema } = counted()
    expect(schema).toBeInstanceOf(z.ZodObject)
    expect(schema).toBeInstanceOf(z.ZodType)
    expect("shape" in schema).toBe(true)
    expect(Object.keys(schema.shape)).toEqual(["name", "size"])
    expect(schema.pick({ name: true }).safeParse({ name: "a", size: 1 }).success).toBe(false)
    expect(schema.extend({ more: z.literal(1) }).parse({ name: "a", more: 1 })).toEqual({ name: "a", more: 1 })
    const refined = schema.refine(({ name }) => name !== "no", { error: "is no name" })
    expect(refined.safeParse({ name: "no" }).error?.issues[0]?.message).toBe("is no name")
    const { parse } = schema
    expect(parse({ name: "a" })).toEqual({ name: "a" })
  })

  test("says of itself what its schema says", () => {
    const schema = later(() => z.record(z.string(), z.number()).meta({ maxProperties: 3 }))
    expect(z.toJSONSchema(z.object({ a: schema, b: schema.exactOptional() }))).toMatchObject({
      properties: { a: { maxProperties: 3 }, b: { maxProperties: 3 } },
    })
    expect(schema.meta()).toEqual({ maxProperties: 3 })
  })

  test("is one schema in a document, wherever other schemas have it", () => {
    const { schema } = counted()
    const registry = z.registry<{ id: string }>()
    registry.add(schema, { id: "One" })
    registry.add(z.strictObject({ a: schema, b: schema.exactOptional(), c: z.array(schema) }), { id: "All" })
    const { schemas } = z.toJSONSchema(registry, { uri: (id) => `#/${id}` })
    expect(schemas["All"]).toMatchObject({ properties: { a: { $ref: "#/One" }, b: { $ref: "#/One" }, c: { items: { $ref: "#/One" } } } })
    expect(schemas["One"]).toMatchObject({ type: "object", properties: { name: { type: "string", maxLength: 3 } }, required: ["name"] })
  })
})
