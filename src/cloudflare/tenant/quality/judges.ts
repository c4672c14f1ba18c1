// Begins judges' runs and reads how they ended [V14, V15]. What a judge may use is held from the day's budget before it begins, and is its
// run's own budget, so nothing is passed.

import { defined } from "../../../core/defined.ts"
import { bareModel, isFree, pricesOf, type PriceBook } from "../../../core/money/prices.ts"
import { judgeMost } from "../../../core/run/budget/judge-most.ts"
import { judgeVerdict } from "../../../core/run/rounds/judge-verdict.ts"
import { probeKey } from "../../../core/score/probe-way.ts"
import type { ScoringSetting } from "../../../core/score/scoring-setting.ts"
import { worstCost } from "../../../core/run/budget/worst-case.ts"
import type { Amount } from "../../../core/money/amount.ts"
import { utf8Length } from "../../../core/text/utf8.ts"
import type { Rules } from "../../../core/tool/policy/policy.ts"
import type { Catalog } from "../../../engine/catalog/catalog.ts"
import { modelsOf } from "../../../engine/catalog/pin/start-money.ts"
import { startOf } from "../../../engine/run/begin/start.ts"
import { lazy } from "../../../core/lazy.ts"
import type { RunPort } from "../../../ports/run.ts"
import type { KnownScorer } from "../../../ports/tenant/quality/scorers.ts"
import type { PinnedJudge } from "../../../engine/catalog/score/pin-judge.ts"
import type { ProbeStore } from "./probe-store.ts"
import type { HeldMoney, ScoringStore } from "./scoring-store.ts"
import type { JudgeEnded, ScoringsDeps } from "./scorings.ts"

const pinning = lazy(() => import("../../../engine/catalog/score/pin-judge.ts"))

export interface JudgesDeps {
  readonly tenant: string
  readonly catalog: Catalog
  readonly store: ScoringStore
  readonly probes: Pick<ProbeStore, "find">
  readonly setting: () => ScoringSetting
  readonly prices: () => PriceBook
  readonly daily: () => Amount
  readonly rules: () => { readonly rules: Rules; readonly tenancy?: number }
  readonly run: (id: string) => Pick<RunPort, "start" | "view">
  readonly now: () => number
  /** [V36] */
  readonly trials: { money(experiment: string): { readonly budget?: Amount; readonly taken: HeldMoney } | undefined }
}

type HeldBudget = NonNullable<ScoringSetting["budget"]>

/** Whose money a judge uses. */
type Purse = { readonly probe?: { readonly id: string }; readonly experiment?: string }

const FREE: HeldMoney = { usd: 0, tokens: 0 }

export class Judges implements Pick<ScoringsDeps, "reserve" | "begin" | "ended"> {
  readonly #deps: JudgesDeps

  constructor(deps: JudgesDeps) {
    this.#deps = deps
  }

  readonly reserve = ({ model }: KnownScorer, task: string, order: Purse = {}): HeldMoney | undefined => {
    const { prices } = this.#deps
    if (model === undefined) return undefined
    const purse = this.#purse(order)
    if (!purse) return undefined
    const { budget, used, under } = purse
    const models = model.split(",")
    if (models.every((one) => isFree(one))) return FREE
    const { input, output } = judgeMost(utf8Length(task))
    const known = models.map((one) => (isFree(one) ? { input: 0, output: 0 } : prices()(bareModel(one))))
    if (budget === undefined) return known.every((price) => price === undefined) ? FREE : undefined
    if (budget.usd !== undefined && known.includes(undefined)) return undefined
    const usd = Math.max(0, ...known.map((price) => (price ? worstCost(price, input, output) : 0)))
    const held = { usd, tokens: input + output }
    const fits =
      (budget.usd === undefined || used.usd + under.usd + held.usd <= budget.usd) &&
      (budget.tokens === undefined || used.tokens + under.tokens + held.tokens <= budget.tokens)
    return fits ? held : undefined
  }

  /** What judges of this probe or experiment may use, and have used; or those of the day's scorings. undefined: it is over. */
  #purse({
    probe,
    experiment,
  }: Purse): { readonly budget: HeldBudget | undefined; readonly used: HeldMoney; readonly under: HeldMoney } | undefined {
    const { setting, store, probes, now, trials } = this.#deps
    const under = store.held(probe?.id ?? experiment)
    if (experiment !== undefined) {
      const own = trials.money(experiment)
      return own && { budget: own.budget, used: own.taken, under }
    }
    if (probe === undefined) return { budget: setting().budget, used: store.today(now()), under }
    const found = probes.find({ id: probe.id })
    return { budget: found?.budget, used: found?.used ?? FREE, under }
  }

  /** What its runs follow, by the catalog of now. undefined: it does not load. */
  readonly pin = async ({ scorer, model }: KnownScorer): Promise<PinnedJudge | undefined> => {
    const { catalog } = this.#deps
    const { pinJudge } = await pinning()
    const { view, revision } = await catalog.ground.current()
    const agent = scorer.judge && (await view.agent(scorer.judge.agent))?.value
    if (!agent || model === undefined) return undefined
    return pinJudge({ revision, agent, model, keep: (text) => catalog.pins.keep(text) }, scorer)
  }

  readonly begin: ScoringsDeps["begin"] = async (known, judge, { run, task, held, probe }) => {
    const { tenant, prices, daily, rules } = this.#deps
    const { scorer } = known
    const pinned = known.pinned ?? (await this.pin(known))
    if (!pinned) throw new Error(`the judge of "${scorer.name}" does not load`)
    const limits = this.#purse(defined({ probe, experiment: known.about?.experiment }))?.budget ?? {}
    const budget = held === FREE ? {} : defined({ usd: limits.usd && held.usd, tokens: limits.tokens && held.tokens })
    const own = pricesOf(prices(), modelsOf(pinned.pins))
    await this.#deps.run(judge).start(
      startOf(
        { ...pinned, ...rules() },
        {
          tenant,
          run: judge,
          task,
          inputs: {},
          trigger: {
            kind: "score",
            test: true,
            score: { run, scorer: scorer.name, ...defined({ probe: probe && probeKey(scorer.name, probe) }) },
          },
          budget,
          ...(Object.keys(own).length > 0 ? { prices: own } : {}),
          ...(Object.keys(daily()).length > 0 ? { daily: true as const } : {}),
        },
      ),
    )
  }

  readonly ended = async ({ scorer }: KnownScorer, judge: string): Promise<JudgeEnded | "running" | undefined> => {
    const view = await this.#deps.run(judge).view()
    if (!view) return undefined
    if (view.ended === undefined) return "running"
    const verdict = judgeVerdict(scorer.judge?.levels ?? [], { status: view.status, output: view.output, error: view.error?.message })
    const steps = Object.values(view.steps)
    const input = steps.reduce((sum, { usage }) => sum + usage.input, 0)
    const output = steps.reduce((sum, { usage }) => sum + usage.output, 0)
    return { verdict, use: { input, output, usd: view.usage.usd } }
  }
}
