import { expect, test } from "vitest"
import { DatasetStore } from "../../../../src/cloudflare/tenant/quality/dataset-store.ts"
import { TenantSql } from "../../../../src/cloudflare/tenant/tenant-sql.ts"
import { sqliteStorage } from "../../../support/cloudflare/sqlite-storage.ts"

function world() {
  const sql = new TenantSql(sqliteStorage())
  const gone = new Set<string>()
  let bytes = 0
  let now = 1_000
  const used = {
    takeDatasets(more: number): string | undefined {
      bytes += more
      return undefined
    },
  }
  const store = new DatasetStore({ sql, used, now: () => now++, isGone: (run) => gone.has(run) })
  return { sql, store, gone, bytes: () => bytes }
}
const row = (id: string, run?: string) => ({ id, row: { task: id }, ...(run === undefined ? {} : { run }) })

test("[V28] the flow of a dataset stays, and its hash follows from its rows alone", () => {
  const { store } = world()
  expect(store.list()).toEqual([])
  expect(store.put("one", "support")).toMatchObject({ ok: true, dataset: { name: "one", flow: "support", rows: 0 } })
  expect(store.put("one", "other")).toEqual({ ok: false, code: "other_flow", flow: "support" })
  store.put("two", "support", "the same rows")
  store.add("one", [row("row_a"), row("row_b")])
  store.add("two", [row("row_b")])
  expect(store.find("one")?.hash).not.toBe(store.find("two")?.hash)
  store.add("two", [row("row_a")])
  expect(store.find("one")?.hash).toBe(store.find("two")?.hash)
  expect(store.find("two")).toMatchObject({ rows: 2, description: "the same rows" })
})

test("[V29] equal rows are one, which remembers its runs, the newest first", () => {
  const { store, bytes } = world()
  store.put("one", "support")
  expect(store.add("one", [row("row_a", "run_1"), row("row_b")])).toEqual({ ok: true, added: 2, known: 0, gone: [] })
  const size = bytes()
  expect(store.add("one", [row("row_a", "run_2")])).toEqual({ ok: true, added: 0, known: 1, gone: [] })
  expect(store.rows("one", { limit: 10 })?.map(({ id, runs }) => ({ id, runs }))).toEqual([
    { id: "row_a", runs: ["run_2", "run_1"] },
    { id: "row_b", runs: [] },
  ])
  expect(bytes()).toBe(size)
  store.add(
    "one",
    Array.from({ length: 30 }, (_, i) => row("row_a", `run_${i + 10}`)),
  )
  expect(store.row("one", "row_a")?.runs).toHaveLength(20)
  expect(store.row("one", "row_a")?.runs[0]).toBe("run_39")
})

test("[V31] a row goes with the last of its runs, unless it was also added by hand", () => {
  const { store, sql, gone, bytes } = world()
  store.gone("run_0")
  store.put("one", "support")
  const empty = store.find("one")?.hash
  store.add("one", [row("row_a", "run_1"), row("row_a", "run_2"), row("row_b", "run_1"), row("row_b")])
  store.gone("run_1")
  expect(store.rows("one", { limit: 10 })?.map(({ id }) => id)).toEqual(["row_a", "row_b"])
  store.gone("run_2")
  expect(store.rows("one", { limit: 10 })?.map(({ id }) => id)).toEqual(["row_b"])
  store.removeRow("one", "row_b")
  expect(store.find("one")).toMatchObject({ rows: 0, hash: empty })
  expect(bytes()).toBe(0)
  expect(sql.read("SELECT * FROM dataset_run")).toEqual([])
  // A row that was on its way when its run was deleted is not added.
  gone.add("run_3")
  expect(store.add("one", [row("row_c", "run_3")])).toEqual({ ok: true, added: 0, known: 0, gone: ["run_3"] })
})

test("[V28] a deleted dataset leaves nothing, and its bytes are free", () => {
  const { store, sql, bytes } = world()
  store.put("one", "support")
  store.add("one", [row("row_a", "run_1"), row("row_b")])
  expect(store.remove("one")).toBe(true)
  expect([
    store.remove("one"),
    store.find("one"),
    bytes(),
    sql.read("SELECT * FROM dataset_row"),
    sql.read("SELECT * FROM dataset_run"),
  ]).toEqual([false, undefined, 0, [], []])
  expect(store.rows("one", { limit: 1 })).toBeUndefined()
})

test("[V28] a dataset takes 10,000 rows, and what would be more is added not at all", () => {
  const { store } = world()
  store.put("one", "support")
  store.add(
    "one",
    Array.from({ length: 9_999 }, (_, i) => row(`row_${i}`)),
  )
  expect(store.add("one", [row("row_x"), row("row_y")])).toEqual({ ok: false, code: "too_many", rows: 10_001 })
  expect(store.find("one")?.rows).toBe(9_999)
})

test("[V28] a tenant has 100 datasets, and another is refused", () => {
  const { store } = world()
  for (let i = 0; i < 100; i++) store.put(`set${i}`, "support")
  expect(store.put("more", "support")).toEqual({ ok: false, code: "too_many" })
  expect(store.put("set7", "support", "described anew").ok).toBe(true)
})
