// What a write of many files leaves unable to start [F78]: hooks and schedules whose flow is gone, no longer loads, or no longer fits what they
// give it; and flows that lose an agent or a flow they name. What was broken before is not counted.

import type { Break } from "../../ports/tenant/apply.ts"
import { atOnce } from "../at-once.ts"
import type { Change } from "./catalog-entry.ts"
import type { CatalogView } from "./catalog-view.ts"
import { needsOf, type FlowNeeds } from "./config/trigger-faults.ts"

/** Listed breaks of one write. */
export const MAX_BREAKS = 1_000

/** A hook or schedule, as the catalog sees it. */
export interface Trigger {
  readonly kind: "hook" | "schedule"
  readonly id: string
  readonly name?: string
  readonly flow: string
  /** The first thing that a flow with these needs lacks; undefined: it can start. */
  fault(needs: FlowNeeds): string | undefined
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
    return [{ kind, id, ...(name === undefined ? {} : { name }), flow, why }]
  })
  return [...started.flat(), ...(await brokenFlows(now, next, changes))].slice(0, MAX_BREAKS)
}

async function whyNot(view: CatalogView, trigger: Trigger): Promise<string | undefined> {
  const loaded = await view.flow(trigger.flow)
  if (!loaded) return `there is no flow "${trigger.flow}"`
  if (!loaded.value) return firstError(loaded.diagnostics) ?? `the flow "${trigger.flow}" does not load`
  return trigger.fault(needsOf(loaded.value))
}

/** Only what is removed can take a name away from files that stay; to look at every flow takes time. */
async function brokenFlows(now: CatalogView, next: CatalogView, changes: readonly Change[]): Promise<readonly Break[]> {
  const written = new Set(changes.flatMap((change) => (change.type === "put" ? [`${change.kind} ${change.id}`] : [])))
  const isGone = (change: Change): boolean =>
    change.type === "remove" && (change.kind === "flow" || change.kind === "agent") && !written.has(`${change.kind} ${change.id}`)
  if (!changes.some(isGone)) return []
  const flows = next.entries.filter((entry) => entry.kind === "flow" && !written.has(`flow ${entry.id}`))
  const found = await atOnce(flows, async ({ id }): Promise<Break[]> => {
    const after = await next.flow(id)
    if (!after || after.value || !(await now.flow(id))?.value) return []
    return [{ kind: "flow", id, flow: id, why: firstError(after.diagnostics) ?? "it does not load" }]
  })
  return found.flat()
}

const firstError = (
  diagnostics: readonly { readonly severity: string; readonly line: number; readonly message: string }[],
): string | undefined => {
  const first = diagnostics.find((d) => d.severity === "error")
  return first && `line ${first.line}: ${first.message}`
}
