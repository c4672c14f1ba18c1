// Low scores among the failures [V18], and people's feedback in the sums [V17].

import { expect, test } from "vitest"
import { FailureStore } from "../../../../src/cloudflare/tenant/insight/failure-store.ts"
import { RunLook } from "../../../../src/cloudflare/tenant/run-list/run-look.ts"
import { ScoringStore } from "../../../../src/cloudflare/tenant/quality/scoring-store.ts"
import { TenantSql } from "../../../../src/cloudflare/tenant/tenant-sql.ts"
import { sqliteStorage } from "../../../support/cloudflare/sqlite-storage.ts"

test("[V18] low scores join a group by flow, scorer and level, each run once, and are shown alone", () => {
  const sql = new TenantSql(sqliteStorage())
  const store = new FailureStore(sql, () => 0)
  const run = (id: string): void =>
    void sql.write((rows) =>
      rows.exec("INSERT INTO run (id, flow, status, created, seq, view) VALUES (?, 'support', 'succeeded', 1, 1, '{\"revision\":7}')", id),
    )
  for (const id of ["run_1", "run_2", "run_3"]) run(id)
  const low = (id: string, scorer: string, level?: string) =>
    store.addLow({ run: id, flow: "support", scorer, score: 0, at: 5, ...(level === undefined ? {} : { level, reason: `why ${id}` }) })
  low("run_1", "helpful", "made up")
  low("run_2", "helpful", "made up")
  low("run_2", "helpful", "made up")
  low("run_3", "helpful", "incomplete")
  low("run_3", "polite", "made up")
  low("run_3", "strict")
  low("run_gone", "strict")
  store.add({
    id: "run_4",
    flow: "support",
    status: "failed",
    created: 1,
    ended: 2,
    view: { error: { source: "engine", message: "m" } },
  } as never)
  const shown = (more: object = {}) =>
    store.list({ rehearsed: false, ...more }).map(({ source, scorer, shape, count }) => `${source} ${scorer} ${shape} ${count}`)
  expect(shown({ low: true }).toSorted()).toEqual([
    "score helpful incomplete 1",
    "score helpful made up 2",
    "score polite made up 1",
    "score strict a low score 1",
  ])
  expect(shown()).toContain("engine undefined m 1")
  const [group] = store.list({ rehearsed: false, low: true, q: ["polite"] })
  expect(group).toMatchObject({ message: "why run_3", last: { run: "run_3", revision: 7 } })
  expect(store.put(group?.key ?? "", "resolved", "ann")).toMatchObject({ status: "resolved" })
})

test("[V17] in sums `feedback` is the mean of each run's givers: what one takes back counts no more", () => {
  const store = new ScoringStore(new TenantSql(sqliteStorage()))
  const say = (run: string, feedback?: { up: number; down: number }): void => store.keepFeedback({ run, flow: "support", now: 0 }, feedback)
  const sum = () => store.sums(0, 0).map(({ scorer, scored, mean }) => [scorer, scored, mean])
  say("run_1", { up: 1, down: 0 })
  say("run_2", { up: 0, down: 1 })
  expect(sum()).toEqual([["feedback", 2, 0.5]])
  say("run_2", { up: 1, down: 1 })
  expect(sum()).toEqual([["feedback", 2, 0.75]])
  say("run_2")
  expect(sum()).toEqual([["feedback", 1, 1]])
  say("run_1")
  expect(sum()).toEqual([["feedback", 0, null]])
  expect(store.today(0).scored).toBe(0)
})

test("[V17] a list keeps the runs whose score of a scorer lies within the bounds, and none before anything is scored", () => {
  const sql = new TenantSql(sqliteStorage())
  const store = new ScoringStore(sql)
  for (const id of ["run_1", "run_2", "run_3", "run_4"])
    sql.write((rows) =>
      rows.exec(
        "INSERT INTO run (id, flow, status, created, seq, view) VALUES (?, 'f', 'succeeded', 1, 1, '{\"trigger\":{\"kind\":\"api\"}}')",
        id,
      ),
    )
  const found = (scorer: string, atLeast = 0, atMost = 1) =>
    new RunLook(sql, { flow: ["f"], scored: { scorer, atLeast, atMost } }, {}, { most: 100, limit: 100 }).rows().map(({ id }) => id)
  expect(found("helpful")).toEqual([])
  store.keep("run_1", "helpful", { score: 1 })
  store.keep("run_2", "helpful", { score: 0.5 })
  store.keep("run_3", "helpful", { score: null })
  store.keep("run_3", "polite", { score: 0 })
  expect(found("helpful").toSorted()).toEqual(["run_1", "run_2"])
  expect(found("helpful", 0, 0.5)).toEqual(["run_2"])
  expect(found("helpful", 0.6)).toEqual(["run_1"])
  expect(found("polite", 0, 0)).toEqual(["run_3"])
})
