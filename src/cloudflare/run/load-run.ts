// Loads a run's definitions and what its effects need: the tenant's blobs and catalog, models, tools and the sandbox. Once per
// wake-up of the object.

import { defined } from "../../core/defined.ts"
import type { Pins } from "../../core/run/event-parts.ts"
import type { Plan } from "../../core/run/plan.ts"
import { scriptedCalls } from "../../core/case/rehearsal.ts"
import { loadDefinitions, storedHandler } from "../../engine/catalog/definitions.ts"
import type { EffectDeps } from "../../engine/run/call/effect-deps.ts"
import { shared } from "../../engine/shared-question.ts"
import { storedJournal } from "../../engine/run/conduct/stored-journal.ts"
import { recordedCall } from "../../engine/repair/recorded-call.ts"
import { skillLibrary } from "../../engine/catalog/skill-library.ts"
import { batchedModel } from "../../models/batch/batched-model.ts"
import { lazy } from "../../core/lazy.ts"
import { isRehearsal } from "../../engine/catalog/pin/model-choice.ts"
import { chooseModel } from "../../models/choose.ts"
import type { Model, ModelChunk } from "../../ports/model.ts"
import { repeats } from "../../tools/toolbox.ts"
import { stagingAuthor } from "../authoring/architect.ts"
import { contentBlobs } from "../clients/content-blobs.ts"
import { browserBinding } from "../capabilities/browser-binding.ts"
import { clock } from "../platform/clock.ts"
import { planOf } from "../definitions/plan.ts"
import { toolboxOf } from "../definitions/toolbox.ts"
import { modelDoor } from "../platform/model-door.ts"
import { shellOf } from "../sandbox/containers.ts"
import { largeAnswer, outgoing } from "../outgoing/connections.ts"
import { forgetProvider, recentProvider } from "../clients/cache/provider-cache.ts"
import { catalogPort } from "../authoring/catalog.ts"
import { portOf } from "../platform/port-of.ts"
import { runPort, runRooms } from "../clients/run-port.ts"
import { LocalEffects } from "./local-effects.ts"
import { carriedOut, startChild } from "./family/run-family.ts"
import type { RunResources } from "./run-resources.ts"
import { plansPort } from "../capabilities/plans.ts"
import { loaderSandbox } from "../sandbox/sandbox-loader.ts"
import { r2Objects } from "../blobs/objects-r2.ts"
import { SessionBrowsers } from "../../engine/browser/session-browsers.ts"
import { addressJudge, permitting, wayOf } from "../../engine/net/guarded-fetch.ts"
import { netOf } from "../../engine/net/net.ts"
import { openVault } from "../clients/secrets.ts"
import { publicUrl, tenantPowers } from "../capabilities/tenant-powers.ts"
import { scopedSecrets } from "../../engine/run/call/tool-secrets.ts"
import { askedRules, currentRules } from "../clients/cache/rules-cache.ts"
import { tenantSealing } from "../platform/tenant-sealing.ts"
import { sha256 } from "../platform/sha256.ts"
import { teamOf } from "./team.ts"

/** The run to load. */
export interface RunToLoad {
  readonly tenant: string
  readonly run: string
  readonly pins: Pins
  /** The architect session that the run's authoring tools write to; absent: they write to the catalog. */
  readonly staging?: string | undefined
}

interface Loaded {
  readonly plan: Plan
  readonly localEffects: LocalEffects
  readonly props: EffectDeps
  readonly browsers?: SessionBrowsers
}

