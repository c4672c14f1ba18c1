// Views one state of a tenant's catalog, local > package > built-in [F70], read lazily. A view never changes: the current catalog, the
// result of a possible write and a past revision are separate views. Each file is loaded separately, so a file that no longer loads shows
// its own diagnostics and breaks nothing else [F74].

import type { Diagnostic } from "../../core/diagnostic.ts"
import { bounded } from "../../core/diagnostic.ts"
import type { Agent } from "../../core/flow/agent.ts"
import { CATALOG_KINDS, isConfig, type DefinitionKind } from "../../core/flow/catalog-kinds.ts"
import type { ToolTraits } from "../../core/flow/check/check-trifecta.ts"
import { agentNameOf, choiceOf, type Flow } from "../../core/flow/flow.ts"
import { UNREGISTERED } from "../../core/flow/parse/tool-wish.ts"
import type { KnownNames } from "../../core/tool/policy/policy-names.ts"
import type { Finisher } from "../../core/case/finish-faults.ts"
import { knownOutputs, type KnownOutputs } from "../../core/case/known-outputs.ts"
import type { TestFile } from "../../core/case/test-case.ts"
import type { Rehearsal } from "../../core/case/rehearsal.ts"
import { defined } from "../../core/defined.ts"
import { isBare } from "../../core/score/judge-agent.ts"
import { MAX_SCORERS } from "../../core/score/scorer-fields.ts"
import { builtInScorer } from "../../core/score/built-in.ts"
import type { Scorer } from "../../core/flow/scorer.ts"
import type { Skill } from "../../core/flow/skill.ts"
import { nearest } from "../../core/text/nearest.ts"
import { silence, strayAllowances } from "../../core/silence.ts"
import { sendsOut } from "../../core/tool/reach.ts"
import { atOnce } from "../at-once.ts"
import type { Bodies } from "./catalog-bodies.ts"
import { CatalogEntries } from "./catalog-entries.ts"
import { noFlow, tooManyScorers } from "./catalog-diagnostics.ts"
import type { Body, CatalogEntry } from "./catalog-entry.ts"
import { SKILL_MANIFEST, splitSkillId } from "./catalog-entry.ts"
import { flowOf, isIndex } from "./catalog-layers.ts"
import { CheckedBodies, type Loaded } from "./check/checked-bodies.ts"
import { checkAgent, checkFlow, checkManifest, checkRehearsal, checkSkill, checkTests } from "./check/language.ts"
import type { Checked, Handler } from "./check/language.ts"
import { CatalogFaces } from "./check/catalog-faces.ts"
import { skillFileFaults } from "./check/skill-file-faults.ts"
import type { ConfigValue } from "./config/config-kinds.ts"
import { checkConfig } from "./config/config-value.ts"
import { ConfigFit } from "./config/config-fit.ts"
import type { Surroundings } from "./config/surroundings.ts"
import type { Registered } from "./registered-tools.ts"
import type { ModelSettings } from "./pin/model-choice.ts"
import { sha256 } from "../sha256.ts"
import { lazy } from "../../core/lazy.ts"

const handlerFile = lazy(() => import("./check/handler-file.ts"))
const scorerFile = lazy(() => import("./check/scorer-file.ts"))
const scaffold = lazy(() => import("../code/code-scaffold.ts"))

/** What is there besides the files. */
interface World extends Surroundings {
  /** The names an agent may list (AV-TOOL). */
  readonly tools: readonly string[]
  /** Their traits [G11]. */
  readonly traits?: readonly ToolTraits[]
  /** Names of built-in tools, present or not. */
  readonly builtInTools?: readonly string[]
  readonly registered?: readonly Registered[]
  /** Files of tools that have errors of their own: what they make is unknown. */
  readonly unmade?: readonly string[]
}

/** What a file beside a flow is checked against. */
interface Beside {
  readonly steps?: readonly string[]
  readonly outputs?: KnownOutputs
  /** Part of the key of a check's result. */
  readonly context: string
  readonly by: Finisher
}

