// Proves facts about a stored flow before it runs, with its agents, its child flows and their current models: `GET /v1/flows/{id}/check`.
// Nothing is started and nothing is written.

import { hasErrors, type Diagnostic } from "../../../core/diagnostic.ts"
import type { Agent } from "../../../core/flow/agent.ts"
import { untilOf, type Flow } from "../../../core/flow/flow.ts"
import { JUDGE_PREFIX } from "../../../core/flow/judge-flow.ts"
import type { JudgeSpec } from "../../../core/flow/scorer.ts"
import { proveFlow, type FlowProof } from "../../../core/language/proof.ts"
import { bareModel, pricesOf, type PriceBook } from "../../../core/money/prices.ts"
import type { CatalogView } from "../catalog-view.ts"
import { childrenOf, usesOf } from "../pin/pin-flow.ts"
import { resolveModels, type ModelSettings } from "../pin/model-choice.ts"

export interface FlowCheck {
  readonly flow: string
  /** No diagnostic is an error: the flow could be started if its models resolve. */
  readonly valid: boolean
  readonly diagnostics: readonly Diagnostic[]
  /** Absent if the flow, or a child flow, does not load. */
  readonly proof?: FlowProof
  /** agent, `agent@step`, or `@judge/SCORER` → the model it would get. */
  readonly models: Readonly<Record<string, string>>
  readonly missing: readonly string[]
}

/** Checks a stored flow; undefined: it does not exist. */
export async function checkStored(
  view: CatalogView,
  settings: ModelSettings,
  id: string,
  prices: PriceBook = () => undefined,
): Promise<FlowCheck | undefined> {
  const loaded = await view.flow(id)
  if (!loaded) return undefined
  const { value: flow, diagnostics } = loaded
  const unproven = { flow: id, valid: false, diagnostics, models: {}, missing: [] }
  if (!flow || hasErrors(diagnostics)) return unproven
  const children = await childrenOf(view, flow)
  if (!children.ok) return { ...unproven, missing: [children.error.message] }
  const flows = [flow, ...children.value.map((c) => c.flow)]
  const agents = new Map<string, Agent>()
  const models: Record<string, string> = {}
  const missing: string[] = []
  for (const one of flows)
    for (const { step, agent: name, model } of usesOf(one, true)) {
      const agent = (await view.agent(name))?.value
      if (agent) agents.set(name, agent)
      const key = model === undefined ? name : one === flow ? `${name}@${step}` : `${name}@${one.id}/${step}`
      if (Object.hasOwn(models, key)) continue
      const choice = resolveModels(model ?? agent?.model, agent?.thinking, settings)
      if (choice.ok) models[key] = choice.value.first
      else missing.push(`step "${step}", agent "${name}": ${choice.error}`)
    }
  const judges = await judgesOf(flows, { view, settings, models, missing })
  const proof = proveFlow(flow, {
    agents,
    judges,
    flows: new Map(flows.map((f: Flow) => [f.id, f])),
    models: bare(models),
    prices: pricesOf(prices, Object.values(models)),
  })
  return { flow: id, valid: true, diagnostics, proof, models, missing }
}

interface Found {
  readonly view: CatalogView
  readonly settings: ModelSettings
  readonly models: Record<string, string>
  readonly missing: string[]
}

/** [V27] The judges of `until`, whose models are found like those of agents. The built-in `criteria` is never asked: a step has no row. */
async function judgesOf(flows: readonly Flow[], { view, settings, models, missing }: Found): Promise<ReadonlyMap<string, JudgeSpec>> {
  const judges = new Map<string, JudgeSpec>()
  for (const step of flows.flatMap(({ steps }) => steps)) {
    const name = untilOf(step)?.scorer
    const judge = name === undefined || judges.has(name) ? undefined : (await view.scorer(name))?.value?.judge
    if (name === undefined || judge === undefined) continue
    judges.set(name, judge)
    const agent = (await view.agent(judge.agent))?.value
    const choice = resolveModels(judge.model ?? agent?.model, agent?.thinking, settings)
    if (choice.ok) models[`${JUDGE_PREFIX}${name}`] = choice.value.first
    else missing.push(`step "${step.id}", judge of "${name}": ${choice.error}`)
  }
  return judges
}

/** Prices are per model, independent of the thinking level. */
const bare = (models: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(models).map(([key, model]) => [key, bareModel(model)]))
