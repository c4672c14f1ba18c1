// What bounds experiments [V34, V38]: how many run and are kept, how many trials are under way, and for how long.

import { expect, test } from "vitest"
import { ExperimentDrive, MOST_TRIES, type DriveDeps } from "../../src/cloudflare/tenant/quality/experiments/experiment-drive.ts"
import { ExperimentRoom, type ExperimentRoomDeps } from "../../src/cloudflare/tenant/quality/experiments/experiment-room.ts"
import { ExperimentStore, KEPT, KEPT_MS, type ExperimentBody } from "../../src/cloudflare/tenant/quality/experiments/experiment-store.ts"
import { AT_ONCE, Experiments } from "../../src/cloudflare/tenant/quality/experiments/experiments.ts"
import { MOST_AT_ONCE } from "../../src/cloudflare/tenant/quality/experiments/places.ts"
import { LONGEST_MS, Trials, type TrialsDeps } from "../../src/cloudflare/tenant/quality/experiments/trials.ts"
import { TrialStore } from "../../src/cloudflare/tenant/quality/experiments/trial-store.ts"
import { ScoringStore } from "../../src/cloudflare/tenant/quality/scoring-store.ts"
import { TenantSql } from "../../src/cloudflare/tenant/tenant-sql.ts"
import type { RunView } from "../../src/core/run/views/view.ts"
import { modeKey, type FixedPins } from "../../src/ports/tenant/quality/experiments.ts"
import type { RunPort } from "../../src/ports/run.ts"
import { sqliteStorage } from "../support/cloudflare/sqlite-storage.ts"

const PINNED: FixedPins = {
  flow: { id: "f", autonomous: false, task_required: false, inputs: {} },
  pins: { revision: 1, flow: { id: "f", hash: "h" }, agents: {}, skills: {}, models: {} },
  rehearsed: false,
}
const BODY: ExperimentBody = {
  flow: "f",
  dataset: { last: 1 },
  variants: [{ name: "now", pinned: { [modeKey({ rehearse: false, autonomous: false })]: PINNED } }],
  scorers: [],
  repeats: 1,
  by: "k",
  isEqual: false,
  fixed: [],
}

function house() {
  const sql = new TenantSql(sqliteStorage())
  return { sql, experiments: new ExperimentStore(sql), store: new TrialStore(sql), scorings: new ScoringStore(sql) }
}
type House = ReturnType<typeof house>

const row = (i: number) => ({ id: `row_${String(i).padStart(3, "0")}`, row: {} })
/** An experiment whose trials wait. */
function waiting({ experiments }: House, count: number, now = 0): void {
  experiments.add(
    "exp_1",
    BODY,
    Array.from({ length: count }, (_, i) => row(i)),
    { now },
  )
  for (const one of experiments.takeRows(now, count, now + 1))
    experiments.planned(one, undefined, [{ variant: 0, repeat: 1, run: `run_${one.row}`, state: "waiting", body: {} }], now)
}
const trialsIn = ({ store, experiments, scorings }: House, more: Partial<TrialsDeps> = {}): Trials =>
  new Trials({ store, experiments, scorings, prices: () => () => undefined, now: () => 0, ...more } as TrialsDeps)

test("[V38] the newest 100 are kept for 90 days", () => {
  const { experiments } = house()
  for (let i = 0; i <= KEPT; i++) {
    experiments.add(`exp_${i}`, { ...BODY, isEqual: true }, [], { now: i })
    if (i !== 1) experiments.end(`exp_${i}`, "done", { same: 0, left_out: [], variants: [], compared: [], flags: [], seed: "" }, i)
  }
  expect(experiments.old(KEPT)).toEqual(["exp_0"])
  // One that goes on is kept.
  expect(experiments.old(KEPT_MS + 3)).toEqual(["exp_0", "exp_2"])
})

