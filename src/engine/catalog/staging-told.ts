// What an architect is shown of the catalog and of its own work: it reads no file of the catalog by itself.

import { unifiedDiff } from "../../core/text/line-diff.ts"
import { MOST_SHOWN, type Returned, type ShownFile } from "./architect-task.ts"
import { atOnce } from "../at-once.ts"
import type { Entry } from "./catalog-entry.ts"
import type { CatalogGround, State } from "./catalog-ground.ts"
import { readFlow } from "./language.ts"
import { judged, type Written } from "./staging-draft.ts"
import type { StagedRow } from "./staging-entry.ts"

/** Steps of comparing: some 50 ms. */
export const MOST_STEPS = 5_000_000

export interface Told {
  readonly flow: { readonly id: string } & ShownFile
  /** Agents of the flow that are the tenant's own: those that may be rewritten. */
  readonly agents: readonly ShownFile[]
  /** The bodies that were shown: what the session's changes are made from. */
  readonly seen: readonly StagedRow[]
}

/** undefined: there is no such flow, its body is lost, or it is too long to be shown. */
export async function toldOf({ view }: State, id: string, at: number): Promise<Told | undefined> {
  const entry = view.entry("flow", id)
  const text = entry && (await view.text(entry))
  if (!entry || text === undefined || text.length > MOST_SHOWN) return undefined
  const { diagnostics } = await view.check(entry)
  const path = ownPath(entry)
  const steps = readFlow(text, id).value?.steps ?? []
  const names = new Set(steps.flatMap((step) => ("agent" in step && step.agent !== undefined ? [step.agent] : [])))
  const agents: ShownFile[] = []
  const seen = [seenRow(path, entry, at)]
  for (const name of names) {
    const agent = view.entry("agent", name)
    const body = agent?.tier === "local" ? await view.text(agent) : undefined
    if (!agent || body === undefined) continue
    agents.push({ path: agent.path, text: body })
    seen.push(seenRow(agent.path, agent, at))
  }
  return { flow: { id, path, text, diagnostics: diagnostics.filter((d) => d.severity === "error") }, agents, seen }
}

/** The session's files with what is to be said of them, against the catalog as it is. */
export async function returnedOf(ground: CatalogGround, now: State, files: readonly Written[]): Promise<readonly Returned[]> {
  const rows = new Map((await judged(ground, files)).map((file) => [file.path, file]))
  const budget = { left: MOST_STEPS }
  return atOnce(files, async ({ path, kind, id, text }) => {
    const entry = now.view.entry(kind, id)
    const present = entry && (await now.view.text(entry))
    const { moved, diagnostics = [] } = rows.get(path) ?? {}
    const diff = present === undefined ? "" : unifiedDiff(present, text, budget)
    return { path, text, diagnostics, diff, ...(moved ? { now: present ?? null } : {}) }
  })
}

/** Where the tenant's own file of this definition stands, or would. */
const ownPath = (entry: Entry): string => (entry.tier === "package" ? entry.path.replace(/^packages\/[^/]+\//, "") : entry.path)

const seenRow = (path: string, { kind, id, hash }: Entry, at: number): StagedRow => {
  return { path, kind, id, base: hash, hash: null, size: 0, text: null, at }
}
