// The evidence of the gate in its store [V42]: which experiment counts, how long, what a try is, and what a rule's budget still allows.

import { expect, test } from "vitest"
import { ExperimentStore, type ExperimentBody } from "../../../../src/cloudflare/tenant/quality/experiments/experiment-store.ts"
import { GateEvidence, type GateEvidenceDeps } from "../../../../src/cloudflare/tenant/quality/experiments/gate-evidence.ts"
import { TrialStore } from "../../../../src/cloudflare/tenant/quality/experiments/trial-store.ts"
import { TenantSql } from "../../../../src/cloudflare/tenant/tenant-sql.ts"
import type { Results, ResultFlag } from "../../../../src/core/experiment/results.ts"
import type { TrustFlag } from "../../../../src/core/score/trust.ts"
import type { EvidenceAsk, ExperimentFixed } from "../../../../src/ports/tenant/quality/experiments.ts"
import { sqliteStorage } from "../../../support/cloudflare/sqlite-storage.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR
const RULE = { match: "f", dataset: "d", scorers: { fine: 0.5 } }
const fixedOf = (after: string): ExperimentFixed => ({
  flow: "f",
  dataset: "d",
  variants: [
    { name: "now", form: "was" },
    { name: "write", form: after },
  ],
  scorers: ["fine"],
  repeats: 1,
  by: "k",
  isEqual: false,
})
const ask = (after: string, more: Partial<EvidenceAsk> = {}): EvidenceAsk => ({
  flow: "f",
  rule: RULE,
  before: "was",
  after,
  begin: fixedOf(after),
  ...more,
})

function house() {
  const sql = new TenantSql(sqliteStorage())
  const experiments = new ExperimentStore(sql)
  const world = { at: 10 * DAY, version: "v1", flag: undefined as TrustFlag | undefined, rows: 10, ids: 0 }
  const evidence = new GateEvidence({
    experiments,
    store: new TrialStore(sql),
    datasets: {
      find: (name: string) => (name === "d" ? { name, flow: "f", rows: world.rows, hash: `rows of ${world.rows}` } : undefined),
      rows: () => Array.from({ length: world.rows }, (_, i) => ({ id: `row_${i}`, row: {}, runs: ["gone", "there"], created: 0 })),
      ids: (_: string, most: number) => [`first ${most}`],
    },
    gate: () => ({ flows: [{ match: "f", score: { dataset: "d", scorers: { fine: 0.5 } } }] }),
    isThere: (run: string) => run === "there",
    known: async (name: string) => (name === "fine" ? { scorer: { name }, version: world.version } : undefined),
    distrust: async () => world.flag,
    judges: { pin: async () => undefined },
    prices: () => () => undefined,
    hash: (text: string) => `hash of ${text}`,
    id: () => `${++world.ids}`,
    want: () => undefined,
    now: () => world.at,
  } as unknown as GateEvidenceDeps)
  const end = (id: string, flags: readonly ResultFlag[] = []) => {
    sql.write((rows) => rows.exec("UPDATE experiment_row SET state = 'same' WHERE experiment = ?", id))
    experiments.end(id, "done", { same: 0, left_out: [], variants: [], compared: [], flags, seed: "" } satisfies Results, world.at)
  }
  return { sql, experiments, evidence, world, end }
}

test("[V42] a write begins one experiment; the same write finds it while it runs, and when it is done", async () => {
  const { evidence, experiments, end } = house()
  expect(await evidence.find({ ...ask("a"), begin: undefined } as unknown as EvidenceAsk)).toEqual({ pending: true })
  expect(experiments.list()).toEqual([])
  expect(await evidence.find(ask("a"))).toEqual({ pending: true, experiment: "exp_1" })
  expect(await evidence.find(ask("a"))).toEqual({ pending: true, experiment: "exp_1" })
  // The newest run that is there is a row's recording.
  expect(experiments.rows("exp_1")[0]?.run).toBe("there")
  end("exp_1")
  expect(await evidence.find(ask("a"))).toMatchObject({ decision: "passed", experiment: "exp_1", rows: 10, same: 10, tries: 1 })
  expect(experiments.list()).toHaveLength(1)
})

test("[V42] another write, other rows, repeats or versions, and eight days later: the experiment is no evidence", async () => {
  for (const change of ["write", "rows", "version", "repeats", "old"] as const) {
    const { evidence, world, end } = house()
    await evidence.find(ask("a"))
    end("exp_1")
    if (change === "rows") world.rows = 11
    if (change === "version") world.version = "v2"
    if (change === "old") world.at += 7 * DAY
    const again =
      change === "repeats"
        ? ask("a", { rule: { ...RULE, repeats: 2 }, begin: { ...fixedOf("a"), repeats: 2 } })
        : ask(change === "write" ? "b" : "a")
    expect(await evidence.find(again), change).toEqual({ pending: true, experiment: "exp_2" })
  }
})

test("[V42] the first complete one counts; an incomplete one counts for an hour, and then another begins", async () => {
  const { evidence, world, end } = house()
  await evidence.find(ask("a"))
  end("exp_1", ["incomplete"])
  expect(await evidence.find(ask("a"))).toMatchObject({ decision: "passed", experiment: "exp_1" })
  world.at += HOUR
  expect(await evidence.find(ask("a"))).toEqual({ pending: true, experiment: "exp_2" })
  end("exp_2")
  world.at += HOUR
  expect(await evidence.find(ask("a"))).toMatchObject({ experiment: "exp_2", tries: 2 })
})

