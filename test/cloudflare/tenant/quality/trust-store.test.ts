import { expect, test } from "vitest"
import { ProbeStore } from "../../../../src/cloudflare/tenant/quality/probe-store.ts"
import { TrustStore } from "../../../../src/cloudflare/tenant/quality/trust-store.ts"
import { TenantSql } from "../../../../src/cloudflare/tenant/tenant-sql.ts"
import { sqliteStorage } from "../../../support/cloudflare/sqlite-storage.ts"

const FREE = { input: 10, output: 5, usd: 0.25 }

test("[V22] a pair is the judge's newest score in a version and the newest grade that is one of its levels", () => {
  const store = new TrustStore(new TenantSql(sqliteStorage()))
  const [run, scorer] = ["run_1", "helpful"]
  expect(store.pairs(scorer)).toEqual([])
  store.judged({ run, scorer, version: "a", score: 0, levels: [0, 1] })
  store.judged({ run, scorer, version: "b", score: 0.5, levels: [0, 0.5, 1] })
  store.judged({ run, scorer, version: "a", score: 1, levels: [0, 1] })
  expect(store.pairs(scorer)).toEqual([])
  store.graded({ run, scorer, score: 1, at: 1 })
  store.graded({ run, scorer, score: 0, at: 2 })
  store.graded({ run, scorer, score: 0.5, at: 3 })
  const pairs = store.pairs(scorer)
  expect(pairs.map(({ version, judge, grade }) => `${version} ${judge} ${grade}`).toSorted()).toEqual(["a 1 0", "b 0.5 0.5"])
  // The first grade is given anew.
  store.graded({ run, scorer, score: 1, at: 4 })
  expect(store.pairs(scorer).map(({ grade }) => grade)).toEqual([1, 1])
  expect(store.pairs("other")).toEqual([])
  store.forget(run)
  expect(store.pairs(scorer)).toEqual([])
})

test("[V10] a newer probe takes the place of the last one, counts what its own judges use, and judges' runs go with the run they judged", () => {
  const store = new ProbeStore(new TenantSql(sqliteStorage()))
  expect([store.find({ scorer: "helpful" }), store.runs("p1"), store.forget("run_1")]).toEqual([undefined, [], []])
  store.begin({ id: "p1", scorer: "helpful", version: "a", at: 1 })
  store.judged("p1", { run: "run_1", way: "plain", judge: "judge_1" }, 1, FREE)
  expect(store.find({ id: "p1" })?.used).toEqual({ usd: 0.25, tokens: 15 })
  store.begin({ id: "p2", scorer: "helpful", version: "a", at: 2, budget: { usd: 1 } })
  expect(store.find({ id: "p1" })).toBeUndefined()
  store.judged("p1", { run: "run_1", way: "empty", judge: "judge_2" }, 1, FREE)
  expect(store.find({ scorer: "helpful" })).toMatchObject({ id: "p2", budget: { usd: 1 }, used: { usd: 0, tokens: 0 } })
  store.judged("p2", { run: "run_1", way: "plain", judge: "judge_3" }, 1, FREE)
  store.judged("p2", { run: "run_1", way: "empty", judge: "judge_4" }, 0, FREE)
  expect(store.runs("p2")).toEqual([])
  store.judged("p2", { run: "run_1", way: "urged", judge: "judge_5" }, 0.5, FREE)
  expect(store.runs("p2")).toEqual([{ id: "run_1", plain: 1, empty: 0, urged: 0.5 }])
  expect(store.forget("run_1").toSorted()).toEqual(["judge_1", "judge_2", "judge_3", "judge_4", "judge_5"])
  expect(store.runs("p2")).toEqual([])
})
