// The indexes of the list [H5]: every query finds its runs, and none sorts or reads all runs.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { EffectIndex } from "../../../../src/cloudflare/tenant/effect-index.ts"
import { RunIndex } from "../../../../src/cloudflare/tenant/run-list/run-index.ts"
import { ALL_RUNS, runsOf } from "../../../../src/cloudflare/tenant/run-list/run-indexes.ts"
import { taskList } from "../../../../src/protocols/a2a/task-list.ts"
import { TenantSql } from "../../../../src/cloudflare/tenant/tenant-sql.ts"
import { isoTime } from "../../../../src/core/text/iso-time.ts"
import type { RunListPort, ListedRun } from "../../../../src/ports/tenant/run-list.ts"
import { sqliteStorage } from "../../../support/cloudflare/sqlite-storage.ts"

type Query = Parameters<RunListPort["list"]>[0]

function tenantOf(): { readonly storage: DurableObjectStorage; readonly sql: TenantSql } {
  const storage = sqliteStorage()
  const sql = new TenantSql(storage)
  sql.write(() => undefined)
  return { storage, sql }
}

const idOf = (n: number): string => `run_${String(n).padStart(3, "0")}`
const shapes = fc.record({
  flow: fc.constantFrom("f", "g"),
  status: fc.constantFrom("running", "succeeded", "failed"),
  created: fc.integer({ min: 1, max: 4 }),
  /** A name, another run's id, or its own id. */
  thread: fc.constantFrom("t", "u", idOf(0), idOf(1), "own"),
  parent: fc.constantFrom(undefined, undefined, idOf(0)),
  tag: fc.boolean(),
})
const queries: fc.Arbitrary<Omit<Query, "limit">> = fc.record(
  {
    thread: fc.constantFrom("t", idOf(0), idOf(1), idOf(2), "none"),
    children: fc.constant(true),
    flow: fc.constantFrom(["f"], ["f", "g"]),
    status: fc.constantFrom(["failed"], ["failed", "running"]),
    tag: fc.constant("x"),
    createdAfter: fc.integer({ min: 1, max: 4 }),
    createdBefore: fc.integer({ min: 1, max: 5 }),
  },
  { requiredKeys: [] },
)

const rowsOf = (given: readonly (typeof shapes extends fc.Arbitrary<infer T> ? T : never)[]): ListedRun[] =>
  given.map(({ flow, status, created, thread, parent, tag }, n) => {
    const id = idOf(n)
    const view = {
      id,
      flow,
      status,
      seq: 1,
      since: `s${created}`,
      tags: tag ? ["x"] : [],
      trigger: { kind: parent === undefined ? "api" : "child" },
      created: isoTime(created),
      thread: thread === "own" ? id : thread,
      ...(parent === undefined ? {} : { parent: { run: parent, step: "s", index: 0, depth: 1 } }),
    }
    return { id, flow, status, created, view, ...(status === "running" ? {} : { ended: created }) }
  })

const threadOf = ({ view }: ListedRun): unknown => view["thread"]
const newestFirst = (a: ListedRun, b: ListedRun): number => b.created - a.created || (a.id < b.id ? 1 : -1)

function expected(rows: readonly ListedRun[], query: Omit<Query, "limit">): string[] {
  return rows
    .filter(
      (row) =>
        (query.children === true || row.view["parent"] === undefined) &&
        (query.thread === undefined || threadOf(row) === query.thread) &&
        (query.flow === undefined || query.flow.includes(row.flow)) &&
        (query.status === undefined || query.status.includes(row.status)) &&
        (query.tag === undefined || JSON.stringify(row.view["tags"]) !== "[]") &&
        (query.createdAfter === undefined || row.created >= query.createdAfter) &&
        (query.createdBefore === undefined || row.created < query.createdBefore),
    )
    .toSorted(newestFirst)
    .map(({ id }) => id)
}

function pages(index: RunIndex, query: Omit<Query, "limit">, limit: number): unknown[] {
  const ids: unknown[] = []
  let cursor: string | undefined
  for (let n = 0; n < 100; n++) {
    const page = index.list({ ...query, limit, ...(cursor === undefined ? {} : { cursor }) })
    if ("badCursor" in page) throw new Error("bad cursor")
    ids.push(...page.data.map(({ id }) => id))
    if (page.next_cursor === null) return ids
    cursor = page.next_cursor
  }
  throw new Error("the pages do not end")
}

