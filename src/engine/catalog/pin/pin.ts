// pin: fixes the definitions of a run by hash [F72] and the models of its agents [F52], or says why it cannot start. Every fault that can
// be detected is reported here, before the run exists [F30]: unknown agents, files that do not load, models without a provider. Child flows
// are pinned with the flow [F23], and the handlers of code steps as they run, types stripped [F24].

import { defined } from "../../../core/defined.ts"
import { hasErrors } from "../../../core/diagnostic.ts"
import type { Agent } from "../../../core/flow/agent.ts"
import { codeIdOf, codePathOf } from "../../../core/flow/code-file.ts"
import { untilOf, type Flow } from "../../../core/flow/flow.ts"
import { lazy } from "../../../core/lazy.ts"
import type { Result } from "../../../core/result.ts"
import { err, ok } from "../../../core/result.ts"
import { callersOf } from "../../../core/run/own/caller.ts"
import { remembers } from "../../../core/run/protocol/conversation.ts"
import type { Pins } from "../../../core/run/event-parts.ts"
import type { FlowPlace, PinResult } from "../../../ports/tenant/catalog.ts"
import type { CatalogEntry } from "../catalog-entry.ts"
import { SKILL_INDEX, SKILL_MANIFEST } from "../catalog-entry.ts"
import { placeOf } from "../catalog-place.ts"
import type { CatalogView } from "../catalog-view.ts"
import type { Loaded } from "../check/checked-bodies.ts"
import type { ModelSettings } from "./model-choice.ts"
import { REHEARSAL_MODEL, resolveModel, resolveModels, isRehearsal } from "./model-choice.ts"
import type { Use } from "./pin-flow.ts"
import { pinBatches } from "./pin-batches.ts"
import { childrenOf, modelKeyOf, oneAgent, oneFlow, usesOf } from "./pin-flow.ts"
import type { Refused } from "./pin-refusal.ts"
import { notLoading, unknownAgent } from "./pin-refusal.ts"
import { toolsFor, type Registered } from "../registered-tools.ts"
import { subagentFlow } from "./subagent-flow.ts"
import { needsOf } from "./startable.ts"

const judging = lazy(() => import("../score/pin-scorers.ts"))

/** The context's view must already be of the revision or the draft that a flow is named with. */
export type PinTarget = FlowPlace | { readonly agent: string }

export interface PinContext {
  readonly view: CatalogView
  readonly revision: number
  readonly settings: ModelSettings
  readonly rehearse: boolean
  readonly autonomous?: boolean
  /** The tenant's own tools; their bodies are in the blobs. */
  readonly registered?: readonly Registered[]
  /** Makes sure that a text is in the tenant's blobs and returns its hash; pass `hash` if known. */
  readonly keep: (text: string, hash?: string) => Promise<string>
}

