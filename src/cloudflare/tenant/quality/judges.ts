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
}

type HeldBudget = NonNullable<ScoringSetting["budget"]>

const FREE: HeldMoney = { usd: 0, tokens: 0 }

export class Judges implements Pick<ScoringsDeps, "reserve" | "begin" | "ended"> {
  readonly #deps: JudgesDeps

  constructor(deps: JudgesDeps) {
    this.#deps = deps
  }

  readonly reserve = ({ model }: KnownScorer, task: string, probe?: string): HeldMoney | undefined => {
    const { prices } = this.#deps
    if (model === undefined) return undefined
    const { budget, used, under } = this.#purse(probe)
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

  /** What judges of this probe may use, and have used; or those of the day's scorings. */
  #purse(probe: string | undefined): { readonly budget: HeldBudget | undefined; readonly used: HeldMoney; readonly under: HeldMoney } {
    const { setting, store, probes, now } = this.#deps
    const under = store.held(probe)
    if (probe === undefined) return { budget: setting().budget, used: store.today(now()), under }
    const found = probes.find({ id: probe })
    return { budget: found?.budget, used: found?.used ?? FREE, under }
  }

  readonly begin: ScoringsDeps["begin"] = async ({ scorer, model }, judge, { run, task, held, probe }) => {
    const { tenant, catalog, prices, daily, rules } = this.#deps
    const { pinJudge } = await pinning()
    const { view, revision } = await catalog.ground.current()
    const agent = scorer.judge && (await view.agent(scorer.judge.agent))?.value
    if (!agent || model === undefined) throw new Error(`the judge of "${scorer.name}" does not load`)
    const pinned = await pinJudge({ revision, agent, model, keep: (text) => catalog.pins.keep(text) }, scorer)
    const limits = this.#purse(probe?.id).budget ?? {}
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
