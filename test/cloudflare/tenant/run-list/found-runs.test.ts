// Runs are found by words, globs of flows and times, in four orders [H5].

import { beforeEach, describe, expect, test } from "vitest"
import { RunCounts } from "../../../../src/cloudflare/tenant/insight/run-counts.ts"
import { RunIndex } from "../../../../src/cloudflare/tenant/run-list/run-index.ts"
import { TenantSql } from "../../../../src/cloudflare/tenant/tenant-sql.ts"
import type { JsonObject } from "../../../../src/core/json.ts"
import { isoTime } from "../../../../src/core/text/iso-time.ts"
import { wordsOf } from "../../../../src/core/text/plain-words.ts"
import { sqliteStorage } from "../../../support/cloudflare/sqlite-storage.ts"

type Query = Partial<Parameters<RunIndex["list"]>[0]>

let sql: TenantSql
let index: RunIndex

beforeEach(() => {
  sql = new TenantSql(sqliteStorage())
  index = new RunIndex(sql, "t")
})

function add(n: number, view: JsonObject = {}, { flow = "support:refund", status = "failed", ended = 1_000 + n } = {}): void {
  const id = `run_${String(n).padStart(26, "0")}`
  const shown = { id, flow, status, created: isoTime(1_000 + n), seq: 1, tags: [], trigger: { kind: "api" }, pending: 0, ...view }
  index.note({ id, flow, status, created: 1_000 + n, ended, view: shown })
}

function page(query: Query) {
  const found = index.list({ limit: 200, ...query })
  if ("badCursor" in found) throw new Error("bad cursor")
  return { ...found, ids: found.data.map(({ id }) => Number(String(id).slice(4))) }
}

function all(query: Query, between: () => void = () => undefined): { readonly ids: number[]; readonly complete: boolean[] } {
  const ids: number[] = []
  const complete: boolean[] = []
  for (let cursor: string | null | undefined; cursor !== null; between()) {
    const found = page({ ...query, ...(cursor === undefined ? {} : { cursor }) })
    ids.push(...found.ids)
    complete.push(found.complete)
    cursor = found.next_cursor
  }
  return { ids, complete }
}

const counted = (query: Query): number => new RunCounts(sql).by("flow", query).total

describe("words", () => {
  const found = (q: string): number[] => {
    const { ids } = page({ q: wordsOf(q) })
    expect(counted({ q: wordsOf(q) })).toBe(ids.length)
    return ids
  }

  test.each([
    ["run_00000000000000000000000003", [3]],
    ["REFUND", [5, 4, 3, 2, 1, 0]],
    ["50912", [1]],
    ["muller zoe", [2]],
    ["glossary 503", [3]],
    ["api_error", [3]],
    ["nightly", [4]],
    ["webhook zendesk", [5]],
    ['said "no\\yes"', [1]],
    ["hidden", []],
    ["succeeded", []],
    ["{", []],
  ])("[H5] %s", (q, ids) => {
    add(0, { inputs: "hidden", usage: { tokens: 1, usd: null, tool_calls: 0 } })
    add(1, { task: 'Ticket 50912: he said "no\\yes"' })
    add(2, { task: "Zoë Müller was charged twice" })
    add(3, { error: { step: "glossary", source: "api_error", message: "the provider answered 503" } })
    add(4, { tags: ["nightly"] })
    add(5, { trigger: { kind: "webhook", hook: "hook_zendesk" } })
    expect(found(q)).toEqual(ids)
  })
})

describe("filters", () => {
  test("[H5] a flow is a name or a glob, several are joined, and counts agree", () => {
    const flows = ["support:refund", "support:reply", "review", "reviewer", "support"]
    flows.forEach((flow, n) => add(n, {}, { flow }))
    const cases: [string[], number[]][] = [
      [["support:*"], [1, 0]],
      [
        ["*:re*", "review"],
        [2, 1, 0],
      ],
      [["review"], [2]],
      [["*view*"], [3, 2]],
      [["none*"], []],
      [["*"], [4, 3, 2, 1, 0]],
    ]
    for (const [flow, ids] of cases) {
      expect([flow, page({ flow }).ids, page({ flow, sort: "oldest" }).ids.toReversed()]).toEqual([flow, ids, ids])
      expect([flow, counted({ flow }), counted({ flow, createdAfter: 0 })]).toEqual([flow, ids.length, ids.length])
    }
    expect(page({ flow: Array.from({ length: 500 }, (_, n) => `f${n}`).concat("support") }).ids).toEqual([4])
  })

  test("[H5] hook, schedule and key are those that started the run", () => {
    add(0, { trigger: { kind: "webhook", hook: "h1" } })
    add(1, { trigger: { kind: "schedule", schedule: "s1" } })
    add(2, { trigger: { kind: "api", key: "ci" } })
    expect([page({ hook: "h1" }).ids, page({ schedule: "s1" }).ids, page({ apiKey: "ci" }).ids]).toEqual([[0], [1], [2]])
    expect(page({ hook: "s1" }).ids).toEqual([])
  })
})

