// Finds the gated flows that a write affects [K24]: those whose definitions, taken together, change. That covers every way to a flow: its
// own files, its agents and the agents they may call, their skills, handlers, child flows, and files that a package or a built-in replaced.

import { codeIdOf } from "../../core/flow/code-file.ts"
import { childFlowOf, runsChildren } from "../../core/flow/flow.ts"
import { defined } from "../../core/defined.ts"
import { canonical, type Json } from "../../core/json.ts"
import { matchesGlob } from "../../core/tool/policy/tool-names.ts"
import type { GateSetting } from "../../core/tool/policy/gate-setting.ts"
import { scoredRulesFor, type ScoredRule } from "../../core/score/gate-score.ts"
import type { HeldFlow, GateProof } from "../../ports/tenant/authoring/gate.ts"
import { sha256 } from "../sha256.ts"
import type { Act, Change, StoredFile } from "./catalog-entry.ts"
import { keyOf } from "./catalog-entry.ts"
import { placeOf } from "./catalog-place.ts"
import type { CatalogView } from "./catalog-view.ts"
import { keepGrounds, modelsAfter, modelsText, type ModelAsked } from "./gate-grounds.ts"
import type { ModelSettings } from "./pin/model-choice.ts"
import { usesOf } from "./pin/pin-flow.ts"

/** The rows and definitions of a catalog at one revision. */
export interface CatalogState {
  readonly revision: number
  readonly view: CatalogView
}

/** Thrown by a write that needs proof. It never leaves the tenant's object. */
export class HeldWrite extends Error {
  override readonly name = "HeldWrite"
  readonly proof: GateProof
  /** The catalog as it would be. */
  readonly after: CatalogState
  readonly flows: readonly Reached[]
  readonly changes: readonly Change[]
  /** [V40] The tenant's models as they would be. */
  readonly models: ModelSettings | undefined

  constructor(proof: GateProof, after: CatalogState, { flows, changes, models }: Pick<HeldWrite, "flows" | "changes" | "models">) {
    super("the write waits for the tests of the flows that it affects")
    this.proof = proof
    this.after = after
    this.flows = flows
    this.changes = changes
    this.models = models
  }
}

export interface Reached {
  readonly flow: string
  readonly tests: boolean
  /** The flow had tests before. */
  readonly hadTests: boolean
  readonly backtest?: NonNullable<HeldFlow["backtest"]>
  /** [V40] What it may lose, by these rules. */
  readonly scores?: readonly ScoredRule[]
}

/** What the gate reads besides the catalog. */
export interface GateWorld {
  readonly models?: ModelSettings
  /** The flow of a dataset; undefined: there is no such dataset. */
  readonly flowOf: (dataset: string) => string | undefined
}

/** Throws `HeldWrite` unless the act has the proof. `after` is computed only if there is a gate. */
export async function passGate(
  gate: GateSetting,
  now: CatalogState,
  { changes, act, world }: { readonly changes: readonly Change[]; readonly act: Act; readonly world: GateWorld },
  after: () => Promise<CatalogState>,
): Promise<void> {
  if ((gate.flows ?? []).length === 0 || act.forced === true) return
  const next = await after()
  if (act.configures !== true) await keepGrounds(gate, now.view, next.view)
  const models = world.models && (await modelsAfter(now.view, next.view, world.models))
  const flows = await reached(
    gate,
    { view: now.view, ...defined({ models: world.models }) },
    { view: next.view, ...defined({ models }) },
    world,
  )
  if (flows.length === 0) return
  const said = changes.map((c) => [c.type, c.kind, c.id, c.path, c.type === "put" ? c.hash : ""].join(" ")).sort()
  const proof = await proofOf(gate, now.revision, said, flows.some(({ scores }) => scores) ? world.models : undefined)
  if (!isProven(act.proof, proof)) throw new HeldWrite(proof, next, { flows, changes, models })
}

export const isProven = (given: GateProof | undefined, wanted: GateProof): boolean =>
  given?.revision === wanted.revision && given.digest === wanted.digest

/** `models`: the experiments of the write were made with these. */
export async function proofOf(gate: GateSetting, revision: number, said: Json, models: ModelSettings | undefined): Promise<GateProof> {
  const settings = models && JSON.stringify([models.providers, models.roles])
  return { revision, digest: await sha256(canonical(settings === undefined ? [said, gate] : [said, gate, settings])) }
}

interface Side {
  readonly view: CatalogView
  readonly models?: ModelSettings
}

