// Finds the scorers of a tenant with their versions [V1, V3]: files of the catalog, and those that are built in. A version follows from
// everything that a score follows from: file, handler, the judge's agent, its model and thinking level.

import { builtInScorer, BUILT_IN_SCORERS } from "../../../core/score/built-in.ts"
import type { Scorer } from "../../../core/flow/scorer.ts"
import { canonical } from "../../../core/json.ts"
import { defined } from "../../../core/defined.ts"
import type { KnownScorer } from "../../../ports/tenant/quality/scorers.ts"
import { atOnce } from "../../at-once.ts"
import type { CatalogView } from "../catalog-view.ts"
import { resolveModels, type ModelSettings } from "../pin/model-choice.ts"
import { sha256 } from "../../sha256.ts"

/** Hexadecimal digits of a version. */
const VERSION_DIGITS = 12

interface World {
  readonly view: CatalogView
  readonly models: ModelSettings
}

/** All that load, by name. */
export async function allScorers(world: World): Promise<readonly KnownScorer[]> {
  const names = new Set([
    ...world.view.entries.flatMap((entry) => (entry.kind === "scorer" ? [entry.id] : [])),
    ...BUILT_IN_SCORERS.map(({ name }) => name),
  ])
  const known = await atOnce([...names].toSorted(), (name) => knownScorer(world, name))
  return known.flatMap((one) => one ?? [])
}

/** undefined: there is none, or it does not load. */
export async function knownScorer({ view, models }: World, name: string): Promise<KnownScorer | undefined> {
  const entry = view.entry("scorer", name)
  const scorer = entry ? (await view.scorer(name))?.value : builtInScorer(name)
  if (!scorer) return undefined
  const handler = scorer.kind === "code" ? await handlerOf(view, name) : undefined
  const judge = scorer.judge && (await judgeOf(view, scorer, models))
  const made = [entry?.hash ?? canonical(JSON.parse(JSON.stringify(scorer))), handler?.hash ?? "", judge?.hash ?? "", judge?.model ?? ""]
  return {
    scorer,
    version: (await sha256(JSON.stringify(made))).slice(0, VERSION_DIGITS),
    tier: entry?.tier ?? "built-in",
    ...defined({ code: handler?.source, model: judge?.model }),
  }
}

async function handlerOf(view: CatalogView, name: string): Promise<{ readonly hash: string; readonly source: string } | undefined> {
  const entry = view.entry("scorer-code", name)
  const handler = entry && (await view.handler(entry))
  return entry && handler?.value && { hash: entry.hash, source: handler.value.code }
}

/** A model without a provider is none yet: the scorer has another version once there is one. */
async function judgeOf(
  view: CatalogView,
  { judge }: Scorer,
  models: ModelSettings,
): Promise<{ readonly hash: string; readonly model?: string } | undefined> {
  const agent = judge && (await view.agent(judge.agent))
  if (!judge || !agent?.value) return undefined
  const found = resolveModels(judge.model ?? agent.value.model, agent.value.thinking, models)
  return { hash: agent.entry.hash, ...(found.ok ? { model: [found.value.first, ...found.value.others].join(",") } : {}) }
}
