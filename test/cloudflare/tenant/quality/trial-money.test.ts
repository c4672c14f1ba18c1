// [V36] Measure 7 for experiments: whatever trials and judges cost, ask for and die of, no budget is passed by a token, and the books agree.

import fc from "fast-check"
import { expect, test } from "vitest"
import { Experiments } from "../../../../src/cloudflare/tenant/quality/experiments/experiments.ts"
import { ExperimentStore, type ExperimentBody } from "../../../../src/cloudflare/tenant/quality/experiments/experiment-store.ts"
import { TrialQuestions } from "../../../../src/cloudflare/tenant/quality/experiments/trial-questions.ts"
import { TrialStore, type Money, type Trial } from "../../../../src/cloudflare/tenant/quality/experiments/trial-store.ts"
import { Trials, type TrialsDeps } from "../../../../src/cloudflare/tenant/quality/experiments/trials.ts"
import { Judges, type JudgesDeps } from "../../../../src/cloudflare/tenant/quality/judges.ts"
import { ScoringStore, type Scoring } from "../../../../src/cloudflare/tenant/quality/scoring-store.ts"
import { TenantSql } from "../../../../src/cloudflare/tenant/tenant-sql.ts"
import type { Amount } from "../../../../src/core/money/amount.ts"
import type { RunView } from "../../../../src/core/run/views/view.ts"
import { modeKey, type FixedPins } from "../../../../src/ports/tenant/quality/experiments.ts"
import type { KnownScorer } from "../../../../src/ports/tenant/quality/scorers.ts"
import type { RunPort } from "../../../../src/ports/run.ts"
import { amount } from "../../../support/amount.ts"
import { sqliteStorage } from "../../../support/cloudflare/sqlite-storage.ts"
import { diceOf } from "../../../support/kernel/world.ts"

const PINNED: FixedPins = {
  flow: { id: "f", autonomous: false, task_required: false, inputs: {} },
  pins: { revision: 1, flow: { id: "f", hash: "h" }, agents: { a: "h" }, skills: {}, models: { a: "p/m" } },
  rehearsed: false,
}
const bodyOf = (budget: Amount): ExperimentBody => ({
  flow: "f",
  dataset: { last: 1 },
  variants: [{ name: "now", pinned: { [modeKey({ rehearse: false, autonomous: false })]: PINNED } }],
  scorers: ["good"],
  repeats: 1,
  by: "k",
  isEqual: false,
  budget,
  fixed: [],
})
const JUDGE = { model: "p/j" } as KnownScorer
const EXP = "exp_1"

/** What the mock of a run may use, has used, and asks for. */
interface Mock {
  limit: Money
  used: Money
  asks?: Money
  isOver: boolean
  isCanceled?: true
}

/** A tenant's experiment, whose objects die and wake again over the same rows. */
class House {
  readonly sql = new TenantSql(sqliteStorage())
  readonly runs = new Map<string, Mock>()
  readonly budget: Amount
  dice: () => number
  readonly seen = { raised: 0, judged: 0, skipped: 0 }
  now = 0
  experiments!: ExperimentStore
  store!: TrialStore
  scorings!: ScoringStore
  trials!: Trials
  judges!: Judges
  work!: Experiments

  constructor(budget: Amount, rows: number, dice: () => number) {
    this.budget = budget
    this.dice = dice
    this.wake()
    const given = Array.from({ length: rows }, (_, i) => ({ id: `row_${String(i).padStart(3, "0")}`, row: {} }))
    this.experiments.add(EXP, bodyOf(budget), given, { now: 0 })
    for (const one of this.experiments.takeRows(0, rows, 1))
      this.experiments.planned(one, undefined, [{ variant: 0, repeat: 1, run: `run_${one.row}`, state: "waiting", body: {} }], 0)
  }

