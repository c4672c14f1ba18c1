// The toolkit `catalog` over SQLite in memory [C42, C43, T43]; test/worker/capabilities/catalog-toolkit.test.ts has it over D1.

import { readFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, test } from "vitest"
import type { JsonObject } from "../../../src/core/json.ts"
import type { Data } from "../../../src/ports/data.ts"
import { said, ToolBench } from "../../support/engine/tool-bench.ts"

const SCHEMA = readFileSync(new URL("../../../migrations/data/0001_catalog.sql", import.meta.url), "utf8")

function stand(): { bench: ToolBench; db: DatabaseSync; asked: string[] } {
  const db = new DatabaseSync(":memory:")
  db.exec(SCHEMA)
  db.exec(`
    CREATE TABLE orders (id INTEGER, customer INTEGER, note TEXT);
    INSERT INTO orders VALUES (1, 1, 'first'), (2, 1, 'second'), (3, 2, 'third');
    INSERT INTO catalog_entity (id, kind, name, description, table_name, details) VALUES
      ('orders', 'table', 'Orders', 'What customers bought', 'orders', '{"owner":"sales"}'),
      ('customers', 'table', 'Customers', 'People who buy', 'customers', NULL),
      ('regions', 'table', 'Regions', 'Where people live', NULL, NULL),
      ('handbook', 'document', 'Handbook', 'How refunds of orders work', NULL, NULL);
    INSERT INTO catalog_field (entity, name, position, type, description) VALUES
      ('orders', 'note', 2, 'TEXT', 'free text of the clerk'), ('orders', 'id', 1, 'INTEGER', 'key'),
      ('customers', 'region', 1, 'INTEGER', 'where a customer lives');
    INSERT INTO catalog_relation (id, source, target, kind, condition) VALUES
      ('r1', 'orders', 'customers', 'many-to-one', 'orders.customer = customers.id'),
      ('r2', 'customers', 'regions', 'many-to-one', 'customers.region = regions.id'),
      ('r3', 'handbook', 'orders', 'about', '');
  `)
  const asked: string[] = []
  const data: Data = {
    select: async (sql, values) => {
      asked.push(sql)
      return db.prepare(sql).all(...values) as unknown as JsonObject[]
    },
  }
  return { bench: new ToolBench({ data }), db, asked }
}
async function answer(bench: ToolBench, tool: string, args: JsonObject): Promise<JsonObject> {
  const outcome = await bench.call(tool, args)
  if (outcome.isError) throw new Error(said(outcome))
  const text = outcome.content[0]?.type === "text" ? outcome.content[0].text : ""
  return JSON.parse(/\{.*\}/s.exec(text)?.[0] ?? text) as JsonObject
}

