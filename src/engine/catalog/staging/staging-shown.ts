// Shows an architect the catalog and its own work: it cannot read catalog files directly.

import { defined } from "../../../core/defined.ts"
import type { RepairWish } from "../../../ports/tenant/authoring/repairs.ts"
import { codeIdOf } from "../../../core/flow/code-file.ts"
import { unifiedDiff } from "../../../core/text/line-diff.ts"
import { MAX_SHOWN, type ReturnedFile, type ShownFile } from "../architect-task.ts"
import { atOnce } from "../../at-once.ts"
import type { CatalogEntry } from "../catalog-entry.ts"
import type { CatalogGround, State } from "../catalog-ground.ts"
import { placeOf } from "../catalog-place.ts"
import { readFlow } from "../check/language.ts"
import { judged, type StagedText } from "./staging-draft.ts"
import type { StagedRow } from "./staging-entry.ts"

/** Comparison steps: about 50 ms. */
export const MAX_STEPS = 5_000_000 // limit: steps of comparing a session's files → further files have no hunks

export interface ShownFlow {
  readonly flow: { readonly id: string; readonly isPackaged?: true } & ShownFile
  /** The flow's agents that may be rewritten. */
  readonly agents: readonly ShownFile[]
  /** The bodies that were shown, on which the session's changes are based. */
  readonly seen: readonly StagedRow[]
}

/** The flow for the architect; undefined: it does not exist, its body is lost, or it is too long. */
export async function shownFlow({ view }: State, id: string, at: number, reach: Reach = "own"): Promise<ShownFlow | undefined> {
  const entry = view.entry("flow", id)
  const text = entry && (await view.text(entry))
  if (!entry || text === undefined || text.length > MAX_SHOWN) return undefined
  const { diagnostics } = await view.check(entry)
  const path = ownPath(entry)
  const steps = readFlow(text, id).value?.steps ?? []
  const names = steps.flatMap((step) => ("agent" in step && step.agent !== undefined ? [step.agent] : []))
  const { agents, seen } = await shownAgents(view, names, at, reach)
  return {
    flow: {
      id,
      path,
      text,
      diagnostics: diagnostics.filter((d) => d.severity === "error"),
      ...(entry.tier === "package" ? { isPackaged: true } : {}),
    },
    agents,
    seen: [seenRow(path, entry, at), ...seen],
  }
}

/** Whose files may be rewritten: the tenant's own, or also a package's, by a file of the tenant's own that hides it. */
type Reach = "own" | "packages"

/** Those of these agents that may be rewritten. */
async function shownAgents(
  view: State["view"],
  names: readonly string[],
  at: number,
  reach: Reach,
): Promise<Pick<ShownFlow, "agents" | "seen">> {
  const agents: ShownFile[] = []
  const seen: StagedRow[] = []
  for (const name of new Set(names)) {
    const agent = view.entry("agent", name)
    const isReached = agent?.tier === "local" || (reach === "packages" && agent?.tier === "package")
    const body = agent && isReached ? await view.text(agent) : undefined
    if (!agent || body === undefined) continue
    agents.push({ path: ownPath(agent), text: body })
    seen.push(seenRow(ownPath(agent), agent, at))
  }
  return { agents, seen }
}

/** The handlers of a flow's code steps. */
export async function shownHandlers(view: State["view"], flow: ShownFlow["flow"], at: number): Promise<ShownHandlers> {
  const handlers: ShownFile[] = []
  const seen: StagedRow[] = []
  for (const step of readFlow(flow.text, flow.id).value?.steps ?? []) {
    if (step.type !== "code" && step.type !== "code-decision") continue
    const place = step.target === undefined ? undefined : placeOf("code", step.target)
    const entry = view.entry("code", place?.ok ? place.value.id : codeIdOf(flow.id, step.id))
    const text = entry && (await view.text(entry))
    if (!entry || text === undefined) continue
    handlers.push({ path: ownPath(entry), text })
    seen.push(seenRow(ownPath(entry), entry, at))
  }
  return { handlers, seen }
}

interface ShownHandlers {
  readonly handlers: readonly ShownFile[]
  readonly seen: readonly StagedRow[]
}

export interface ShownRepair {
  readonly flows: readonly ShownFlow["flow"][]
  readonly agents: readonly ShownFile[]
  readonly handlers: readonly ShownFile[]
  readonly seen: readonly StagedRow[]
}

/** What the architect sees of a repair: the flows through which the run failed, their agents and their handlers. undefined: nothing of it can
 *  be changed. */
export async function shownRepair(
  state: State,
  { flows, agents }: Pick<RepairWish, "flows" | "agents">,
  at: number,
): Promise<ShownRepair | undefined> {
  const found = (await atOnce(flows, (id) => shownFlow(state, id, at, "packages"))).flatMap((one) => (one ? [one] : []))
  if (flows.length > 0 && found[0]?.flow.id !== flows[0]) return undefined
  const alone = await shownAgents(state.view, agents, at, "packages")
  const code = await atOnce(found, ({ flow }) => shownHandlers(state.view, flow, at))
  const all = new Map([...found.flatMap((one) => one.agents), ...alone.agents].map((agent) => [agent.path, agent]))
  if (found.length === 0 && all.size === 0) return undefined
  const rows = new Map([...found, ...code, alone].flatMap((one) => one.seen).map((row) => [row.path, row]))
  const handlers = new Map(code.flatMap((one) => one.handlers).map((handler) => [handler.path, handler]))
  return { flows: found.map((one) => one.flow), agents: [...all.values()], handlers: [...handlers.values()], seen: [...rows.values()] }
}

/** The session's files with their diagnostics and diffs, against the current catalog. */
export async function returnedOf(ground: CatalogGround, now: State, files: readonly StagedText[]): Promise<readonly ReturnedFile[]> {
  const rows = new Map((await judged(ground, files)).map((file) => [file.path, file]))
  const budget = { left: MAX_STEPS }
  return atOnce(files, async ({ path, kind, id, text }) => {
    const entry = now.view.entry(kind, id)
    const present = entry && (await now.view.text(entry))
    const { moved, diagnostics = [] } = rows.get(path) ?? {}
    const diff = present === undefined ? "" : unifiedDiff(present, text, budget)
    return { path, text, diagnostics, diff, ...defined({ now: moved && (present ?? null) }) }
  })
}

/** The path of the tenant's own file for this definition, existing or not. */
const ownPath = (entry: CatalogEntry): string => (entry.tier === "package" ? entry.path.replace(/^packages\/[^/]+\//, "") : entry.path)

const seenRow = (path: string, { kind, id, hash }: CatalogEntry, at: number): StagedRow => {
  return { path, kind, id, base: hash, hash: null, size: 0, text: null, at }
}