export async function pin(context: PinContext, target: PinTarget): Promise<PinResult> {
  const { view } = context
  const found = "flow" in target ? await oneFlow(view, target.flow) : await oneAgent(view, target.agent)
  if (!found.ok) return found.error
  const { flow, entry } = found.value
  const autonomous = context.autonomous ?? flow.autonomous
  const children = await childrenOf(view, flow)
  if (!children.ok) return children.error
  const uses = [
    ...usesOf(flow, autonomous),
    ...children.value.flatMap((child) => usesOf(child.flow, autonomous || child.flow.autonomous, child.flow.id)),
  ]

  const agents = new Map<string, Loaded<Agent> & { readonly value: Agent }>()
  const called = new Set<string>()
  for (const { step, agent: name } of uses) {
    const agent = await view.agent(name)
    if (!agent) return unknownAgent(view, name, step, [])
    if (!agent.value || hasErrors(agent.diagnostics)) return notLoading(`the agent "${name}"`, agent, step)
    agents.set(name, { ...agent, value: agent.value })
    // [T42] Agents it may call, directly or through others, are pinned at this run's start as well.
    for (const route of agent.value.routes ?? []) if (!called.has(route)) uses.push({ step, agent: route })
    for (const route of agent.value.routes ?? []) called.add(route)
  }

  const models = pinModels(context, uses, agents)
  if (!models.ok) return models.error
  const rehearsed = Object.values(models.value.models).some(isRehearsal)
  const all = [flow, ...children.value.map((child) => child.flow)]
  const batches = pinBatches(all, uses, models.value, context.settings)
  if (!batches.ok) return batches.error

  const scorers = all.some(({ steps }) => steps.some((step) => untilOf(step)))
    ? await (await judging()).pinScorers(context, all)
    : ok(undefined)
  if (!scorers.ok) return scorers.error

  const skills = await pinSkills(view, uses, agents)
  if (!skills.ok) return skills.error

  const rehearsals = new Map<string, CatalogEntry>()
  for (const one of rehearsed ? [found.value, ...children.value] : []) {
    const rehearsal = one.entry && (await view.rehearsal(one.entry))
    if (rehearsal && hasErrors(rehearsal.diagnostics)) return notLoading("the flow's rehearsal file", rehearsal)
    if (rehearsal) rehearsals.set(one.flow.id, rehearsal.entry)
  }
  const own = rehearsals.get(flow.id)

  const code = await pinCode(context, all)
  if (!code.ok) return code.error

  // [F26] Steps that call tools themselves are callers like agents.
  const callers = all.flatMap((one) => Object.values(callersOf(one)))
  const callable = [...[...agents.values()].map((agent) => agent.value), ...callers]
  const tools = toolsFor(callable, context.registered ?? [])

  const used = [
    entry,
    ...children.value.map((child) => child.entry),
    ...rehearsals.values(),
    ...[...agents.values()].map((a) => a.entry),
    ...[...skills.value.values()].flatMap((files) => [...files.values()]),
  ]
  for (const shipped of used) {
    const text = shipped?.tier === "built-in" ? await view.text(shipped) : undefined
    if (shipped && text !== undefined) await context.keep(text, shipped.hash)
  }
  const pins: Pins = {
    revision: context.revision,
    flow: { id: flow.id, hash: entry?.hash ?? (await context.keep(found.value.text)) },
    agents: Object.fromEntries([...agents].map(([name, agent]) => [name, agent.entry.hash])),
    skills: Object.fromEntries(
      [...skills.value].map(([name, files]) => [name, Object.fromEntries([...files].map(([file, e]) => [file, e.hash]))]),
    ),
    ...defined({ rehearsal: own?.hash }),
    ...models.value,
    ...(children.value.length > 0
      ? {
          flows: Object.fromEntries(children.value.map((child) => [child.flow.id, child.entry.hash])),
          rehearsals: Object.fromEntries([...rehearsals].flatMap(([id, e]) => (id === flow.id ? [] : [[id, e.hash]]))),
        }
      : {}),
    ...budgetsOf(children.value.map((child) => child.flow)),
    ...(Object.keys(code.value).length > 0 ? { code: code.value } : {}),
    ...(tools.length > 0 ? { tools: Object.fromEntries(tools.map(({ name, hash }) => [name, hash])) } : {}),
    ...batches.value,
    ...defined({ scorers: scorers.value }),
  }
  if (called.size > 0) pins.flows = { ...pins.flows, ...(await calledFlows(context, called, agents)) }
  const { task_prompt, trusted } = flow
  return {
    ok: true,
    pins,
    flow: {
      id: flow.id,
      autonomous: flow.autonomous,
      ...needsOf(flow),
      ...defined({ task_prompt, trusted, config: flow.start && flow.config }),
      ...(remembers(flow) ? { remembers: true as const } : {}),
    },
    rehearsed,
    money: {
      prices: {},
      ...defined({ budget: flow.budget }),
      dollars: all.some((f) => limitsDollars(f)),
    },
  }
}

/** Each agent as the one-agent flow that a call runs. */
async function calledFlows(
  { keep }: PinContext,
  names: Iterable<string>,
  agents: ReadonlyMap<string, { readonly value: Agent }>,
): Promise<Record<string, string>> {
  const flows: Record<string, string> = {}
  for (const name of names) {
    const agent = agents.get(name)?.value
    if (!agent) continue
    const { flow, text } = subagentFlow(agent)
    flows[flow.id] = await keep(text)
  }
  return flows
}