export class CatalogView extends CatalogEntries {
  #scorerCount: number | undefined
  readonly #bodies: CheckedBodies
  readonly #tools: ReadonlySet<string>
  readonly #fit: ConfigFit
  readonly #around: Surroundings & Pick<World, "builtInTools">
  readonly #unmade: readonly string[]
  /** The tenant's own tools, as this state of the catalog has them. */
  readonly registered: readonly Registered[]
  readonly #traits: readonly ToolTraits[]
  readonly #toolsByName: ReadonlyMap<string, ToolTraits>
  #known: { readonly from: object; readonly agents: ReadonlyMap<string, Agent> } | undefined
  #agents: Promise<ReadonlyMap<string, Loaded<Agent>>> | undefined
  // Hash of the other inputs of a check: the names of tools and skills for an agent, the agents for a flow.
  #agentContext: Promise<string> | undefined
  #flowContext: Promise<string> | undefined
  /** All flows as a parent flow sees them. */
  readonly faces: CatalogFaces
  readonly #checkedFlows = new Map<string, Promise<Loaded<Flow> | undefined>>()
  readonly #loaders: Readonly<Record<DefinitionKind, (entry: CatalogEntry) => Promise<Checked<unknown> | undefined>>> = {
    flow: ({ id }) => this.flow(id),
    agent: ({ id }) => this.agent(id),
    skill: (entry) => this.#skillFile(entry),
    rehearsal: (entry) => this.#loadRehearsal(entry),
    test: (entry) => this.#loadTests(entry),
    code: (entry) => this.handler(entry),
    scorer: (entry) => this.#loadScorer(entry),
    "scorer-code": (entry) => this.handler(entry),
  }

  /** `layers`: strongest first. */
  constructor(layers: readonly (readonly CatalogEntry[])[], bodies: Bodies, { tools, traits = [], unmade = [], ...given }: World) {
    super(layers)
    const { models } = given
    const around = { ...given, ...(models === undefined ? {} : { models: () => this.#modelsWith(models()) }) }
    this.#fit = new ConfigFit({
      around: {
        ...around,
        builtInTools: around.builtInTools ?? [],
        entries: this.entries,
        names: () => this.names(),
        flow: (id) => this.flow(id),
        scorers: () => this.scorers(),
        agent: (name) => this.agent(name),
        tool: (name) => this.#toolsByName.get(name),
      },
      config: (entry) => this.#config(entry),
      text: (entry) => this.text(entry),
    })
    this.#around = around
    this.#unmade = unmade
    this.registered = around.registered ?? []
    this.#bodies = new CheckedBodies(bodies)
    this.faces = new CatalogFaces(this.#bodies, this.entries)
    this.#traits = traits
    this.#toolsByName = new Map(traits.map((tool) => [tool.name, tool]))
    this.#tools = new Set(tools)
  }

  /** Providers that files make are there once the files are written. */
  #modelsWith(models: ModelSettings): ModelSettings {
    const made = this.entries.flatMap((entry) => (entry.kind === "provider" ? [entry.id] : []))
    return made.length === 0 ? models : { ...models, providers: [...new Set([...models.providers, ...made])].toSorted() }
  }

  /** [T30b] What the rules of a policy or a gate may name. */
  names(): KnownNames {
    const ids = (kind: CatalogEntry["kind"]): ReadonlySet<string> =>
      new Set(this.entries.flatMap((entry) => (entry.kind === kind ? [entry.id] : [])))
    const providers = this.#around.models?.().providers
    return {
      tools: new Set([...this.#tools, ...(this.#around.builtInTools ?? []), ...UNREGISTERED]),
      agents: ids("agent"),
      flows: ids("flow"),
      unmade: this.#unmade,
      ...defined({ providers }),
    }
  }

  text(body: Body): Promise<string | undefined> {
    return this.#bodies.text(body)
  }

  async skill(name: string): Promise<Loaded<Skill> | undefined> {
    const stored = this.skillFiles(name)
    if (!stored) return undefined
    const skill = await this.#bodies.load(stored.index, "", (text) => checkSkill(text, name))
    const manifest = stored.files.get(SKILL_MANIFEST)
    if (!manifest || !skill.value) return skill
    const { value: permissions, diagnostics } = await this.#bodies.load(manifest, "", checkManifest)
    // [T31] An unreadable manifest must not count as a missing one: without a manifest nothing is restricted.
    if (!permissions) return { entry: skill.entry, diagnostics: [...skill.diagnostics, ...diagnostics] }
    return { ...skill, value: { ...skill.value, permissions } }
  }

  #skillFile(entry: CatalogEntry): Promise<Loaded<unknown>> {
    const { skill, file } = splitSkillId(entry.id)
    return this.#bodies.load(entry, "", (text) =>
      isIndex(entry) ? checkSkill(text, skill) : file === SKILL_MANIFEST ? checkManifest(text) : { value: {}, diagnostics: [] },
    )
  }

  async agent(name: string): Promise<Loaded<Agent> | undefined> {
    const entry = this.entry("agent", name)
    if (!entry) return undefined
    return this.#bodies.load(entry, await this.#toolsAndSkills(), (text) =>
      checkAgent(text, name, this.#tools, this.skillNames, this.#traits, this.#unmade),
    )
  }

  /** Hash of the names that agents and rehearsals are checked against. */
  async #toolsAndSkills(): Promise<string> {
    this.#agentContext ??= sha256(
      JSON.stringify([
        [...this.#tools].sort(),
        [...this.skillNames].sort(),
        this.#traits.map(traitKey),
        // [F26, Q4] The arguments of a tool are what an approval and a tool step are checked against.
        this.registered.map(({ name, hash }) => [name, hash]),
        this.#unmade,
      ]),
    )
    return this.#agentContext
  }

  /** Every agent, broken ones too, by name. */
  async agents(): Promise<ReadonlyMap<string, Loaded<Agent>>> {
    this.#agents ??= this.#loadAgents()
    try {
      return await this.#agents
    } catch (e) {
      // The store failed: the next call tries again.
      this.#agents = undefined
      throw e
    }
  }

  async #loadAgents(): Promise<ReadonlyMap<string, Loaded<Agent>>> {
    const entries = this.entries.filter((e) => e.kind === "agent")
    const loaded = await atOnce(entries, async (e) => [e.id, await this.agent(e.id)] as const)
    return new Map(loaded.flatMap(([name, agent]) => (agent ? [[name, agent]] : [])))
  }

  /** Checked once for a view: each of a flow's handlers asks for it. */
  flow(id: string): Promise<Loaded<Flow> | undefined> {
    const before = this.#checkedFlows.get(id)
    if (before) return before
    const now = this.#loadFlow(id)
    this.#checkedFlows.set(id, now)
    // The store failed: the next call tries again. A missing or damaged body may come back.
    now.then(
      (flow) => flow?.diagnostics.some((d) => d.code === "CAT-CORRUPT") && this.#checkedFlows.delete(id),
      () => this.#checkedFlows.delete(id),
    )
    return now
  }

  async #loadFlow(id: string): Promise<Loaded<Flow> | undefined> {
    const entry = this.entry("flow", id)
    if (!entry) return undefined
    const agents = await this.agents()
    this.#flowContext ??= sha256(
      JSON.stringify([await this.#agentContext, [...agents.values()].map((a) => [a.entry.id, a.entry.hash, a.value !== undefined])]),
    )
    const steps = this.handled(id)
    const flows = (await this.faces.runsOthers(entry)) ? await this.faces.all() : undefined
    const scorers = (await this.faces.of(entry)).value?.judged ? await this.#judging() : undefined
    const context = [await this.#flowContext, steps.join(" "), flows?.context ?? "", scorers?.context ?? ""].join(" ")
    const broken = {
      agents: new Set([...agents].flatMap(([name, { value }]) => (value ? [] : [name]))),
      ...defined({ flows: flows?.broken }),
      toolFiles: this.#unmade,
    }
    const tools = this.#traits.length === 0 ? undefined : this.#toolsByName
    const world = {
      agents: this.#usable(agents),
      broken,
      code: new Set(steps),
      ...defined({ flows: flows?.faces, tools, scorers: scorers?.find }),
    }
    return this.#bodies.load(entry, context, (text) => checkFlow(text, id, world))
  }

  /** The agents that load, for checking flows. Built once, not once per flow. */
  #usable(agents: ReadonlyMap<string, Loaded<Agent>>): ReadonlyMap<string, Agent> {
    if (this.#known?.from !== agents)
      this.#known = { from: agents, agents: new Map([...agents].flatMap(([name, agent]) => (agent.value ? [[name, agent.value]] : []))) }
    return this.#known.agents
  }

  async rehearsal(flow: CatalogEntry): Promise<Loaded<Rehearsal> | undefined> {
    const entry = this.rehearsalEntry(flow)
    return entry && this.#loadRehearsal(entry)
  }

  /** A turn for a step that the flow lacks, and a call of a tool that does not exist, are warnings: so these names are part of the cache key. */
  async #loadRehearsal(entry: CatalogEntry): Promise<Loaded<Rehearsal>> {
    const { steps, context, by } = await this.#beside(entry)
    return this.#bodies.load(entry, context, (text) => checkRehearsal(text, steps, this.#tools, by))
  }

  /** What a rehearsal and tests are checked against: the flow's steps, and the agents that finish them. */
  async #beside({ id }: CatalogEntry): Promise<Beside> {
    const flow = (await this.flow(id))?.value
    const agents = await this.agents()
    const by: Finisher = (name) => {
      const step = flow?.steps.find((one) => one.id === name)
      const agent = step && agents.get(agentNameOf(step) ?? "")?.value
      return step && agent && { step, agent }
    }
    const steps = flow?.steps.map((step) => step.id)
    const finishes = steps?.map((name): readonly unknown[] => {
      const one = by(name)
      return [name, one?.agent.outputs, one?.agent.finalizer, one && choiceOf(one.step)]
    })
    const outputs = flow && knownOutputs(flow, (name) => agents.get(name)?.value)
    const said = steps?.map((name): readonly unknown[] => [outputs?.step(name), outputs?.branches(name)])
    const context = [await this.#toolsAndSkills(), finishes ? JSON.stringify([finishes, outputs?.flow, said]) : ""].join(" ")
    return { ...defined({ steps, outputs }), context, by }
  }

  async tests(flow: CatalogEntry): Promise<Loaded<TestFile> | undefined> {
    const entry = this.testEntry(flow)
    return entry && this.#loadTests(entry)
  }

  /** Steps that the flow lacks and tools that do not exist are warnings, as in a rehearsal. */
  async #loadTests(entry: CatalogEntry): Promise<Loaded<TestFile>> {
    const { context, by, ...known } = await this.#beside(entry)
    const judging = await this.#judging()
    const against = { ...known, tools: this.#tools, finisher: by, scorers: judging.find }
    return this.#bodies.load(entry, `${context} ${judging.context}`, (text) => checkTests(text, against))
  }

  /** [V1] The scorer of a file. */
  async scorer(name: string): Promise<Loaded<Scorer> | undefined> {
    const entry = this.entry("scorer", name)
    return entry && this.#loadScorer(entry)
  }

  /** [V1, V8] Every scorer that loads, also those that are built in, by name. */
  async scorers(): Promise<(name: string) => Scorer | undefined> {
    const files = this.entries.filter((entry) => entry.kind === "scorer")
    const loaded = await atOnce(files, async (entry) => [entry.id, (await this.#loadScorer(entry)).value] as const)
    const byName = new Map(loaded)
    return (name) => (byName.has(name) ? byName.get(name) : builtInScorer(name))
  }

  /** [V26] The scorers as a flow's check reads them. `context`: part of the key of its result. */
  async #judging(): Promise<{ readonly find: (name: string) => Scorer | undefined; readonly context: string }> {
    const find = await this.scorers()
    const names = this.entries.flatMap((entry) => (entry.kind === "scorer" ? [entry.id] : []))
    return { find, context: await sha256(JSON.stringify(names.map((name) => [name, find(name)]))) }
  }

  /** A judge's agent has neither tools nor skills, so each agent is part of the cache key. */
  async #loadScorer(entry: CatalogEntry): Promise<Loaded<Scorer>> {
    const hasHandler = this.entry("scorer-code", entry.id) !== undefined
    const agents = new Map([...(await this.agents())].flatMap(([name, { value }]) => (value ? [[name, isBare(value)] as const] : [])))
    const context = await sha256(JSON.stringify([hasHandler, [...agents]]))
    const { checkScorer } = await scorerFile()
    return this.#bodies.load(entry, context, (text) => checkScorer(text, { file: entry.id, agents, hasHandler }))
  }

  /** The handler of a code step, or of a scorer [V5], types stripped [F24]. */
  async handler(entry: CatalogEntry): Promise<Loaded<Handler>> {
    const { checkHandlerFile } = await handlerFile()
    return this.#bodies.load(entry, "", (text) => checkHandlerFile(text, entry.path))
  }

  /** All diagnostics of one file: of its text and of its place in the catalog. */
  async check(
    entry: CatalogEntry,
  ): Promise<{ readonly diagnostics: readonly Diagnostic[]; readonly description?: string; readonly steps?: number }> {
    const loaded = await this.#loadAny(entry)
    const more =
      entry.kind === "skill"
        ? await skillFileFaults(this, entry)
        : entry.kind === "code"
          ? await this.#drift(entry)
          : isConfig(entry.kind)
            ? await this.#fit.faults(entry)
            : this.#withoutFlow(entry)
    const description = describe(loaded.value)
    const steps = entry.kind === "flow" ? (await this.flow(entry.id))?.value?.steps.length : undefined
    const { allowances = [] } = loaded
    const said = silence([...this.standing(entry), ...this.#tooMany(entry), ...loaded.diagnostics, ...more], allowances)
    const all = [...said, ...strayAllowances(said, allowances)]
    return {
      diagnostics: bounded(all, `${CATALOG_KINDS[entry.kind].codes}-MORE` as const),
      ...defined({ description, steps }),
    }
  }

  /** [V1] */
  #tooMany({ kind }: CatalogEntry): readonly Diagnostic[] {
    if (kind !== "scorer") return []
    this.#scorerCount ??= this.entries.filter((one) => one.kind === "scorer").length
    return this.#scorerCount > MAX_SCORERS ? [tooManyScorers(this.#scorerCount)] : []
  }

  /** Tests and a rehearsal of a flow that does not exist are never used. */
  #withoutFlow({ kind, id }: CatalogEntry): readonly Diagnostic[] {
    if ((kind !== "test" && kind !== "rehearsal") || this.entry("flow", id)) return []
    const near = nearest(
      id,
      this.entries.flatMap((e) => (e.kind === "flow" ? [e.id] : [])),
    )
    return [noFlow(kind, id, near)]
  }

  #config(entry: CatalogEntry): Promise<Loaded<ConfigValue>> {
    return this.#bodies.load(entry, "", (text) => (isConfig(entry.kind) ? checkConfig(entry.kind, entry.id, text) : { diagnostics: [] }))
  }

  /** Where a handler and its step no longer agree [F24]. */
  async #drift(entry: CatalogEntry): Promise<readonly Diagnostic[]> {
    const id = flowOf(entry) ?? ""
    const flow = await this.flow(id)
    const step = flow?.value?.steps.find((s) => s.id === entry.id.slice(id.length + 1))
    if (!flow || (step?.type !== "code" && step?.type !== "code-decision")) return []
    const { driftOf } = await scaffold()
    const { value } = await this.#bodies.load(entry, `drift ${flow.entry.hash}`, (text) => ({
      value: driftOf(text, step),
      diagnostics: [],
    }))
    return value ?? []
  }

  async #loadAny(entry: CatalogEntry): Promise<Checked<unknown>> {
    return isConfig(entry.kind) ? this.#config(entry) : ((await this.#loaders[entry.kind](entry)) ?? nothing)
  }
}

/** Everything the lint reads. */
const traitKey = (t: ToolTraits): unknown[] => [
  t.name,
  t.untrusted ?? 0,
  t.private ?? 0,
  sendsOut(t) ? 1 : 0,
  t.approval ?? 0,
  t.paths ?? 0,
  t.absent ?? 0,
]

const nothing: Checked<unknown> = { diagnostics: [] }
function describe(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("description" in value)) return undefined
  return typeof value.description === "string" && value.description !== "" ? value.description : undefined
}