test("[V42] every experiment from the same form is a try for 7 days, stopped and deleted ones too", async () => {
  const { evidence, experiments, world, end } = house()
  for (const after of ["a", "b", "c"]) {
    await evidence.find(ask(after))
    end(`exp_${world.ids}`)
    world.at += DAY
  }
  experiments.remove("exp_2")
  expect(await evidence.find(ask("c"))).toMatchObject({ experiment: "exp_3", tries: 3 })
  world.at += 4 * DAY + HOUR
  expect(await evidence.find(ask("c"))).toMatchObject({ experiment: "exp_3", tries: 2 })
})

test("[V41] a flagged judge, an unknown scorer and a dataset without rows are undecided, and begin nothing", async () => {
  const { evidence, experiments, world } = house()
  world.flag = "ignores_input"
  expect(await evidence.find(ask("a"))).toMatchObject({ decision: "undecided", why: expect.stringContaining("ignores_input") })
  world.flag = undefined
  expect(await evidence.find(ask("a", { rule: { ...RULE, scorers: { gone: 0.1 } } }))).toMatchObject({ decision: "undecided" })
  expect(await evidence.find(ask("a", { rule: { ...RULE, dataset: "none" } }))).toMatchObject({ decision: "undecided" })
  expect(experiments.list()).toEqual([])
})

test("[V42] with five under way it waits, refuses nobody's place, and gets the next that is free, in turn", async () => {
  const { evidence, experiments, world, sql } = house()
  const body = { ...fixedOf("x"), fixed: [] } as ExperimentBody
  for (let i = 0; i < 5; i++) experiments.add(`exp_own_${i}`, body, [{ id: "row_1", row: {} }], { now: world.at })
  expect(await evidence.find(ask("a"))).toEqual({ pending: true, experiment: "exp_1" })
  expect(await evidence.find(ask("b"))).toEqual({ pending: true, experiment: "exp_2" })
  const due = (id: string) => sql.read<{ due: number | null }>("SELECT due FROM experiment_row WHERE experiment = ? LIMIT 1", id)[0]?.due
  experiments.promote(world.at)
  expect([due("exp_1"), due("exp_2")]).toEqual([null, null])
  experiments.remove("exp_own_0")
  experiments.promote(world.at)
  expect([due("exp_1"), due("exp_2")]).toEqual([world.at, null])
  experiments.remove("exp_1")
  experiments.promote(world.at)
  expect(due("exp_2")).toBe(world.at)
})

test("[V42] at most twenty wait for a place; a write beyond them waits for a place among these", async () => {
  const { evidence, experiments, world } = house()
  const body = { ...fixedOf("x"), fixed: [] } as ExperimentBody
  for (let i = 0; i < 5; i++) experiments.add(`exp_own_${i}`, body, [{ id: "row_1", row: {} }], { now: world.at })
  for (let i = 0; i < 20; i++) expect(await evidence.find(ask(`a${i}`))).toMatchObject({ experiment: `exp_${i + 1}` })
  expect(await evidence.find(ask("more"))).toEqual({ pending: true })
})

test("[V40] 1,000 rows and 5,000 trials at most: the first rows by id", async () => {
  const { evidence, experiments, world } = house()
  world.rows = 1_200
  await evidence.find(ask("a"))
  expect(experiments.evidence.of("exp_1")?.rows).toBe("hash of first 1000")
  await evidence.find(ask("a", { rule: { ...RULE, repeats: 10 }, begin: { ...fixedOf("a"), repeats: 10 } }))
  expect(experiments.evidence.of("exp_2")?.rows).toBe("hash of first 250")
})

test("[V40] the budget of a rule is that of a UTC day: what runs counts whole, what is over by its use, deleted ones too", async () => {
  const { evidence, experiments, world, end, sql } = house()
  const rule = { ...RULE, budget: { tokens: 100 } }
  const budgetOf = (id: string) => experiments.find(id)?.body.budget
  await evidence.find(ask("a", { rule }))
  expect(budgetOf("exp_1")).toEqual({ tokens: 100 })
  expect(await evidence.find(ask("b", { rule }))).toMatchObject({
    decision: "undecided",
    why: expect.stringContaining("budget of the day"),
  })
  sql.write((rows) => rows.exec("UPDATE experiment SET tokens = 30 WHERE id = 'exp_1'"))
  end("exp_1")
  await evidence.find(ask("b", { rule }))
  expect(budgetOf("exp_2")).toEqual({ tokens: 70 })
  sql.write((rows) => rows.exec("UPDATE experiment SET tokens = 70 WHERE id = 'exp_2'"))
  end("exp_2")
  experiments.remove("exp_2")
  expect(await evidence.find(ask("c", { rule }))).toMatchObject({ decision: "undecided" })
  world.at += DAY
  await evidence.find(ask("c", { rule }))
  expect(budgetOf("exp_3")).toEqual({ tokens: 100 })
})

test("[V38] what the gate may rest on is kept from everyone but an admin for 7 days", async () => {
  const { evidence, experiments, world, end } = house()
  await evidence.find(ask("a"))
  const mayRest = (): boolean => {
    const found = experiments.find("exp_1")
    return found !== undefined && evidence.mayRestOn(found)
  }
  end("exp_1")
  expect(mayRest()).toBe(true)
  world.at += 7 * DAY
  expect(mayRest()).toBe(false)
})

test("[V42] the gate forgets what began nine days ago", async () => {
  const { evidence, experiments, world } = house()
  await evidence.find(ask("a"))
  world.at += 9 * DAY
  await evidence.find(ask("b"))
  expect(experiments.evidence.of("exp_1")).toBeDefined()
  world.at += 1
  await evidence.find(ask("c"))
  expect(experiments.evidence.of("exp_1")).toBeUndefined()
})