/** [V40] The flows of which a write of settings changes a model. */
export async function reachedByModels(
  gate: GateSetting,
  view: CatalogView,
  { before, after, flowOf }: { readonly before: ModelSettings; readonly after: ModelSettings; readonly flowOf: GateWorld["flowOf"] },
): Promise<readonly Reached[]> {
  return reached(gate, { view, models: before }, { view, models: after }, { flowOf })
}

async function reached(gate: GateSetting, now: Side, next: Side, { flowOf }: Pick<GateWorld, "flowOf">): Promise<Reached[]> {
  const ids = new Set([...now.view.entries, ...next.view.entries].flatMap((entry) => (entry.kind === "flow" ? [entry.id] : [])))
  const found: Reached[] = []
  for (const flow of [...ids].sort()) {
    const rules = (gate.flows ?? []).filter(({ match }) => matchesGlob(match, flow))
    if (rules.length === 0) continue
    const [was, is] = [await fingerprint(now, flow), await fingerprint(next, flow)]
    const scores = was.files === is.files && was.models === is.models ? [] : scoredRulesFor(gate, flow, flowOf)
    if (was.files === is.files) {
      // Tests and recorded runs ask no model.
      if (scores.length > 0) found.push({ flow, tests: false, hadTests: false, scores })
      continue
    }
    const before = now.view.entry("flow", flow)
    const asked = rules.flatMap((rule) => rule.backtest ?? [])
    // Of several rules the strictest counts: the most runs, and what all of them allow.
    const allow = (asked[0]?.allow ?? []).filter((why) => asked.every((rule) => rule.allow?.includes(why)))
    found.push({
      flow,
      tests: rules.some((rule) => rule.tests !== false),
      hadTests: before !== undefined && now.view.testEntry(before) !== undefined,
      ...(scores.length > 0 ? { scores } : {}),
      ...(asked.length > 0 ? { backtest: { last: Math.max(...asked.map(({ last }) => last)), allow } } : {}),
    })
  }
  return found
}

/** Everything that a run of the flow would pin, and its tests, as one text; and its models. */
async function fingerprint({ view, models }: Side, root: string): Promise<{ readonly files: string; readonly models: string }> {
  const parts = new Set<string>()
  const asked: ModelAsked[] = []
  const add = (entry: { readonly kind: string; readonly id: string; readonly hash: string } | undefined): void =>
    void (entry && parts.add(`${entry.kind} ${entry.id} ${entry.hash}`))
  const flows = new Set([root])
  const agents = new Set<string>()
  for (const id of flows) {
    const entry = view.entry("flow", id)
    if (!entry) {
      parts.add(`no flow ${id}`)
      continue
    }
    add(entry)
    add(view.rehearsalEntry(entry))
    if (id === root) add(view.testEntry(entry))
    const flow = (await view.flow(id))?.value
    for (const step of flow?.steps ?? []) {
      if (runsChildren(step)) flows.add(childFlowOf(step))
      if (step.type !== "code" && step.type !== "code-decision") continue
      const place = step.target === undefined ? undefined : placeOf("code", step.target)
      add(view.entry("code", place?.ok ? place.value.id : codeIdOf(id, step.id)))
    }
    for (const { agent, model } of flow ? usesOf(flow, true) : []) {
      agents.add(agent)
      if (model !== undefined) asked.push([model, (await view.agent(agent))?.value?.thinking])
    }
  }
  for (const name of agents) {
    const agent = view.entry("agent", name)
    if (!agent) parts.add(`no agent ${name}`)
    add(agent)
    const loaded = (await view.agent(name))?.value
    if (loaded) asked.push([loaded.model, loaded.thinking])
    for (const route of loaded?.routes ?? []) agents.add(route)
    for (const skill of loaded?.skills ?? []) for (const file of view.skillFiles(skill)?.files.values() ?? []) add(file)
  }
  return { files: [...parts].sort().join("\n"), models: models ? modelsText(asked, models) : "" }
}

/** The rows after the changes. */
export function rowsAfter(rows: readonly StoredFile[], changes: readonly Change[]): readonly StoredFile[] {
  const after = new Map(rows.map((row) => [keyOf(row.kind, row.id), row]))
  for (const change of changes) {
    if (change.type === "remove") after.delete(keyOf(change.kind, change.id))
    else {
      const { type: _put, ...row } = change
      after.set(keyOf(row.kind, row.id), row)
    }
  }
  return [...after.values()]
}