  wake(): void {
    const { sql } = this
    const now = (): number => this.now
    this.experiments = new ExperimentStore(sql)
    this.store = new TrialStore(sql)
    this.scorings = new ScoringStore(sql)
    const { experiments, store, scorings } = this
    const prices = () => () => ({ input: 3, output: 15 })
    const run = (id: string): RunPort => this.#port(id)
    const questions = new TrialQuestions({
      store,
      experiments,
      run,
      now,
      isKept: () => false,
      left: (one) => this.trials.left(one),
      othersHold: (one, trial) => this.trials.othersHold(one, trial),
    })
    const starts = {
      begin: async ({ run: id, body: { held } }: Trial) => {
        this.runs.set(id, { limit: held ?? { usd: 0, tokens: 0 }, used: { usd: 0, tokens: 0 }, isOver: false })
        return { ok: true }
      },
    } as unknown as TrialsDeps["starts"]
    this.trials = new Trials({
      store,
      experiments,
      scorings,
      questions,
      starts,
      prices,
      run,
      now,
      isRead: () => false,
      tried: () => undefined,
    })
    this.work = new Experiments({ sql, now, want: () => undefined } as unknown as ConstructorParameters<typeof Experiments>[0])
    const setting = () => ({ flows: [] })
    this.judges = new Judges({ store: scorings, prices, setting, now, trials: this.work } as unknown as JudgesDeps)
  }

  #port(id: string): RunPort {
    const run = () => this.runs.get(id)
    const question = (asks: Money, { limit, used }: Mock) => ({
      id: "i1",
      run: id,
      step: "s",
      kind: "budget",
      payload: { scope: "run", limit: this.#shown(limit), spent: { ...used }, needed: { ...asks } },
    })
    return {
      view: async () => {
        const one = run()
        return one && ({ ...VIEW, id, ...viewOf(one) } as unknown as RunView)
      },
      events: async () => undefined,
      cancel: async () => void Object.assign(run() ?? {}, { isOver: true, isCanceled: true, asks: undefined }),
      interactions: async () => {
        const one = run()
        return one?.asks ? [question(one.asks, one)] : []
      },
      answer: async (_id: string, { answer }: { answer: unknown }) => {
        const one = run()
        if (!one) return { ok: false, code: "not_found" }
        delete one.asks
        if (answer === "stop") one.isOver = true
        else {
          one.limit = { ...one.limit, ...(answer as { raise: Partial<Money> }).raise }
          this.seen.raised += 1
        }
        return { ok: true }
      },
    } as unknown as RunPort
  }

  /** Only what the budget bounds. */
  #shown = (limit: Money): Partial<Money> => ({
    ...(this.budget.usd === undefined ? {} : { usd: limit.usd }),
    ...(this.budget.tokens === undefined ? {} : { tokens: limit.tokens }),
  })

  /** A run's own limit [B1]: it uses no more than it may. */
  goOn(one: Mock): void {
    const part = this.dice()
    one.used = {
      usd: one.used.usd + part * (one.limit.usd - one.used.usd),
      tokens: one.used.tokens + Math.floor(part * (one.limit.tokens - one.used.tokens)),
    }
    // Some ask for all that could be left.
    const most =
      this.dice() < 0.5 ? { usd: one.limit.usd, tokens: one.limit.tokens } : { usd: this.budget.usd ?? 0, tokens: this.budget.tokens ?? 0 }
    if (this.dice() < 0.4) one.asks = { usd: most.usd * this.dice(), tokens: Math.ceil(most.tokens * this.dice()) }
    else if (this.dice() < 0.5) one.isOver = true
  }

  async look(trial: Trial): Promise<void> {
    const [experiment, row] = [this.experiments.find(EXP), this.experiments.row(EXP, trial.row)]
    const fresh = this.store.find(trial)
    if (experiment && row && fresh && fresh.state !== "ended") await this.trials.advance(fresh, experiment, row)
  }

  /** Whatever is open is done with. */
  async finish(): Promise<void> {
    this.now += 1_000
    for (const trial of this.store.of(EXP)) {
      const run = this.runs.get(trial.run)
      if (run) Object.assign(run, { isOver: true, asks: undefined })
      for (const row of this.scorings.of(trial.run)) this.judge(row)
      if (trial.state === "waiting") this.trials.held(trial, this.now)
      else await this.look(trial)
      this.check()
    }
  }

  judge(row: Scoring): void {
    if (row.judge === null) {
      const held = this.judges.reserve(JUDGE, "x".repeat(Math.floor(this.dice() * 50_000)), row.order)
      if (held) this.scorings.judged(row, "run_j", held, 0)
      else {
        this.seen.skipped += 1
        this.scorings.end(row)
      }
      return
    }
    const held = row.order.held ?? { usd: 0, tokens: 0 }
    const [input, output] = [Math.floor((held.tokens * this.dice()) / 2), Math.floor((held.tokens * this.dice()) / 2)]
    const usd = held.usd * this.dice()
    this.books.tokens += input + output
    this.books.usd += usd
    this.seen.judged += 1
    this.sql.write(() => {
      if (this.scorings.end(row)) this.work.scored(row, 1, { input, output, usd })
    })
  }

  /** What judges have used. */
  readonly books = { usd: 0, tokens: 0 }

  check(): void {
    const experiment = this.experiments.find(EXP)
    if (!experiment) throw new Error("it is gone")
    const judges = this.scorings.held(EXP)
    const taken = (unit: keyof Money): number => experiment.used[unit] + experiment.held[unit] + judges[unit]
    if (this.budget.usd !== undefined) expect(taken("usd")).toBeLessThanOrEqual(this.budget.usd + 1e-9)
    if (this.budget.tokens !== undefined) expect(taken("tokens")).toBeLessThanOrEqual(this.budget.tokens)
  }
}