test("[V38] five run at once, and another is refused; a repeat finds what the first has begun", async () => {
  const { experiments, store } = house()
  const room = new ExperimentRoom({
    experiments,
    store,
    known: async () => undefined,
    prices: () => () => undefined,
    now: () => 1,
    want: () => undefined,
    hash: (text: string) => text,
  } as unknown as ExperimentRoomDeps)
  for (let i = 0; i < MOST_AT_ONCE; i++) expect(await room.begin(BODY, [row(1)], `${i}`)).toMatchObject({ ok: true, id: `exp_${i}` })
  expect(await room.begin(BODY, [row(1)], "more")).toEqual({ ok: false, code: "quota" })
  expect(await room.begin(BODY, [row(1)], "0")).toMatchObject({ ok: true, id: "exp_0" })
})

test("[V34] ten trials are under way at a time, and an end makes room for another", () => {
  const all = house()
  waiting(all, 12)
  const trials = trialsIn(all)
  const deps = { sql: all.sql, drive: () => Promise.reject(new Error("not here")), want: () => undefined, now: () => 5 }
  const room = () => ({ concurrent: { quota: 100, left: 100 }, starts: { quota: 100, left: 100, reset: 0 }, places: 100 })
  const work = new Experiments({ ...deps, room })
  expect(work.due()).toBe(0)
  const begun = all.store.take(["waiting"], 0, AT_ONCE, 60_000).flatMap((one) => trials.held(one, 0) ?? [])
  expect(begun).toHaveLength(10)
  expect(work.running()).toBe(AT_ONCE)
  // Those that wait wake nobody.
  expect(work.due()).toBe(30_000)
  const [first] = begun
  if (first) all.store.move(first, "ended", null, { end: "succeeded" })
  expect(work.due()).toBe(0)
  // A tenth of the places stays free.
  const full = new Experiments({ ...deps, room: () => ({ ...room(), concurrent: { quota: 100, left: 5 } }) })
  expect(full.due()).toBe(2_005)
})

test("[V34] a trial has 30 minutes, and then it is canceled for its variant's doing", async () => {
  const all = house()
  waiting(all, 1)
  const [one] = all.store.take(["waiting"], 0, 1, 1)
  const canceled: string[] = []
  let now = LONGEST_MS
  const view = { status: "running", pending: 0 } as RunView
  const run = () => ({ view: async () => view, cancel: async (by: string) => void canceled.push(by) }) as unknown as RunPort
  const trials = trialsIn(all, {
    run,
    now: () => now,
    questions: { answer: async ({ trial }: { trial: { body: object } }) => ({ state: "answered", body: trial.body }) } as never,
  })
  const begun = one && trials.held(one, 0)
  const [experiment, at] = [all.experiments.find("exp_1"), all.experiments.row("exp_1", "row_000")]
  if (!begun || !experiment || !at) throw new Error("no trial")
  await trials.advance(begun, experiment, at)
  expect(canceled).toEqual([])
  now = LONGEST_MS + 1
  await trials.advance(begun, experiment, at)
  expect(canceled).toEqual(["experiment"])
  expect(all.store.find(begun)?.body).toMatchObject({ cancel: "time" })
})

test("[V38] a trial that always fails is given up", async () => {
  const all = house()
  waiting(all, 1)
  let now = 0
  const works: Promise<unknown>[] = []
  const trials = trialsIn(all, {
    now: () => now,
    run: () => ({ view: () => Promise.reject(new Error("it is gone")) }) as unknown as RunPort,
  })
  const drive = new ExperimentDrive({
    ...all,
    trials,
    want: () => undefined,
    later: (work: Promise<unknown>) => works.push(work),
    now: () => now,
    hash: () => "00",
  } as unknown as DriveDeps)
  for (let i = 0; i <= MOST_TRIES + 1; i++) {
    drive.work(now, 1)
    await Promise.all(works.splice(0))
    now += 120_000
  }
  expect(all.store.of("exp_1")).toMatchObject([{ state: "ended", body: { end: "stopped", why: "engine: it is gone" } }])
})
