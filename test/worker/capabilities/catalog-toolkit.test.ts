// The toolkit `catalog` over D1 inside workerd [C42, C43, T43].

import { SELF } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, test } from "vitest"
import { dataOf, noData } from "../../../src/cloudflare/capabilities/data-d1.ts"
import { missingTools } from "../../../src/cloudflare/capabilities/missing-tools.ts"
import type { JsonObject } from "../../../src/core/json.ts"
import SCHEMA from "../../../migrations/data/0001_catalog.sql?raw"

const KEY = { authorization: "Bearer sl_local_dev", "content-type": "application/json" }
const ask = async (method: string, path: string, body?: unknown): Promise<JsonObject> =>
  (await SELF.fetch(`http://sluice${path}`, { method, headers: KEY, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })).json()
async function tool(name: string, args: object): Promise<{ isError: boolean; text: string }> {
  const answer = await ask("POST", `/v1/tools/${name}`, args)
  const content = answer["content"] as { text: string }[]
  return { isError: answer["isError"] === true, text: content[0]?.text ?? JSON.stringify(answer) }
}
const json = (text: string): JsonObject => JSON.parse(text) as JsonObject

/** D1 runs one statement at a time; a trigger's statement ends with END. */
const statements = (sql: string): string[] =>
  (sql.replace(/^--.*$/gm, "").match(/\s*CREATE TRIGGER[^]*?\nEND;|[^;]+;/g) ?? []).map((s) => s.trim()).filter((s) => s !== "")

beforeAll(async () => {
  const db = env.DATA
  if (!db) throw new Error("the tests' Worker has no database")
  await db.batch(
    [
      ...statements(SCHEMA),
      "CREATE TABLE orders (id INTEGER, note TEXT, body BLOB)",
      "INSERT INTO orders VALUES (1, 'first', x'0102'), (2, 'second', NULL)",
      "INSERT INTO catalog_entity (id, name, description, table_name) VALUES ('orders', 'Orders', 'What was bought', 'orders'), ('people', 'People', '', NULL)",
      "INSERT INTO catalog_field (entity, name, type) VALUES ('orders', 'note', 'TEXT')",
      "INSERT INTO catalog_relation (id, source, target) VALUES ('r', 'orders', 'people')",
    ].map((sql) => db.prepare(sql)),
  )
})

describe("the data catalog in D1", () => {
  test("[T43] is searched, read, walked and sampled", async () => {
    expect(json((await tool("search_catalog", { query: "bought" })).text)).toEqual({
      entities: [{ id: "orders", kind: "table", name: "Orders", description: "What was bought" }],
    })
    expect(json((await tool("get_catalog_entities", { ids: ["orders"] })).text)).toMatchObject({
      entities: [{ id: "orders", table: "orders", fields: ["note"] }],
    })
    expect(json((await tool("list_schema_fields", { entity: "orders" })).text)).toMatchObject({ fields: [{ name: "note" }] })
    expect(json((await tool("get_catalog_relations", { entity: "people" })).text)).toMatchObject({ relations: [{ id: "r" }] })
    expect(json((await tool("get_relation_paths_between", { from: "people", to: "orders" })).text)).toMatchObject({
      paths: [[{ relation: "r" }]],
    })
    const sample = await tool("sample_table_data", { entity: "orders", limit: 1 })
    expect(sample).toEqual({ isError: false, text: expect.stringContaining('{"id":1,"note":"first","body":"[2 bytes]"}') })
  })

  test("[T43] only one SELECT, with a limit; a statement that writes is refused by its keywords, and would fail inside the query too", async () => {
    expect(await tool("execute_query", { sql: "SELECT id FROM orders ORDER BY id -- all", limit: 1 })).toEqual({
      isError: false,
      text: expect.stringContaining('{"rows":[{"id":1}],"more":true}'),
    })
    for (const sql of [
      "DELETE FROM orders",
      "WITH x AS (SELECT 1) DELETE FROM orders",
      "SELECT 1; DELETE FROM orders",
      "PRAGMA writable_schema = 1",
    ])
      expect(await tool("execute_query", { sql })).toEqual({ isError: true, text: expect.stringMatching(/Nothing was run/) })
    for (const sql of [
      "DELETE FROM orders RETURNING id",
      "WITH x AS (SELECT 1) DELETE FROM orders RETURNING id",
      "INSERT INTO orders VALUES (9, '', NULL) RETURNING id",
    ])
      await expect(env.DATA?.prepare(`SELECT * FROM (\n${sql}\n) LIMIT 2`).all()).rejects.toThrow(/syntax error/)
    expect(await tool("execute_query", { sql: "SELECT nowhere FROM orders" })).toEqual({
      isError: true,
      text: expect.stringMatching(/no such column/),
    })
    expect(await env.DATA?.prepare("SELECT count(*) AS n FROM orders").first()).toEqual({ n: 2 })
  })

  test("[T43] belongs to one tenant; without a database its tools are missing, and the list says why", async () => {
    expect(dataOf(env, "other")).toBeUndefined()
    expect(dataOf(env, "local")).toBeDefined()
    expect([noData({}), noData(env.DATA ? { DATA: env.DATA } : {})]).toEqual([
      expect.stringMatching(/binding = DATA/),
      expect.stringMatching(/DATA_TENANT/),
    ])
    expect(missingTools({}).get("execute_query")).toMatch(/D1/)
    expect(missingTools(env).has("execute_query")).toBe(false)
    const { data } = await ask("GET", "/v1/tools")
    expect((data as JsonObject[]).find((row) => row["name"] === "search_catalog")).toMatchObject({ available: true })
  })
})
