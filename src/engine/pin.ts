// pin: what a run is started with, by hash [F72], and which models its agents get [F52]; or why it cannot start. All that can be
// known to be wrong is said here, before the run exists [F30]: unknown agents, files that do not load, models nobody provides.

import type { Diagnostic } from "../core/diagnostic.ts"
import { hasErrors } from "../core/diagnostic.ts"
import type { Agent } from "../core/flow/agent.ts"
import { DECIDER } from "../core/flow/check-scope.ts"
import type { Flow, Step } from "../core/flow/flow.ts"
import type { Result } from "../core/result.ts"
import { err, ok } from "../core/result.ts"
import type { Pins } from "../core/run/event.ts"
import type { PinResult } from "../ports/catalog.ts"
import type { Entry } from "./catalog-entry.ts"
import { SKILL_INDEX } from "./catalog-entry.ts"
import type { CatalogView, Loaded } from "./catalog-view.ts"
import { readFlow } from "./language.ts"
import type { ModelSettings } from "./model-choice.ts"
import { REHEARSAL_MODEL, resolveModel, isRehearsal } from "./model-choice.ts"
import { subagentFlow } from "./subagent-flow.ts"

export type PinTarget = { readonly flow: string } | { readonly agent: string }

export interface PinContext {
  readonly view: CatalogView
  readonly revision: number
  readonly settings: ModelSettings
  readonly rehearse: boolean
  readonly autonomous?: boolean
  /** Makes sure that a text is among the tenant's blobs, and answers its hash (`hash`, where it is known). */
  readonly keep: (text: string, hash?: string) => Promise<string>
}

type NotFound = Extract<PinResult, { code: "not_found" }>
type Refused = Extract<PinResult, { code: "invalid_flow" | "unknown_agent" | "no_model" | "unsupported" }>

export async function pin(context: PinContext, target: PinTarget): Promise<PinResult> {
  const { view } = context
  const found = "flow" in target ? await oneFlow(view, target.flow) : await oneAgent(view, target.agent)
  if (!found.ok) return found.error
  const { flow, entry } = found.value
  const uses = usesOf(flow, context.autonomous ?? flow.autonomous)

  const agents = new Map<string, Loaded<Agent> & { readonly value: Agent }>()
  for (const { step, agent: name } of uses) {
    const agent = await view.agent(name)
    if (!agent) return unknownAgent(view, name, step, [])
    if (!agent.value || hasErrors(agent.diagnostics)) return notLoading(`the agent "${name}"`, agent, step)
    agents.set(name, { ...agent, value: agent.value })
  }

  const models = pinModels(context, uses, agents)
  if (!models.ok) return models.error
  const rehearsed = Object.values(models.value).some(isRehearsal)

  const skills = await pinSkills(view, uses, agents)
  if (!skills.ok) return skills.error

  const rehearsal = rehearsed && entry ? await view.rehearsal(entry) : undefined
  if (rehearsal && hasErrors(rehearsal.diagnostics)) return notLoading("the flow's rehearsal file", rehearsal)

  for (const shipped of shippedOf(entry, rehearsal?.entry, agents, skills.value)) {
    const text = await view.text(shipped)
    if (text !== undefined) await context.keep(text, shipped.hash)
  }
  const pins: Pins = {
    revision: context.revision,
    flow: { id: flow.id, hash: entry?.hash ?? (await context.keep(found.value.text)) },
    agents: Object.fromEntries([...agents].map(([name, agent]) => [name, agent.entry.hash])),
    skills: Object.fromEntries(
      [...skills.value].map(([name, files]) => [name, Object.fromEntries([...files].map(([file, e]) => [file, e.hash]))]),
    ),
    ...(rehearsal ? { rehearsal: rehearsal.entry.hash } : {}),
    models: models.value,
  }
  const { id, autonomous, task_required, task_prompt } = flow
  const inputs = Object.fromEntries(Object.entries(flow.inputs).map(([name, spec]) => [name, { ...spec }]))
  return {
    ok: true,
    pins,
    flow: { id, autonomous, task_required, ...(task_prompt === undefined ? {} : { task_prompt }), inputs },
    rehearsed,
  }
}

/** `entry` is absent for the one-agent flow, which stands in no catalog. */
interface Found {
  readonly flow: Flow
  readonly entry?: Entry
  readonly text: string
}

async function oneFlow(view: CatalogView, id: string): Promise<Result<Found, Refused | NotFound>> {
  const loaded = await view.flow(id)
  if (!loaded) return err({ ok: false, code: "not_found" })
  const { value: flow, entry, diagnostics } = loaded
  const errors = diagnostics.filter((d) => d.severity === "error")
  if (flow && errors.length === 0) return ok({ flow, entry, text: "" })
  if (errors.every((d) => NAMES_NOBODY.test(d.code))) {
    // The plainest word for what is wrong: which step, which agent.
    const draft = readFlow((await view.text(entry)) ?? "", id).value
    for (const { step, agent } of draft ? usesOf(draft, true) : []) {
      const found = await view.agent(agent)
      if (!found) return err(unknownAgent(view, agent, step, diagnostics))
      if (!found.value) return err(notLoading(`the agent "${agent}"`, found, step))
    }
  }
  return err(notLoading(`the flow "${id}"`, loaded))
}