/** [B5] The budgets of child flows: a parent carves them from its own before the child starts. */
function budgetsOf(flows: readonly Flow[]): Pick<Pins, "budgets"> {
  const budgets = flows.flatMap(({ id, budget }) => (budget === undefined ? [] : [[id, budget] as const]))
  return budgets.length > 0 ? { budgets: Object.fromEntries(budgets) } : {}
}

/** [B3] */
const limitsDollars = ({ budget, steps }: Flow): boolean => [budget, ...steps.map((s) => s.budget)].some((b) => b?.usd !== undefined)

function pinModels(
  { settings, rehearse }: PinContext,
  uses: readonly Use[],
  agents: ReadonlyMap<string, Loaded<Agent>>,
): Result<Pick<Pins, "models" | "fallbacks">, Refused> {
  const models: Record<string, string> = {}
  const fallbacks: Record<string, string[]> = {}
  for (const use of uses) {
    const { step, agent: name, model } = use
    const key = modelKeyOf(use)
    const agent = agents.get(name)?.value
    const choice = rehearse ? ok({ first: REHEARSAL_MODEL, others: [] }) : resolveModels(model ?? agent?.model, agent?.thinking, settings)
    if (!choice.ok)
      return err({ ok: false, code: "no_model", message: `step "${step}", agent "${name}": ${choice.error}`, step, diagnostics: [] })
    models[key] = choice.value.first
    if (choice.value.others.length > 0) fallbacks[key] = [...choice.value.others]
  }
  // [J23] The model that compacts a conversation that outgrows its model; without the role, the session's own model does.
  const compact = Object.hasOwn(settings.roles, "compact") && !rehearse ? resolveModel("@compact", undefined, settings) : undefined
  if (compact?.ok) models["@compact"] = compact.value
  return ok({ models, ...(Object.keys(fallbacks).length > 0 ? { fallbacks } : {}) })
}

type PinnedSkills = ReadonlyMap<string, ReadonlyMap<string, CatalogEntry>>

/** SKILL.md and every readable file [F60]; listed files that are not stored are left out. */
async function pinSkills(
  view: CatalogView,
  uses: readonly Use[],
  agents: ReadonlyMap<string, Loaded<Agent>>,
): Promise<Result<PinnedSkills, Refused>> {
  const skills = new Map<string, ReadonlyMap<string, CatalogEntry>>()
  for (const { step, agent } of uses) {
    for (const name of agents.get(agent)?.value?.skills ?? []) {
      if (skills.has(name)) continue
      const skill = await view.skill(name)
      const stored = view.skillFiles(name)?.files
      if (!skill?.value || !stored || hasErrors(skill.diagnostics)) {
        return err(notLoading(`the skill "${name}" of the agent "${agent}"`, skill ?? { diagnostics: [] }, step))
      }
      const listed = skill.value.files
      skills.set(
        name,
        new Map([...stored].filter(([file]) => file === SKILL_INDEX || file === SKILL_MANIFEST || !listed || listed.includes(file))),
      )
    }
  }
  return ok(skills)
}

/** [F24] A missing handler is a soft failure of its step; a handler that does not load refuses the start. */
async function pinCode({ view, keep }: PinContext, flows: readonly Flow[]): Promise<Result<Record<string, string>, Refused>> {
  const code: Record<string, string> = {}
  for (const flow of flows) {
    for (const step of flow.steps) {
      if (step.type !== "code" && step.type !== "code-decision") continue
      const place = step.target === undefined ? undefined : placeOf("code", step.target)
      const entry = view.entry("code", place?.ok ? place.value.id : codeIdOf(flow.id, step.id))
      if (!entry || place?.ok === false) continue
      const handler = await view.handler(entry)
      if (!handler.value) return err(notLoading(`the handler ${entry.path}`, handler, step.id))
      code[codePathOf(flow.id, step.id, "js")] = await keep(handler.value.code)
    }
  }
  return ok(code)
}
