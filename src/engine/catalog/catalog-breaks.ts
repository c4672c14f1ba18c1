// Finds what a write of many files would break [F78]: hooks and schedules whose flow is removed, no longer loads, or no longer accepts
// their input; agents that lose a tool or a skill they list; scorers that lose their judge; and flows that lose one of these agents, another agent or a flow they name.
// Anything already broken is not counted.

import { defined } from "../../core/defined.ts"
import { isNamedKind } from "../../core/flow/catalog-kinds.ts"
import type { Flow } from "../../core/flow/flow.ts"
import type { Break } from "../../ports/tenant/authoring/apply.ts"
import { atOnce } from "../at-once.ts"
import type { Change } from "./catalog-entry.ts"
import type { CatalogView } from "./catalog-view.ts"
import type { Loaded } from "./check/checked-bodies.ts"
import { readFlow } from "./check/language.ts"
import { usesOf } from "./pin/pin-flow.ts"
import { needsOf, type StartNeeds } from "./pin/startable.ts"
import { JUDGE_PREFIX } from "../../core/flow/judge-flow.ts"
import { SUBAGENT_PREFIX } from "./pin/subagent-flow.ts"

/** Limit: reported hooks, schedules and flows that an apply breaks → the rest are left out. */
export const MAX_BREAKS = 1_000

/** A hook or schedule, as the catalog sees it. */
export interface Trigger {
  readonly kind: "hook" | "schedule"
  readonly id: string
  readonly name?: string
  readonly flow: string
  /** The first thing that a flow with these needs lacks; undefined: it can start. */
  fault(needs: StartNeeds): string | undefined
}

export async function breaksOf(
  { now, next }: { readonly now: CatalogView; readonly next: CatalogView },
  changes: readonly Change[],
  triggers: readonly Trigger[],
): Promise<readonly Break[]> {
  // The file of a hook or schedule that changes with the others was checked with them.
  const changed = new Set(changes.map(({ kind, id }) => `${kind} ${id}`))
  const kept = triggers.filter(({ kind, name }) => name === undefined || !changed.has(`${kind} ${name}`))
  const started = await atOnce(kept, async (trigger): Promise<Break[]> => {
    const { kind, id, name, flow } = trigger
    const why = await whyNot(next, trigger)
    if (why === undefined || (await whyNot(now, trigger)) !== undefined) return []
    return [{ kind, id, ...defined({ name }), flow, why }]
  })
  return [...started.flat(), ...(await broken(now, next, changes))].slice(0, MAX_BREAKS)
}

async function whyNot(view: CatalogView, trigger: Trigger): Promise<string | undefined> {
  const loaded = await view.flow(trigger.flow)
  if (!loaded) return `there is no flow "${trigger.flow}"`
  if (!loaded.value) return (await notLoading(view, loaded)) ?? `the flow "${trigger.flow}" does not load`
  return trigger.fault(needsOf(loaded.value)) ?? faultOfAgents(view, loaded.value)
}

/** The first agent that the flow would start with and that does not load, as a start would refuse it: of a step, or of a route. */
async function faultOfAgents(view: CatalogView, flow: Flow): Promise<string | undefined> {
  const named = usesOf(flow, flow.autonomous).map(({ agent, step }) => ({ agent, step }))
  const seen = new Set<string>()
  for (const { agent, step } of named) {
    if (seen.has(agent)) continue
    seen.add(agent)
    const why = await faultOfAgent(view, agent)
    if (why !== undefined) return `step "${step}": the agent "${agent}": ${why}`
    for (const route of (await view.agent(agent))?.value?.routes ?? []) named.push({ agent: route, step })
  }
  return undefined
}

/** undefined also for an agent that is not there: the flow's own check says where it is named. */
async function faultOfAgent(view: CatalogView, name: string): Promise<string | undefined> {
  const loaded = await view.agent(name)
  return loaded && (firstError(loaded.diagnostics) ?? (loaded.value ? undefined : "it does not load"))
}

/** Only what is removed, and files of tools, which may make fewer than before, can take a name away from files that stay; to look at every agent and
 *  every flow takes time. */
async function broken(now: CatalogView, next: CatalogView, changes: readonly Change[]): Promise<readonly Break[]> {
  const written = new Set(changes.flatMap((change) => (change.type === "put" ? [`${change.kind} ${change.id}`] : [])))
  const takes = (change: Change): boolean =>
    change.kind === "tool" || (change.type === "remove" && isNamedKind(change.kind) && !written.has(`${change.kind} ${change.id}`))
  if (!changes.some(takes)) return []
  const stays = (kind: string) => next.entries.filter((entry) => entry.kind === kind && !written.has(`${kind} ${entry.id}`))
  const agents = await atOnce(stays("agent"), async ({ id }): Promise<Break[]> => {
    const why = await faultOfAgent(next, id)
    if (why === undefined || (await faultOfAgent(now, id)) !== undefined) return []
    return [{ kind: "agent", id, flow: `${SUBAGENT_PREFIX}${id}`, why }]
  })
  const flows = await atOnce(stays("flow"), async ({ id }): Promise<Break[]> => {
    const why = await faultOfFlow(next, id)
    if (why === undefined || (await faultOfFlow(now, id)) !== undefined) return []
    return [{ kind: "flow", id, flow: id, why }]
  })
  const scorers = await atOnce(stays("scorer"), async ({ id }): Promise<Break[]> => {
    const why = await faultOfScorer(next, id)
    if (why === undefined || (await faultOfScorer(now, id)) !== undefined) return []
    return [{ kind: "scorer", id, flow: `${JUDGE_PREFIX}${id}`, why }]
  })
  return [...agents.flat(), ...flows.flat(), ...scorers.flat()]
}

/** [V2] A judge whose agent is gone, or has got tools. */
async function faultOfScorer(view: CatalogView, id: string): Promise<string | undefined> {
  const loaded = await view.scorer(id)
  if (!loaded) return "there is none"
  const judge = loaded.value?.judge
  return (judge && (await faultOfAgent(view, judge.agent))) ?? firstError(loaded.diagnostics)
}

async function faultOfFlow(view: CatalogView, id: string): Promise<string | undefined> {
  const loaded = await view.flow(id)
  if (!loaded) return "there is none"
  return loaded.value ? faultOfAgents(view, loaded.value) : ((await notLoading(view, loaded)) ?? "it does not load")
}

/** To a flow, an agent that does not load is one that is not there; what is wrong with the agent says more. */
async function notLoading(view: CatalogView, { entry, diagnostics }: Loaded<Flow>): Promise<string | undefined> {
  const flow = readFlow((await view.text(entry)) ?? "", entry.id).value
  return (flow && (await faultOfAgents(view, flow))) ?? firstError(diagnostics)
}

const firstError = (
  diagnostics: readonly { readonly severity: string; readonly line: number; readonly message: string }[],
): string | undefined => {
  const first = diagnostics.find((d) => d.severity === "error")
  return first && `line ${first.line}: ${first.message}`
}
