// References [C20–C26, T40] over rows and blobs in memory, and the tools that show them.

import { describe, expect, test } from "vitest"
import { glimpseOf, readReferenceKind, type ReferenceKind } from "../../../src/core/references/reference-kind.ts"
import { MemoryReferences } from "../../support/engine/memory-references.ts"
import { said, ToolBench } from "../../support/engine/tool-bench.ts"

const ORDERS: ReferenceKind = {
  name: "orders",
  schema: {
    type: "object",
    properties: { ids: { type: "array", items: { $ref: "#/$defs/id" } }, total: { type: "integer" } },
    required: ["ids"],
    additionalProperties: false,
    $defs: { id: { type: "string" } },
  },
}
const VALUE = { ids: ["a", "b"], total: 5 }

async function stand(more: Partial<ReferenceKind> = {}, tenant = "acme") {
  const references = new MemoryReferences(tenant)
  await references.putKind({ ...ORDERS, ...more })
  return references
}
const idOf = async (references: MemoryReferences, value = VALUE): Promise<string> => {
  const made = await references.create("orders", value)
  return made.ok ? made.reference.id : ""
}

describe("a kind", () => {
  test("[T40] is read completely: every fault at its place", () => {
    const faults = (body: unknown) => {
      const read = readReferenceKind("orders", body)
      return read.ok ? [] : read.error.map((f) => f.pointer)
    }
    expect(faults({ schema: ORDERS.schema, ttl_ms: 0, glimpse: { fields: ["total"], max_items: 1 } })).toEqual([])
    expect(faults({})).toEqual(["/schema"])
    expect(faults({ schema: { type: "object", properties: { a: { $ref: "#/$defs/none" } } } })).toEqual(["/schema"])
    expect(faults({ schema: { pattern: "(" }, ttl_ms: -1, glimpse: { max_items: -1, more: 1 }, other: 1 })).toEqual(
      expect.arrayContaining(["/other", "/ttl_ms", "/glimpse/more", "/glimpse/max_items"]),
    )
  })

  test("[T40] shows a glimpse; when the glimpse is as large as the value, it only describes the value's size", () => {
    expect(glimpseOf({}, VALUE)).toEqual(VALUE)
    expect(glimpseOf({ glimpse: { fields: ["total", "none"] } }, VALUE)).toEqual({ total: 5 })
    expect(glimpseOf({ glimpse: { max_items: 1 } }, [1, 2, 3])).toEqual({ count: 3, sample: [1] })
    expect(glimpseOf({}, 7)).toEqual({ value: 7 })
    expect(glimpseOf({}, { text: "x".repeat(5_000), n: 1 })).toEqual({ fields: ["text", "n"], bytes: 5_017 })
    expect(glimpseOf({}, ["x".repeat(5_000)])).toEqual({ count: 1, bytes: 5_004 })
  })
})

describe("a reference", () => {
  test("[T40] the same value in one tenant is one reference, in another tenant a different one", async () => {
    const acme = await stand()
    const [first, again] = [await acme.create("orders", VALUE), await acme.create("orders", { total: 5, ids: ["a", "b"] })]
    expect([first, again]).toMatchObject([
      { ok: true, isNew: true, reference: { kind: "orders", id: expect.stringMatching(/^[0-9a-f]{64}$/), glimpse: VALUE } },
      { ok: true, isNew: false },
    ])
    expect(first.ok && again.ok && again.reference.id === first.reference.id).toBe(true)
    expect([acme.rows.size, acme.blobs.size]).toEqual([1, 1])
    expect(await idOf(await stand({}, "other"))).not.toBe(await idOf(acme))
  })

  test("[T40] a value that does not fit creates nothing: no id, no row, no blob; nothing is coerced", async () => {
    const acme = await stand()
    for (const value of [{}, { ids: [1] }, { ids: ["a"], total: "5" }, { ids: ["a"], more: 1 }, "x", null, [VALUE]])
      expect([value, await acme.create("orders", value)]).toMatchObject([value, { ok: false, code: "invalid" }])
    expect(await acme.create("orders", { ids: ["a"], total: "5" })).toMatchObject({ faults: [{ path: "/total" }] })
    expect(await acme.create("none", VALUE)).toEqual({ ok: false, code: "unknown_kind" })
    expect([acme.rows.size, acme.blobs.size]).toEqual([0, 0])
  })

  test("[T40] missing, expired and other tenants' references look the same; an unknown kind is reported", async () => {
    const acme = await stand({ ttl_ms: 100 })
    const other = await stand({}, "other")
    const theirs = await idOf(other)
    const id = await idOf(acme)
    expect(await acme.resolve("orders", id)).toMatchObject({ ok: true, value: { value: VALUE } })
    const missing = await acme.resolve("orders", "0".repeat(64))
    expect(missing).toEqual({ ok: false, code: "not_found" })
    expect(await acme.resolve("orders", theirs)).toEqual(missing)
    acme.now += 99
    expect((await acme.glimpse("orders", id)).ok).toBe(true)
    acme.now += 1
    expect([await acme.resolve("orders", id), await acme.glimpse("orders", id)]).toEqual([missing, missing])
    expect(await acme.resolve("none", id)).toEqual({ ok: false, code: "unknown_kind" })
  })

  test("[T40] its glimpse is made once; creating it again renews it, and text from outside stays marked", async () => {
    const acme = await stand({ ttl_ms: 100 })
    await acme.create("orders", VALUE, { tainted: true })
    acme.now += 60
    await acme.putKind({ ...ORDERS, ttl_ms: 100, glimpse: { fields: ["total"] } })
    expect(await acme.create("orders", VALUE)).toMatchObject({ isNew: false, reference: { glimpse: VALUE, tainted: true } })
    acme.now += 60
    const id = await idOf(acme)
    expect((await acme.resolve("orders", id)).ok).toBe(true)
    acme.now += 200
    expect(await acme.create("orders", VALUE)).toMatchObject({ isNew: true, reference: { glimpse: { total: 5 } } })
  })
})

describe("its tools", () => {
  test("[T40] resolveRef shows value and glimpse, glimpseRef only the glimpse", async () => {
    const references = await stand({ glimpse: { fields: ["total"] } })
    const id = await idOf(references)
    const bench = new ToolBench({ references })
    const whole = await bench.call("resolveRef", { kind: "orders", id })
    expect(JSON.parse(said(whole))).toEqual({ kind: "orders", value: VALUE, glimpse: { total: 5 } })
    expect(whole).toMatchObject({ isError: false, details: { glimpse: { total: 5 } } })
    expect(JSON.parse(said(await bench.call("glimpseRef", { kind: "orders", id })))).toEqual({ kind: "orders", glimpse: { total: 5 } })
  })

  test("[T40] text from outside is marked [G11]", async () => {
    const references = await stand()
    const made = await references.create("orders", VALUE, { tainted: true })
    const bench = new ToolBench({ references })
    for (const name of ["resolveRef", "glimpseRef"])
      expect(await bench.call(name, { kind: "orders", id: made.ok ? made.reference.id : "" })).toMatchObject({ untrusted: true })
  })

  test("[T40] an unknown kind lists the known kinds; a missing reference lists nothing", async () => {
    const bench = new ToolBench({ references: await stand() })
    const kind = await bench.call("resolveRef", { kind: "nope", id: "x" })
    expect([kind.isError, said(kind)]).toEqual([true, expect.stringMatching(/no kind .*known: orders/)])
    const id = await bench.call("glimpseRef", { kind: "orders", id: "x" })
    expect([id.isError, said(id)]).toEqual([true, "ERROR there is no reference orders/x: it does not exist or has expired"])
  })
})
