// Says what the scores of the gate rest on [V40]: datasets, scorers, their handlers and their judges' agents, which only an admin changes; and the models
// that a flow would pin before a write and after it.

import type { Agent } from "../../core/flow/agent.ts"
import { scoredRules } from "../../core/score/gate-score.ts"
import type { GateSetting } from "../../core/tool/policy/gate-setting.ts"
import type { Break } from "../../ports/tenant/authoring/apply.ts"
import type { CatalogView } from "./catalog-view.ts"
import { checkConfig } from "./config/config-value.ts"
import { resolveModels, type ModelSettings } from "./pin/model-choice.ts"

/** Throws if the write changes what the gate rests on, and its writer may not. */
export async function keepGrounds(gate: GateSetting, now: CatalogView, next: CatalogView): Promise<void> {
  const rules = scoredRules(gate)
  // [V31] A dataset may be a file.
  for (const name of new Set(rules.map(({ dataset }) => dataset)))
    if (now.entry("dataset", name)?.hash !== next.entry("dataset", name)?.hash)
      throw notAdmin(`The gate relies on the dataset "${name}". A key with the scope admin changes it. Nothing was written.`)
  for (const name of new Set(rules.flatMap(({ scorers }) => Object.keys(scorers))))
    if ((await groundsOf(now, name)) !== (await groundsOf(next, name)))
      throw notAdmin(
        `The gate relies on the scorer "${name}". A key with the scope admin changes it, its handler and its judge's agent. Nothing was written.`,
      )
}

function notAdmin(message: string): Error {
  const error = new Error(message)
  error.name = "NotAdminError"
  return error
}

async function groundsOf(view: CatalogView, scorer: string): Promise<string> {
  const agent = (await view.scorer(scorer))?.value?.judge?.agent
  const entries = [
    view.entry("scorer", scorer),
    view.entry("scorer-code", scorer),
    agent === undefined ? undefined : view.entry("agent", agent),
  ]
  return entries.map((entry) => entry?.hash ?? "").join(" ")
}

/** [V40] Rules of the gate, as the write leaves it, that lose a scorer. */
export async function brokenRules(gate: GateSetting, now: CatalogView, next: CatalogView): Promise<readonly Break[]> {
  const [were, are] = [now.entry("setting", "gate"), next.entry("setting", "gate")]
  const own = were?.hash === are?.hash ? undefined : are && checkConfig("setting", "gate", (await next.text(are)) ?? "").value
  const left = were?.hash === are?.hash ? gate : own?.kind === "gate" ? own.value : {}
  const rules = scoredRules(left)
  if (rules.length === 0) return []
  const [before, after] = [await now.scorers(), await next.scorers()]
  return rules.flatMap(({ match, scorers }) =>
    Object.keys(scorers).flatMap((name): Break[] =>
      before(name) === undefined || after(name) !== undefined
        ? []
        : [{ kind: "gate", id: "gate", flow: match, why: `there is no scorer "${name}", so no change of these flows would pass` }],
    ),
  )
}

/** A model that a step or an agent asks for. */
export type ModelAsked = readonly [ref: string | undefined, thinking: Agent["thinking"]]

export const modelsText = (asked: readonly ModelAsked[], settings: ModelSettings): string =>
  asked
    .map(([ref, thinking]) => JSON.stringify(resolveModels(ref, thinking, settings)))
    .toSorted()
    .join("\n")

/** The tenant's models once a write of files is done: providers and roles may be files [F79]. */
export async function modelsAfter(now: CatalogView, next: CatalogView, settings: ModelSettings): Promise<ModelSettings> {
  const [before, after] = [now, next].map((view) => view.entries.flatMap((entry) => (entry.kind === "provider" ? [entry.id] : [])))
  const gone = new Set((before ?? []).filter((name) => after?.includes(name) !== true))
  const providers = [...new Set([...settings.providers.filter((name) => !gone.has(name)), ...(after ?? [])])].toSorted()
  const [were, are] = [now.entry("setting", "roles"), next.entry("setting", "roles")]
  if (were?.hash === are?.hash) return { ...settings, providers }
  const value = are && checkConfig("setting", "roles", (await next.text(are)) ?? "").value
  return { ...settings, providers, roles: value?.kind === "roles" ? value.value : {} }
}