/** `save`: stores the run's decisions. Throws if a pinned definition cannot be loaded. */
export async function loadRun(resources: RunResources, loaded: RunToLoad, save: () => void): Promise<Loaded> {
  const { env, live, bytes, later, invocation } = resources
  const { tenant, pins, staging } = loaded
  // [H6] Bodies that the run stores in R2 are counted.
  const content = contentBlobs(env, tenant, { later, invocation, isStored: bytes.has })
  // [F71] The tenant, or the next one of its name, deletes what nobody owns.
  const strays = (hash: string): void =>
    later(
      portOf(env, tenant, "bodies")
        .leave([hash])
        .catch(() => undefined),
    )
  const blobs = bytes.metered(content, strays)
  const definitions = await loadDefinitions(pins, blobs)
  const settings = portOf(env, tenant, "settings")
  const tools = toolboxOf(definitions, shellOf(env, tenant))
  const localEffects = new LocalEffects((name) => recentProvider(tenant, name, clock.now()), tools)
  // Few runs need it at once, and a rehearsal never.
  const pacing = lazy(async () => {
    const { ModelPacing } = await import("../clients/cache/model-pacing.ts")
    return new ModelPacing({ tenant, ask: (name, questions) => settings.paced(name, questions), now: () => clock.now() })
  })
  const provider = localEffects.watched(shared(async (name) => (await pacing()).provider(name)))
  const vault = openVault(env, tenant, clock.now)
  const opened = shared((isFresh: boolean) => vault(isFresh))
  const browsers = env.BROWSER && new SessionBrowsers(browserBinding(env.BROWSER))
  const isFollowed = (): boolean => live.size > 0 || resources.waiters.size > 0
  const props: EffectDeps = {
    journal: storedJournal(resources.journal, save),
    blobs,
    clock,
    tools,
    skills: skillLibrary(definitions.skills, blobs),
    author: staging === undefined ? catalogPort(env, tenant) : stagingAuthor(env, tenant, staging, loaded.run),
    hash: sha256,
    async choose(ref) {
      const paced = isRehearsal(ref) ? undefined : await pacing()
      paced?.expect(ref)
      const chosen = await chooseModel(ref, {
        ...modelDoor(env),
        provider,
        rehearsal: definitions.rehearsal,
        fetch: outgoing,
        batched: batchedModel,
        gate: (own, name, id) => paced?.gate(own, name, id),
      })
      return "error" in chosen ? chosen : { ...chosen, model: forgetting(chosen.model, tenant, ref) }
    },
    isFollowed,
    asking: (ref) => {
      if (!localEffects.hasModel(ref)) save()
    },
    handler: storedHandler(pins, blobs),
    sandbox: loaderSandbox(env.LOADER, tenant),
    scripted: (step, pass) => scriptedCalls(definitions.rehearsal?.steps.get(step) ?? [], pass),
    sessions: portOf(env, tenant, "sessions"),
    cached: portOf(env, tenant, "cachedPasses"),
    sealing: tenantSealing(env, tenant),
    lease: (run, key, amount) => portOf(env, tenant, "dayBudget").lease(run, key, amount),
    startChild: (run, wish, signal, asked) =>
      startChild({ env, tenant, blobs, isFollowed, cancelOrphan: orphaning(resources, tenant), ...defined({ asked }) }, run, wish, signal),
    handOver: (run, call) => runRooms(env, tenant, run).batches.take(call),
    repeats,
    recorded: ({ run, seq }, tool, args) => recordedCall(runPort(env, tenant, run), seq, tool, args),
    ...defined({ recording: recordingsOf(env, tenant) }),
    commitBelow: (effect, signal) => carriedOut({ env, tenant, now: () => clock.now() }, effect, signal),
    rules: shared((seen) => currentRules(tenant, seen, askedRules(env, tenant, clock.now), clock.now)),
    redactor: async () => (await opened(false)).redactor,
    powers: powersOf(resources, tenant, { vault, browsers }),
    delta: (step, turn, text) => live.delta(step, turn, text),
    progress: (step, callId, tool, content) => live.progress(step, callId, tool, content),
  }
  return { plan: planOf(env, tenant, definitions), localEffects, props, ...defined({ browsers }) }
}

/** [V35] Few runs are trials. */
function recordingsOf(env: RunResources["env"], tenant: string): EffectDeps["recording"] {
  const recordings = lazy(async () => {
    const { TrialRecordings } = await import("./trial-recordings.ts")
    return new TrialRecordings((run) => runPort(env, tenant, run))
  })
  return async (run) => (await recordings()).of(run)
}

const orphaning =
  ({ events }: RunResources, tenant: string) =>
  (parent: string, child: string): void =>
    events.orphaned(tenant, parent, child)

interface Lending {
  readonly vault: ReturnType<typeof openVault>
  readonly browsers: SessionBrowsers | undefined
}

/** What a tool may use outside its run [T32]. */
function powersOf(resources: RunResources, tenant: string, { vault, browsers }: Lending): EffectDeps["powers"] {
  const { env, containers } = resources
  const powers = tenantPowers(env, tenant)
  const isPublic = publicUrl(env).publicUrl !== undefined
  return (tool, permits, calling) => {
    const secrets = scopedSecrets(tool, async (fresh) => (await vault(fresh)).secrets)
    const way = { ...wayOf(env), fetch: outgoing, large: largeAnswer, permits: permitting(permits) }
    const net = netOf(way)
    const page = tool.name.startsWith("browser.") ? browsers?.of(calling.step, calling.pass, addressJudge(way)) : undefined
    const exec = tool.groups?.includes("runtime") === true ? containers.open(tenant, calling.run, calling.fence, calling.key) : undefined
    const own = {
      plans: plansPort(env, tenant, calling.root),
      team: teamOf({ env, tenant, cancelOrphan: orphaning(resources, tenant) }, calling),
      ...defined({ exec }),
    }
    // A link of this run begins where its start was asked, unless PUBLIC_URL says where this instance is [N2].
    const here = isPublic ? undefined : calling.address
    const linking = here === undefined ? {} : { objects: r2Objects(env, tenant, here) }
    return { ...powers, ...linking, ...own, net, ...defined({ secrets, browser: page }) }
  }
}

/** If no server answers or the key is refused, the cached settings may be out of date, so the next call reads them again. */
function forgetting(model: Model, tenant: string, ref: string): Model {
  async function* watched(chunks: AsyncIterable<ModelChunk>): AsyncGenerator<ModelChunk> {
    for await (const chunk of chunks) {
      const status = chunk.type === "final" && chunk.error ? (chunk.error.status ?? 0) : undefined
      if (status === 0 || status === 401 || status === 403) forgetProvider(tenant, ref.split("/")[0] ?? "")
      yield chunk
    }
  }
  const { play } = model
  return {
    reply: (request, signal) => watched(model.reply(request, signal)),
    ...(play ? { play: (request, stop) => watched(play(request, stop)) } : {}),
  }
}