describe("orders", () => {
  beforeEach(() => {
    for (let n = 0; n < 9; n++) {
      const usd = [null, 0.5, 0.001, 3, 0.5, null, 2, 0.5, 0.02][n] ?? null
      add(n, { usage: { tokens: 1, usd, tool_calls: 0 }, tags: n % 2 ? ["x"] : [] }, { ended: 1_000 + n + ((n * 5) % 9) })
    }
  })

  test("[H5] the oldest, the costliest and the longest first, page by page", () => {
    const cases: [Query, number[]][] = [
      [{ sort: "newest" }, [8, 7, 6, 5, 4, 3, 2, 1, 0]],
      [{ sort: "oldest" }, [0, 1, 2, 3, 4, 5, 6, 7, 8]],
      [{ sort: "cost" }, [3, 6, 7, 4, 1, 8, 2, 5, 0]],
      [{ sort: "duration" }, [7, 5, 3, 1, 8, 6, 4, 2, 0]],
      [{ sort: "cost", tag: "x" }, [3, 7, 1, 5]],
      [{ sort: "oldest", tag: "x" }, [1, 3, 5, 7]],
      [{ sort: "cost", flow: ["support:*"], q: ["refund"] }, [3, 6, 7, 4, 1, 8, 2, 5, 0]],
      [{ sort: "duration", status: ["failed"], createdBefore: 1_004 }, [3, 1, 2, 0]],
    ]
    for (const [query, ids] of cases) for (const limit of [1, 2, 200]) expect([query, all({ ...query, limit }).ids]).toEqual([query, ids])
  })

  test("[H5] runs that come between two pages move nothing", () => {
    for (const sort of ["oldest", "cost", "duration"] as const) {
      let n = 100
      const before = page({ sort }).ids
      const more = (): void => {
        if (n < 110) add(n++, { usage: { tokens: 1, usd: 99, tool_calls: 0 } }, { ended: 9_000 })
      }
      const seen = all({ sort, limit: 2 }, more).ids
      expect([sort, seen.filter((one) => before.includes(one))]).toEqual([sort, before])
      expect(new Set(seen).size).toBe(seen.length)
    }
  })

  test("[H5] a cursor belongs to its order", () => {
    const cursors = new Map(
      (["newest", "oldest", "cost", "duration"] as const).map((sort) => [sort, page({ sort, limit: 2 }).next_cursor ?? ""]),
    )
    for (const [own, cursor] of cursors)
      for (const sort of cursors.keys())
        expect("badCursor" in index.list({ limit: 2, sort, cursor }), `${own} in ${sort}`).toBe(own !== sort)
  })
})

describe("a page looks at 5,000 rows", () => {
  test("[H5] `complete` says whether it ended for that; its cursor goes on, and nothing is lost", () => {
    const many = 5_003
    add(0, { task: "the one" })
    // Copies of a row, as one statement.
    sql.write((rows) =>
      rows.exec(
        `WITH RECURSIVE more (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n < ?)
         INSERT INTO run SELECT printf('run_%026d', n), flow, status, 1000 + n, 1000 + n, seq, json_set(view, '$.id', printf('run_%026d', n),
           '$.task', CASE n WHEN 4000 THEN 'the one' ELSE 'another' END, '$.usage', json_object('usd', n % 7)) FROM run, more`,
        many - 1,
      ),
    )
    for (const sort of ["newest", "oldest", "cost", "duration"] as const) {
      const first = page({ q: ["one"], sort })
      expect([sort, first.complete, first.next_cursor === null]).toEqual([sort, false, false])
      const { ids, complete } = all({ q: ["one"], sort })
      expect([sort, ids.toSorted((a, b) => a - b), complete]).toEqual([sort, [0, 4_000], [false, true]])
    }
    // What ends at its limit is no less than was asked for.
    expect(page({ limit: 10 })).toMatchObject({ complete: true, next_cursor: expect.any(String) })
    expect(page({ q: ["another"], limit: 10 })).toMatchObject({ complete: true, next_cursor: expect.any(String) })
    expect(new Set(all({ sort: "cost" }).ids).size).toBe(many)
  })
})
