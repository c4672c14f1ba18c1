// The list of runs [H5]: filters alone and together, pages while rows come and go, and what a page costs among many thousand runs.

import { runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { portOf } from "../../../../src/cloudflare/platform/port-of.ts"
import { ALL_RUNS, runsOf } from "../../../../src/cloudflare/tenant/run-list/run-indexes.ts"
import { isoTime } from "../../../../src/core/text/iso-time.ts"
import type { RunListPort, ListedRun } from "../../../../src/ports/tenant/run-list.ts"

type Query = Parameters<RunListPort["list"]>[0]

const row = (n: number, more: Pick<Partial<ListedRun>, "flow" | "status"> = {}, view: ListedRun["view"] = {}): ListedRun => {
  const id = `run_${String(n).padStart(26, "0")}`
  const { flow = "f", status = "succeeded" } = more
  const created = 1_000 + n
  const shown = {
    id,
    flow,
    thread: id,
    status,
    created: isoTime(created),
    seq: 1,
    tags: [],
    trigger: { kind: "api" },
    pending: 0,
    inputs: "hidden",
    ...view,
  }
  return { id, flow, status, created, view: shown }
}
const numbers = (data: readonly Record<string, unknown>[]): number[] => data.map((r) => Number(String(r["id"]).slice(4)))

async function page(port: RunListPort, query: Omit<Query, "limit"> & { limit?: number }) {
  const found = await port.list({ limit: 200, ...query })
  if ("badCursor" in found) throw new Error("bad cursor")
  return found
}
async function all(port: RunListPort, query: Omit<Query, "limit"> & { limit?: number }): Promise<{ ids: number[]; pages: number }> {
  const ids: number[] = []
  let cursor: string | undefined
  for (let pages = 1; ; pages++) {
    const found = await page(port, { ...query, ...(cursor === undefined ? {} : { cursor }) })
    ids.push(...numbers(found.data))
    if (found.next_cursor === null) return { ids, pages }
    cursor = found.next_cursor
  }
}

describe("filters", () => {
  test("[H5] child runs are left out unless they are asked for; parent, session and thread select", async () => {
    const port = portOf(env, "t-children", "runs")
    const mother = row(0).id
    for (let n = 0; n < 12; n++)
      await port.note(
        row(
          n,
          { status: n % 2 ? "failed" : "succeeded" },
          {
            tags: ["t"],
            ...(n % 3 ? { trigger: { kind: "child" }, parent: { run: n > 6 ? mother : "run_other", step: "s", index: 0, depth: 1 } } : {}),
            ...(n === 5 || n === 6 ? { thread: "chat 7" } : {}),
            ...(n === 3 || n === 4 ? { session: "desk" } : {}),
          },
        ),
      )
    const right = (is: (n: number) => boolean): number[] => Array.from({ length: 12 }, (_, i) => 11 - i).filter(is)
    const isChild = (n: number): boolean => n % 3 !== 0
    const cases: [Omit<Query, "limit">, (n: number) => boolean][] = [
      [{}, (n) => !isChild(n)],
      [{ children: true }, () => true],
      [{ trigger: ["child"] }, isChild],
      [{ trigger: ["api", "child"] }, () => true],
      [{ parent: mother }, (n) => isChild(n) && n > 6],
      [{ parent: mother, status: ["failed"] }, (n) => isChild(n) && n > 6 && n % 2 === 1],
      [{ session: "desk" }, (n) => n === 3],
      [{ thread: "chat 7", children: true }, (n) => n === 5 || n === 6],
      [{ thread: "chat 7" }, (n) => n === 6],
      [{ thread: "chat 7", tag: "t", status: ["failed"], children: true }, (n) => n === 5],
      [{ thread: row(9).id }, (n) => n === 9],
      [{ session: "desk", children: true }, (n) => n === 3 || n === 4],
      [{ tag: "t" }, (n) => !isChild(n)],
      [{ status: ["failed"] }, (n) => !isChild(n) && n % 2 === 1],
      [{ flow: ["f", "g"] }, (n) => !isChild(n)],
    ]
    for (const [query, is] of cases) expect([query, (await all(port, { ...query, limit: 2 })).ids]).toEqual([query, right(is)])
  })

  test("[H5] each filter alone, and all together, newest first", async () => {
    const port = portOf(env, "t-filters", "runs")
    for (let n = 0; n < 24; n++)
      await port.note(
        row(
          n,
          { flow: n % 2 ? "g" : "f", status: n % 3 ? "succeeded" : "failed" },
          { tags: n % 4 ? [] : ["four", `n${n}`], trigger: { kind: n % 5 ? "api" : "webhook" } },
        ),
      )
    const right = (is: (n: number) => boolean): number[] => Array.from({ length: 24 }, (_, i) => 23 - i).filter(is)
    const cases: [Omit<Query, "limit">, (n: number) => boolean][] = [
      [{}, () => true],
      [{ flow: ["g"] }, (n) => n % 2 === 1],
      [{ flow: ["g", "nothing"] }, (n) => n % 2 === 1],
      [{ flow: ["f", "g"], status: ["failed"] }, (n) => n % 3 === 0],
      [{ status: ["failed"] }, (n) => n % 3 === 0],
      [{ status: ["failed", "succeeded"] }, () => true],
      [{ tag: "four" }, (n) => n % 4 === 0],
      [{ tag: "n8" }, (n) => n === 8],
      [{ trigger: ["webhook"] }, (n) => n % 5 === 0],
      [{ trigger: ["webhook", "api"] }, () => true],
      [{ createdAfter: 1_010 }, (n) => n >= 10],
      [{ createdBefore: 1_010 }, (n) => n < 10],
      [{ createdAfter: 1_005, createdBefore: 1_010, flow: ["f"] }, (n) => n >= 5 && n < 10 && n % 2 === 0],
      [{ tag: "four", status: ["failed"], createdAfter: 1_001 }, (n) => n % 12 === 0 && n >= 1],
      [{ trigger: ["webhook"], flow: ["g"], status: ["succeeded", "paused"] }, (n) => n % 5 === 0 && n % 2 === 1 && n % 3 > 0],
      [{ tag: "nobody" }, () => false],
    ]
    for (const [query, is] of cases)
      for (const limit of [1, 3, 200]) expect((await all(port, { ...query, limit })).ids, JSON.stringify(query)).toEqual(right(is))
  })

  test("[H5] an item has only the fields of a list", async () => {
    const port = portOf(env, "t-item", "runs")
    await port.note(row(1, {}, { usage: { tokens: 1, usd: null, tool_calls: 0 }, rehearsed: true, seq: 5 }))
    const [item] = (await page(port, {})).data
    expect(Object.keys(item ?? {}).sort()).toEqual(
      ["created", "ended", "flow", "id", "pending", "rehearsed", "status", "tags", "thread", "trigger", "usage"].sort(),
    )
    expect(item?.["ended"]).toBeNull()
  })

  test("[H5] rows added or deleted between pages, even the cursor's own row, lose and repeat nothing", async () => {
    const port = portOf(env, "t-moving", "runs")
    for (let n = 0; n < 20; n++) await port.note(row(n, {}, { tags: ["x"] }))
    for (const query of [{}, { tag: "x" }, { flow: ["f"], status: ["succeeded"] }]) {
      const first = await page(port, { ...query, limit: 5 })
      const ids = numbers(first.data)
      await port.remove(row(ids.at(-1) ?? 0).id)
      await port.note(row(100 + ids.length, {}, { tags: ["x"] }))
      const rest = await all(port, { ...query, limit: 5, cursor: first.next_cursor ?? "" })
      expect(
        rest.ids.every((n) => n < (ids.at(-1) ?? 0)),
        JSON.stringify(query),
      ).toBe(true)
      expect(new Set([...ids, ...rest.ids]).size).toBe(ids.length + rest.ids.length)
      await port.note(row(ids.at(-1) ?? 0, {}, { tags: ["x"] }))
    }
    expect(await port.list({ limit: 1, cursor: (await page(portOf(env, "t-filters", "runs"), { limit: 1 })).next_cursor ?? "x" })).toEqual({
      badCursor: true,
    })
  })
})

describe("what a page costs", () => {
  test("[H5] among 12,000 runs a page reads at most 5,000, and its cursor continues from there", async () => {
    const port = portOf(env, "t-many", "runs")
    await port.note(row(0, { flow: "rare", status: "failed" }))
    await runInDurableObject(env.TENANT.get(env.TENANT.idFromName("t-many")), (_, { storage }) =>
      storage.transactionSync(() => {
        for (let n = 1; n < 12_000; n++) {
          const r = row(n, n % 2 ? { status: "failed" } : {})
          storage.sql.exec(
            "INSERT INTO run (id, flow, status, created, seq, view) VALUES (?, ?, ?, ?, 1, ?)",
            r.id,
            r.flow,
            r.status,
            r.created,
            JSON.stringify(r.view),
          )
        }
      }),
    )
    // A filter by one flow leads, with its index: a single row is read.
    const rare = await all(port, { flow: ["rare"] })
    expect(rare).toEqual({ ids: [0], pages: 1 })
    // The status leads, and its 6,000 rows are read in two pages; the first page finds nothing.
    const first = await page(port, { status: ["failed"], flow: ["rare"] })
    expect([first.data.length, first.next_cursor === null]).toEqual([0, false])
    expect(await all(port, { status: ["failed"], flow: ["rare"] })).toEqual({ ids: [0], pages: 2 })
  })

  test("[H5] every leading filter has an index in the order of the list", async () => {
    await portOf(env, "t-plans", "runs").note(row(1))
    const plans = await runInDurableObject(env.TENANT.get(env.TENANT.idFromName("t-plans")), (_, { storage }) =>
      [
        `SELECT id, created FROM ${ALL_RUNS} WHERE (created, id) < (5, 'x') ORDER BY created DESC, id DESC LIMIT 5`,
        "SELECT id FROM run WHERE json_extract(view, '$.parent') IS NULL AND (created, id) < (5, 'x') ORDER BY created DESC, id DESC LIMIT 5",
        "SELECT id FROM run WHERE flow = 'f' AND (created, id) < (5, 'x') ORDER BY created DESC, id DESC LIMIT 5",
        "SELECT id FROM run WHERE status = 'failed' AND created >= 3 ORDER BY created DESC, id DESC LIMIT 5",
        `SELECT id, created FROM ${runsOf("c").sql.replaceAll("?", "'c'")} ORDER BY created DESC, id DESC LIMIT 5`,
        "SELECT id FROM run WHERE json_extract(view, '$.trigger.kind') = 'api' ORDER BY created DESC, id DESC LIMIT 5",
        "SELECT run.id FROM run_tag JOIN run ON run.id = run_tag.id WHERE tag = 'x' ORDER BY run_tag.created DESC, run_tag.id DESC LIMIT 5",
      ].map((query) =>
        storage.sql
          .exec<{ detail: string }>(`EXPLAIN QUERY PLAN ${query}`)
          .toArray()
          .map((r) => r.detail)
          .join("; "),
      ),
    )
    for (const plan of plans) expect(plan).toMatch(/^(MERGE .*)?SEARCH (?!.*(TEMP B-TREE|SCAN))/)
  })
})