const VIEW = { flow: "f", created: "2026-01-01T00:00:00Z", children: [], steps: {}, pinned: {} }
const viewOf = ({ used, asks, isOver, isCanceled }: Mock): object => ({
  status: isCanceled ? "canceled" : isOver ? "succeeded" : "running",
  pending: asks ? 1 : 0,
  usage: { tokens: used.tokens, usd: used.usd, tool_calls: 0 },
  ...(isOver ? { ended: "2026-01-01T00:00:01Z" } : {}),
})

test("[V36] trials, judges, raises and deaths pass no budget by a token, and what was used is what the runs used", async () => {
  const all = { raised: 0, judged: 0, skipped: 0, stopped: 0, succeeded: 0 }
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        usd: fc.option(fc.double({ min: 0.5, max: 30, noNaN: true }), { nil: undefined }),
        tokens: fc.option(fc.integer({ min: 50_000, max: 3_000_000 }), { nil: undefined }),
      }),
      fc.integer({ min: 1, max: 10 }),
      fc.nat(2 ** 31),
      async ({ usd, tokens }, rows, seed) => {
        fc.pre(usd !== undefined || tokens !== undefined)
        const dice = diceOf(`money:${seed}`)
        const house = new House({ ...(usd === undefined ? {} : { usd }), ...(tokens === undefined ? {} : { tokens }) }, rows, dice)
        for (let i = 0; i < 400; i++) {
          house.now += 1_000
          const trials = house.store.of(EXP)
          const open = trials.filter(({ state }) => state !== "ended")
          if (open.length === 0) break
          const one = open[Math.floor(dice() * open.length)]
          const roll = dice()
          if (roll < 0.05) house.wake()
          else if (roll < 0.3) {
            const scoring = trials.flatMap(({ run }) => house.scorings.of(run))
            const row = scoring[Math.floor(dice() * scoring.length)]
            if (row) house.judge(row)
          } else if (one?.state === "waiting") {
            if (trials.filter(({ state }) => state === "running").length < 10) house.trials.held(one, house.now)
          } else if (one) {
            const run = house.runs.get(one.run)
            if (one.state === "running" && run && !run.isOver && !run.asks) house.goOn(run)
            await house.look(one)
          }
          house.check()
        }
        house.dice = () => 1
        for (let i = 0; i < 100 && house.store.of(EXP).some(({ state }) => state !== "ended"); i++) await house.finish()
        const ended = house.store.of(EXP)
        expect(ended.filter(({ state }) => state !== "ended")).toEqual([])
        const used = house.experiments.find(EXP)?.used ?? { usd: 0, tokens: 0 }
        const mocks = [...house.runs.values()].reduce(
          (sum, run) => ({ usd: sum.usd + run.used.usd, tokens: sum.tokens + run.used.tokens }),
          house.books,
        )
        expect(used.tokens).toBe(mocks.tokens)
        expect(used.usd).toBeCloseTo(mocks.usd, 6)
        for (const key of ["raised", "judged", "skipped"] as const) all[key] += house.seen[key]
        all.stopped += ended.filter(({ body }) => body.end === "stopped").length
        all.succeeded += ended.filter(({ body }) => body.end === "succeeded").length
      },
    ),
    { numRuns: amount(200, 25) },
  )
  expect(Object.entries(all).filter(([, n]) => n <= 2)).toEqual([])
})
