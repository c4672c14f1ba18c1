// Which runs are scored by sample, and which of them people grade [V13].

import { createHash } from "node:crypto"
import { expect, test } from "vitest"
import { sampled } from "../../../../src/cloudflare/tenant/quality/sampling.ts"
import type { ScoringOrder, ScoringStore } from "../../../../src/cloudflare/tenant/quality/scoring-store.ts"
import type { ListedRun } from "../../../../src/ports/tenant/run-list.ts"

const RULE = { match: "support*", scorers: ["helpful", "tools-worked"], sample: 0.1, grade: 0.2, low: 0.5 }
const u = (text: string): number => Number.parseInt(createHash("sha256").update(text).digest("hex").slice(0, 13), 16) / 16 ** 13

function drawn(rows: readonly Partial<ListedRun>[]) {
  const added: { run: string; scorer: string; order: ScoringOrder }[] = []
  let wanted = 0
  const store = { add: (one: (typeof added)[number]) => added.push(one) > 0, skip: () => undefined } as unknown as ScoringStore
  for (const row of rows)
    sampled({ setting: { flows: [RULE] }, store, want: () => wanted++, now: 0 }, {
      flow: "support",
      status: "succeeded",
      view: { trigger: { kind: "api" } },
      ...row,
    } as unknown as ListedRun)
  return { added, wanted }
}

test("[V13] of 10,000 runs at 0.1 exactly those with u < 0.1 are scored, once by each scorer, and a fifth of them is graded", () => {
  const ids = Array.from({ length: 10_000 }, (_, i) => `run_${String(i).padStart(26, "0")}`)
  const { added, wanted } = drawn(ids.map((id) => ({ id })))
  const inSample = ids.filter((id) => u(id) < 0.1)
  expect(inSample.length).toBeGreaterThan(900)
  expect(added.map(({ run, scorer }) => `${run} ${scorer}`)).toEqual(
    inSample.flatMap((id) => RULE.scorers.map((scorer) => `${id} ${scorer}`)),
  )
  expect(wanted).toBe(inSample.length)
  const graded = new Set(added.flatMap(({ run, order }) => (order.grade ? [run] : [])))
  expect([...graded]).toEqual(inSample.filter((id) => u(`grade/${id}`) < 0.2))
  expect(added.every(({ order }) => order.low === 0.5)).toBe(true)
})

test("[V13] a failed run in the sample is scored and not graded; canceled, started, rehearsed, tested and dry ones are not scored", () => {
  const id = Array.from({ length: 1_000 }, (_, i) => `run_${i}`).find((one) => u(one) < 0.1 && u(`grade/${one}`) < 0.2) ?? ""
  expect(drawn([{ id }]).added.map(({ order }) => order.grade)).toEqual([true, true])
  expect(drawn([{ id, status: "failed" }]).added.map(({ order }) => order.grade)).toEqual([undefined, undefined])
  const view = { trigger: { kind: "api" } }
  const others: Partial<ListedRun>[] = [
    { status: "canceled" },
    { flow: "other" },
    { view: { ...view, parent: { run: "r" } } },
    { view: { ...view, rehearsed: true } },
    { view: { ...view, effects: "dry" } },
    { view: { trigger: { kind: "score", test: true } } },
    { view: { trigger: { kind: "experiment" } } },
  ]
  for (const other of others) expect(drawn([{ id, ...other }])).toEqual({ added: [], wanted: 0 })
})