describe("the data catalog", () => {
  test("[T43] entities are found by words in names, descriptions and fields, best match first", async () => {
    const { bench } = stand()
    const ids = async (args: JsonObject) => ((await answer(bench, "search_catalog", args))["entities"] as JsonObject[]).map((e) => e["id"])
    expect(await ids({ query: "orders" })).toEqual(["orders", "handbook"])
    expect(await ids({ query: "orders", kind: "document" })).toEqual(["handbook"])
    expect(await answer(bench, "search_catalog", { query: "clerk" })).toEqual({
      entities: [{ id: "orders", kind: "table", name: "Orders", description: "What customers bought", matching_fields: "note" }],
    })
    expect(await answer(bench, "search_catalog", { query: "people", limit: 1 })).toMatchObject({ more: true })
    expect(await ids({ query: "\"*) OR -- '" })).toEqual([])
  })

  test("[T43] entities, their fields, their relations", async () => {
    const { bench } = stand()
    expect(await answer(bench, "get_catalog_entities", { ids: ["orders", "none"] })).toEqual({
      entities: [
        {
          id: "orders",
          kind: "table",
          name: "Orders",
          description: "What customers bought",
          table: "orders",
          details: { owner: "sales" },
          fields: ["id", "note"],
        },
      ],
      missing: ["none"],
    })
    expect(await answer(bench, "list_schema_fields", { entity: "customers" })).toEqual({
      fields: [{ name: "region", type: "INTEGER", description: "where a customer lives" }],
    })
    await expect(answer(bench, "list_schema_fields", { entity: "none" })).rejects.toThrow(/no entity "none"/)
    const { relations } = await answer(bench, "get_catalog_relations", { entity: "orders" })
    expect((relations as JsonObject[]).map((r) => r["id"])).toEqual(["r1", "r3"])
  })

  test("[T43] paths use relations in both directions, shortest first, and visit nothing twice", async () => {
    const { bench, db } = stand()
    const paths = async (args: JsonObject) =>
      ((await answer(bench, "get_relation_paths_between", args))["paths"] as JsonObject[][]).map((path) =>
        path.map((hop) => hop["relation"]),
      )
    expect(await paths({ from: "handbook", to: "regions" })).toEqual([["r3", "r1", "r2"]])
    expect(await paths({ from: "regions", to: "handbook" })).toEqual([["r2", "r1", "r3"]])
    expect(await paths({ from: "handbook", to: "regions", max_hops: 2 })).toEqual([])
    db.exec("INSERT INTO catalog_relation (id, source, target) VALUES ('r4', 'orders', 'regions'), ('r5', 'orders', 'orders')")
    expect(await paths({ from: "handbook", to: "regions" })).toEqual([
      ["r3", "r4"],
      ["r3", "r1", "r2"],
    ])
  })

  test("[T43] rows are shown as text from outside, a few of them", async () => {
    const { bench } = stand()
    const sample = await bench.call("sample_table_data", { entity: "orders", limit: 2 })
    expect(sample).toMatchObject({ isError: false, untrusted: true, details: { rows: 2, more: true } })
    expect(said(await bench.call("sample_table_data", { entity: "handbook" }))).toMatch(/is not a table/)
    const query = await bench.call("execute_query", { sql: "SELECT customer, count(*) AS n FROM orders GROUP BY 1 ORDER BY 1; -- end" })
    expect(query).toMatchObject({ isError: false, untrusted: true, details: { rows: 2, more: false } })
    expect(said(query)).toContain('{"customer":1,"n":2}')
    expect(await bench.call("execute_query", { sql: "SELECT * FROM orders", limit: 1 })).toMatchObject({ details: { rows: 1, more: true } })
  })

  test("[T43] whatever writes is refused, and the database is never asked", async () => {
    const { bench, db, asked } = stand()
    for (const sql of [
      "DELETE FROM orders",
      "WITH x AS (SELECT 1) DELETE FROM orders",
      "SELECT 1; DROP TABLE orders",
      "SELECT 1) ; DELETE FROM orders; SELECT * FROM (SELECT 1",
    ]) {
      const outcome = await bench.call("execute_query", { sql })
      expect([sql, outcome.isError, said(outcome)]).toEqual([sql, true, expect.stringMatching(/Nothing was run/)])
    }
    expect([asked, db.prepare("SELECT count(*) AS n FROM orders").get()]).toEqual([[], { n: 3 }])
  })

  test("[T43] no database, or one without a catalog, is said as such", async () => {
    expect(said(await new ToolBench().call("search_catalog", { query: "x" }))).toMatch(/no data catalog/)
    const empty = new DatabaseSync(":memory:")
    const data: Data = { select: async (sql, values) => empty.prepare(sql).all(...values) as unknown as JsonObject[] }
    expect(said(await new ToolBench({ data }).call("get_catalog_relations", { entity: "x" }))).toMatch(/migrations\/data/)
  })

  test("[T43] the words follow what is changed", async () => {
    const { bench, db } = stand()
    db.exec(
      "UPDATE catalog_entity SET description = 'Quarterly figures' WHERE id = 'regions'; DELETE FROM catalog_entity WHERE id = 'handbook'",
    )
    const ids = async (query: string) =>
      ((await answer(bench, "search_catalog", { query }))["entities"] as JsonObject[]).map((e) => e["id"])
    expect([await ids("quarterly"), await ids("lives"), await ids("refunds")]).toEqual([["regions"], ["customers"], []])
  })
})
