// Lists agents or skills with their uses: flows by their steps, and agents by their routes and skills. One pass over the catalog, however
// many there are.

import { defined } from "../../core/defined.ts"
import { hasErrors } from "../../core/diagnostic.ts"
import { agentNameOf } from "../../core/flow/flow.ts"
import type { Use, Used } from "../../ports/tenant/catalog.ts"
import { atOnce } from "../at-once.ts"
import { SKILL_INDEX, splitSkillId, type CatalogEntry } from "./catalog-entry.ts"
import { MAX_USES } from "./catalog-uses.ts"
import type { CatalogView } from "./catalog-view.ts"

/** The uses, ordered by name. `id`: only those of this definition. */
export async function usedOf(view: CatalogView, kind: "agent" | "skill", id?: string): Promise<Used[]> {
  const uses = kind === "agent" ? await ofAgents(view) : await ofSkills(view)
  const entries = view.entries.filter((entry) => entry.kind === kind && (kind === "agent" || entry.id.endsWith(`/${SKILL_INDEX}`)))
  const rows = entries.map((entry) => ({ entry, name: kind === "agent" ? entry.id : splitSkillId(entry.id).skill }))
  const wanted = rows.filter(({ name }) => id === undefined || name === id).sort((a, b) => (a.name < b.name ? -1 : 1))
  return atOnce(wanted, async ({ entry, name }) => {
    const all = uses.get(name) ?? []
    const shared = { id: name, tier: entry.tier, ...defined({ package: entry.package }), uses: all.slice(0, MAX_USES), used: all.length }
    return { ...shared, ...(kind === "agent" ? await agentOf(view, entry) : await skillOf(view, name)) }
  })
}

type Own = Omit<Used, "id" | "tier" | "package" | "uses" | "used">

async function agentOf(view: CatalogView, entry: CatalogEntry): Promise<Own> {
  const loaded = await view.agent(entry.id)
  const errors = loaded && hasErrors(loaded.diagnostics) ? loaded.diagnostics.filter(({ severity }) => severity === "error").length : 0
  const agent = loaded?.value
  if (!agent) return { description: "", errors: Math.max(1, errors) }
  const { description, model, thinking, role, tools, skills, inputs } = agent
  const outputs = agent.outputs.map(({ name }) => name)
  const count = tools.kind === "list" ? tools.names.length : null
  return { description, ...defined({ model, thinking, role }), tools: count, skills, inputs, outputs, errors }
}

async function skillOf(view: CatalogView, name: string): Promise<Own> {
  const loaded = await view.skill(name)
  const errors = loaded?.diagnostics.filter(({ severity }) => severity === "error").length ?? 0
  return { description: loaded?.value?.description ?? "", errors: loaded?.value ? errors : Math.max(1, errors) }
}

async function ofAgents(view: CatalogView): Promise<Map<string, Use[]>> {
  const uses = new Map<string, Use[]>()
  const flows = await atOnce(
    view.entries.filter((entry) => entry.kind === "flow"),
    (entry) => view.flow(entry.id),
  )
  for (const loaded of flows)
    for (const step of loaded?.value?.steps ?? []) {
      const name = agentNameOf(step)
      if (name !== undefined && loaded?.value) add(uses, name, { kind: "flow", id: loaded.value.id, step: step.id })
    }
  for (const [name, { value }] of await view.agents())
    for (const route of value?.routes ?? []) add(uses, route, { kind: "agent", id: name })
  return uses
}

async function ofSkills(view: CatalogView): Promise<Map<string, Use[]>> {
  const uses = new Map<string, Use[]>()
  for (const [name, { value }] of await view.agents())
    for (const skill of value?.skills ?? []) add(uses, skill, { kind: "agent", id: name })
  return uses
}

function add(uses: Map<string, Use[]>, name: string, use: Use): void {
  const list = uses.get(name)
  if (list) list.push(use)
  else uses.set(name, [use])
}