describe("the list of a tenant's runs", () => {
  test("[H5] [P16] every query finds its runs in order, page by page, with their threads and children", () => {
    const { storage, sql } = tenantOf()
    fc.assert(
      fc.property(fc.array(shapes, { maxLength: 12 }), queries, fc.integer({ min: 1, max: 4 }), (given, query, limit) => {
        for (const table of ["run", "run_tag"]) storage.sql.exec(`DELETE FROM ${table}`)
        const index = new RunIndex(sql, "t")
        const rows = rowsOf(given)
        for (const row of rows) index.note(row)
        expect(pages(index, query, limit)).toEqual(expected(rows, query))
        for (const thread of ["t", idOf(0), idOf(1)]) {
          const of = rows.filter((row) => threadOf(row) === thread && row.flow === "f")
          expect(index.newestOf("f", thread)?.id).toBe(of.toSorted(newestFirst)[0]?.id)
          const tasks = taskList(sql, "t", { flow: "f", limit: 50 }, runsOf(thread))
          expect("data" in tasks && tasks.total).toBe(of.filter(({ view }) => view["parent"] === undefined).length)
        }
      }),
      { numRuns: 60 },
    )
  })

  test("[Q2] of 5,001 runs that ask, a count says that there are more, and so it does of 5,001 effects of an unknown outcome", () => {
    const { storage, sql } = tenantOf()
    const view = JSON.stringify({ pending: 1, tags: [], trigger: { kind: "api" } })
    const counted = (n: number): unknown => {
      storage.sql.exec("DELETE FROM run")
      storage.sql.exec("DELETE FROM effect_open")
      for (let i = 0; i < n; i++) {
        storage.sql.exec("INSERT INTO run (id, flow, status, created, seq, view) VALUES (?, 'f', 'waiting', ?, 1, ?)", idOf(i), i, view)
        storage.sql.exec("INSERT INTO effect_open (run, key, state, tool, host, at) VALUES (?, 'e', 'uncertain', 'pay', '', ?)", idOf(i), i)
      }
      return [new RunIndex(sql, "t").asked(), new EffectIndex(sql, "t").uncertain()]
    }
    expect(counted(5_000)).toEqual([
      { n: 5_000, complete: true },
      { n: 5_000, complete: true },
    ])
    expect(counted(5_001)).toMatchObject([{ complete: false }, { n: 5_000, complete: false }])
  })

  test("[H6] what an object asks when it wakes reads the runs that go on and the new ones, however many have ended", () => {
    const { storage, sql } = tenantOf()
    const plans: string[] = []
    const index = new RunIndex(
      {
        read: (query: string, ...values: readonly (string | number)[]) => {
          const rows = storage.sql.exec<{ detail: string }>(`EXPLAIN QUERY PLAN ${query}`, ...values).toArray()
          plans.push(rows.map(({ detail }) => detail).join("; "))
          return sql.read(query, ...values)
        },
      } as unknown as TenantSql,
      "t",
    )
    index.live()
    index.promised()
    index.startedAfter(5)
    index.endedAfter("a", 5)
    for (const plan of plans) expect(plan).toMatch(/^(SCAN run USING INDEX run_live|SEARCH run .*\((created|id)>\?\))$/)
    expect(plans).toHaveLength(4)
  })

  test("[H5] the runs of a thread, and all runs, come in order without a scan or a sort", () => {
    const { storage } = tenantOf()
    for (const { sql, values } of [{ sql: ALL_RUNS, values: [] }, runsOf("c")]) {
      const plan = storage.sql
        .exec<{
          detail: string
        }>(
          `EXPLAIN QUERY PLAN SELECT id, created, view FROM ${sql} WHERE (created, id) < (5, 'x') ORDER BY created DESC, id DESC LIMIT 5`,
          ...values,
        )
        .toArray()
        .map(({ detail }) => detail)
        .join("; ")
      expect(plan).toMatch(/^(MERGE .*)?SEARCH (?!.*(TEMP B-TREE|SCAN))/)
    }
  })
})
