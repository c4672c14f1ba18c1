// Finds the definitions that refer to a definition [F76], and would break if it were removed. Removing a file that hides one of a lower
// tier breaks nothing, because the hidden one is used then.

import { agentNameOf, untilOf } from "../../core/flow/flow.ts"
import { faceOf } from "../../core/flow/flow-face.ts"
import { builtInScorer } from "../../core/score/built-in.ts"
import type { UsableKind, Use } from "../../ports/tenant/catalog.ts"
import { atOnce } from "../at-once.ts"
import { SKILL_INDEX, splitSkillId } from "./catalog-entry.ts"
import type { CatalogView } from "./catalog-view.ts"

/** Limit: listed uses; the rest are left out. */
export const MAX_USES = 50 // limit: names of what uses a definition, in a refusal to remove it → further ones are not told

/** The uses by valid files; a file with errors does not run anyway. */
export async function usesIn(view: CatalogView, kind: UsableKind, id: string): Promise<Use[]> {
  // Without its file, a scorer that is built in is there again.
  if (kind === "scorer") return builtInScorer(id) ? [] : bySteps(view, kind, id)
  if (kind === "skill") return id.endsWith(`/${SKILL_INDEX}`) ? byAgents(view, splitSkillId(id).skill, kind) : []
  const byFlow = await bySteps(view, kind, id)
  if (kind === "flow") return byFlow
  return [...byFlow, ...(await byAgents(view, id, kind)), ...(await byJudges(view, id, kind))]
}

/** [V2] Scorers that ask the agent, or a model of the provider. */
async function byJudges(view: CatalogView, id: string, kind: "agent" | "provider"): Promise<Use[]> {
  const scorers = await atOnce(
    view.entries.filter((entry) => entry.kind === "scorer"),
    (entry) => view.scorer(entry.id),
  )
  return scorers.flatMap((loaded): Use[] => {
    const judge = loaded?.value?.judge
    const named = judge !== undefined && (kind === "agent" ? judge.agent === id : isOf(judge.model, id))
    return named ? [{ kind: "scorer", id: loaded?.entry.id ?? "" }] : []
  })
}

async function bySteps(view: CatalogView, kind: Exclude<UsableKind, "skill">, id: string): Promise<Use[]> {
  const flows = await atOnce(
    view.entries.filter((entry) => entry.kind === "flow"),
    (entry) => view.flow(entry.id),
  )
  return flows.flatMap((loaded): Use[] => {
    const flow = loaded?.value
    if (flow === undefined || (kind === "flow" && flow.id === id)) return []
    if (kind === "flow") return faceOf(flow).uses.flatMap((use) => (use.flow === id ? [{ kind: "flow", id: flow.id, step: use.step }] : []))
    return flow.steps.flatMap((step) => {
      const named =
        kind === "agent"
          ? agentNameOf(step) === id
          : kind === "scorer"
            ? untilOf(step)?.scorer === id
            : "model" in step && isOf(step.model, id)
      return named ? [{ kind: "flow" as const, id: flow.id, step: step.id }] : []
    })
  })
}

async function byAgents(view: CatalogView, id: string, kind: Exclude<UsableKind, "flow" | "scorer">): Promise<Use[]> {
  return [...(await view.agents())].flatMap(([name, { value: agent }]): Use[] => {
    if (agent === undefined || (kind === "agent" && name === id)) return []
    const named =
      kind === "agent" ? agent.routes?.includes(id) === true : kind === "skill" ? agent.skills.includes(id) : isOf(agent.model, id)
    return named ? [{ kind: "agent", id: name }] : []
  })
}

/** `model: NAME/ID` uses the provider NAME [N6]. */
export const isOf = (model: string | readonly string[] | undefined, provider: string): boolean =>
  [model ?? []].flat().some((one) => one.startsWith(`${provider}/`))