const NAMES_NOBODY = /^FV-(AGENT(-.*)?|FORK-AGENT)$/

async function oneAgent(view: CatalogView, name: string): Promise<Result<Found, Refused>> {
  const agent = await view.agent(name)
  if (!agent) return err(unknownAgent(view, name, undefined, []))
  if (!agent.value || hasErrors(agent.diagnostics)) return err(notLoading(`the agent "${name}"`, agent))
  return ok(subagentFlow(agent.value))
}

interface Use {
  readonly step: string
  readonly agent: string
  /** The step's own `model:`. */
  readonly model?: string
}

function usesOf(flow: Flow, autonomous: boolean): readonly Use[] {
  return flow.steps.flatMap((step: Step) => {
    if (step.type === "conditional" || (step.type === "fork" && step.agent === undefined && !autonomous)) return []
    // [F21] Who decides a fork that names nobody, when the run is autonomous.
    const agent = step.type === "fork" ? (step.agent ?? DECIDER) : step.agent
    return [{ step: step.id, agent, ...(step.model === undefined ? {} : { model: step.model }) }]
  })
}

function pinModels(
  { settings, rehearse }: PinContext,
  uses: readonly Use[],
  agents: ReadonlyMap<string, Loaded<Agent>>,
): Result<Record<string, string>, Refused> {
  const models: Record<string, string> = {}
  for (const { step, agent: name, model } of uses) {
    const key = model === undefined ? name : `${name}@${step}`
    if (Object.hasOwn(models, key)) continue
    const agent = agents.get(name)?.value
    const choice = rehearse ? ok(REHEARSAL_MODEL) : resolveModel(model ?? agent?.model, agent?.thinking, settings)
    if (!choice.ok)
      return err({ ok: false, code: "no_model", message: `step "${step}", agent "${name}": ${choice.error}`, step, diagnostics: [] })
    models[key] = choice.value
  }
  return ok(models)
}

type PinnedSkills = ReadonlyMap<string, ReadonlyMap<string, Entry>>

/** SKILL.md and every file that may be read [F60]; a listed file that is not stored is simply not there. */
async function pinSkills(
  view: CatalogView,
  uses: readonly Use[],
  agents: ReadonlyMap<string, Loaded<Agent>>,
): Promise<Result<PinnedSkills, Refused>> {
  const skills = new Map<string, ReadonlyMap<string, Entry>>()
  for (const { step, agent } of uses) {
    for (const name of agents.get(agent)?.value?.skills ?? []) {
      if (skills.has(name)) continue
      const skill = await view.skill(name)
      const stored = view.skillFiles(name)?.files
      if (!skill?.value || !stored || hasErrors(skill.diagnostics)) {
        return err(notLoading(`the skill "${name}" of the agent "${agent}"`, skill ?? { diagnostics: [] }, step))
      }
      const listed = skill.value.files
      skills.set(name, new Map([...stored].filter(([file]) => file === SKILL_INDEX || !listed || listed.includes(file))))
    }
  }
  return ok(skills)
}

function shippedOf(
  flow: Entry | undefined,
  rehearsal: Entry | undefined,
  agents: ReadonlyMap<string, Loaded<Agent>>,
  skills: PinnedSkills,
): readonly Entry[] {
  const all = [
    flow,
    rehearsal,
    ...[...agents.values()].map((a) => a.entry),
    ...[...skills.values()].flatMap((files) => [...files.values()]),
  ]
  return all.flatMap((entry) => (entry?.tier === "built-in" ? [entry] : []))
}

function unknownAgent(view: CatalogView, name: string, step: string | undefined, diagnostics: readonly Diagnostic[]): Refused {
  const names = view.entries.flatMap((e) => (e.kind === "agent" ? [e.id] : []))
  const known = names.length > 0 && names.length <= 12 ? ` (agents: ${names.join(", ")})` : ""
  const where = step === undefined ? "" : `step "${step}": `
  return {
    ok: false,
    code: "unknown_agent",
    message: `${where}there is no agent "${name}"${known}`,
    ...(step === undefined ? {} : { step }),
    diagnostics,
  }
}

function notLoading(what: string, loaded: { readonly diagnostics: readonly Diagnostic[] }, step?: string): Refused {
  const first = loaded.diagnostics.find((d) => d.severity === "error")
  const where = step === undefined ? "" : `step "${step}": `
  const why = first ? `line ${first.line}: ${first.message}` : "it is not there"
  return {
    ok: false,
    code: "invalid_flow",
    message: `${where}${what} does not load: ${why}`,
    ...(step === undefined ? {} : { step }),
    diagnostics: loaded.diagnostics,
  }
}
