// Pins the scorers of steps with `until` [V27]: their files, handlers, and what their judges' runs follow, so that no later write changes what is
// good enough in a run that has begun.

import { defined } from "../../../core/defined.ts"
import { untilOf, type Flow } from "../../../core/flow/flow.ts"
import { err, ok, type Result } from "../../../core/result.ts"
import type { PinnedScorer, Pins } from "../../../core/run/event-parts.ts"
import type { CatalogView } from "../catalog-view.ts"
import { REHEARSAL_MODEL, type ModelSettings } from "../pin/model-choice.ts"
import type { Refused } from "../pin/pin-refusal.ts"
import { knownScorer } from "./known-scorers.ts"
import { pinJudge } from "./pin-judge.ts"

/** Of the ground of a run's pins. */
export interface ScorerGround {
  readonly view: CatalogView
  readonly revision: number
  readonly settings: ModelSettings
  readonly rehearse: boolean
  keep(text: string, hash?: string): Promise<string>
}

export async function pinScorers(context: ScorerGround, flows: readonly Flow[]): Promise<Result<Pins["scorers"], Refused>> {
  const pinned: Record<string, PinnedScorer> = {}
  for (const step of flows.flatMap(({ steps }) => steps)) {
    const until = untilOf(step)
    if (until === undefined || Object.hasOwn(pinned, until.scorer)) continue
    const one = await pinOne(context, until.scorer, step.id)
    if (!one.ok) return one
    pinned[until.scorer] = one.value
  }
  return ok(Object.keys(pinned).length > 0 ? pinned : undefined)
}

async function pinOne(
  { view, settings, rehearse, revision, keep }: ScorerGround,
  name: string,
  step: string,
): Promise<Result<PinnedScorer, Refused>> {
  const known = await knownScorer({ view, models: settings }, name)
  const refused = (code: Refused["code"], message: string): Result<never, Refused> =>
    err({ ok: false, code, message, step, diagnostics: [] })
  if (!known) return refused("invalid_flow", `step "${step}": the scorer "${name}" does not exist, or has errors`)
  const { scorer, version, code } = known
  const entry = view.entry("scorer", name)
  const hash = entry && (await keep((await view.text(entry)) ?? "", entry.hash))
  const handler = code === undefined ? undefined : await keep(code)
  if (!scorer.judge || scorer.kind === "built-in") return ok({ version, ...defined({ hash, code: handler }) })
  const agent = (await view.agent(scorer.judge.agent))?.value
  const model = rehearse ? REHEARSAL_MODEL : known.model
  if (!agent) return refused("unknown_agent", `step "${step}": the judge's agent "${scorer.judge.agent}" does not exist, or has errors`)
  if (model === undefined) return refused("no_model", `step "${step}": no model is set up for the judge of "${name}"`)
  const { pins } = await pinJudge({ revision, agent, model, keep: (text) => keep(text) }, scorer)
  const judge = {
    flow: pins.flow.hash,
    agent: agent.name,
    hash: pins.agents[agent.name] ?? "",
    model: pins.models[agent.name] ?? model,
    ...defined({ fallbacks: pins.fallbacks?.[agent.name] }),
  }
  return ok({ version, ...defined({ hash }), judge })
}
