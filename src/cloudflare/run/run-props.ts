// What the effects of one run are done with: its tenant's blobs and catalog, the models, the tools, the sandbox. Made once per wake-up.

import { codePathOf } from "../../core/flow/code-file.ts"
import type { ContentPart, Pins } from "../../core/run/event.ts"
import { compile, type Plan } from "../../core/run/plan.ts"
import { loadDefinitions, type Definitions } from "../../engine/catalog/definitions.ts"
import { mcpPeer } from "../../engine/net/mcp-client.ts"
import type { Props } from "../../engine/run/perform.ts"
import { specOf } from "../../engine/catalog/registered-tools.ts"
import { skillLibrary } from "../../engine/catalog/skill-library.ts"
import { chooseModel } from "../../models/choose.ts"
import type { Blobs } from "../../ports/blobs.ts"
import type { Journal } from "../../ports/journal.ts"
import type { Model } from "../../ports/model.ts"
import type { Tool } from "../../ports/tool.ts"
import { toolOf } from "../../tools/registered/registered-tool.ts"
import { specsFor, toolsByName, toolsFor, type Shell } from "../../tools/toolbox.ts"
import { stagingAuthor } from "../clients/architect-port.ts"
import { r2Blobs } from "../blobs/blobs-r2.ts"
import { browserBinding } from "../capabilities/browser-binding.ts"
import { clock } from "../platform/clock.ts"
import type { Env } from "../platform/env.ts"
import { shellOf, type RunContainers } from "../sandbox/containers.ts"
import { cachedProvider, forgetProvider } from "../clients/provider-cache.ts"
import { dayBudgetPort } from "../clients/day-budget-port.ts"
import { startChild } from "./run-family.ts"
import { missingTools } from "../capabilities/missing-tools.ts"
import { plansPort } from "../capabilities/plan-port.ts"
import { loaderSandbox } from "../sandbox/sandbox-loader.ts"
import { SessionBrowsers } from "../../engine/browser/session-browsers.ts"
import { addressJudge, wayOf } from "../../engine/net/guarded-fetch.ts"
import { netOf } from "../../engine/net/net.ts"
import { openVault } from "../clients/secret-port.ts"
import { tenantPowers } from "../capabilities/tenant-powers.ts"
import { scopedSecrets } from "../../engine/run/tool-secrets.ts"
import { currentRules } from "../clients/rules-cache.ts"
import { sessionsPort } from "../clients/sessions-port.ts"
import { sha256 } from "../platform/sha256.ts"
import { teamOf } from "./team.ts"
import { tenantPort } from "../clients/tenant-port.ts"

const TOOLBOX = { worker: toolsByName(toolsFor("worker")), sealed: toolsByName(toolsFor("sealed")), open: toolsByName(toolsFor("open")) }

export interface Viewers {
  delta(step: string, turn: number, text: string): void
  progress(step: string, callId: string, tool: string, content: readonly ContentPart[]): void
}

/** Throws when a pinned definition cannot be loaded. */
export async function equip(
  env: Env,
  tenant: string,
  pins: Pins,
  journal: Journal,
  viewers: Viewers,
  later: (work: Promise<unknown>) => void,
  /** The session that its authoring tools write for, and the run itself; absent: they write the catalog. */
  staging?: { readonly session: string; readonly run: string },
  /** Sees what the run puts into R2 [H6]. */
  metered: (blobs: Blobs) => Blobs = (blobs) => blobs,
  /** Its machines [T20]; absent for who only looks at the plan. */
  containers?: RunContainers,
  /** Cancels a child that nobody waits for any more, however often that takes. */
  forsake: (parent: string, child: string) => void = () => undefined,
): Promise<{ readonly plan: Plan; readonly props: Props; readonly browsers?: SessionBrowsers }> {
  const blobs = metered(r2Blobs(env, tenant, later))
  const definitions = await loadDefinitions(pins, blobs)
  const catalog = tenantPort(env, tenant)
  const provider = cachedProvider(
    tenant,
    (name) => catalog.provider(name),
    () => clock.now(),
  )
  const vault = openVault(env, tenant, clock.now)
  const powers = tenantPowers(env, tenant)
  const shell = shellOf(env, tenant)
  const browsers = env.BROWSER && new SessionBrowsers(browserBinding(env.BROWSER))
  const props: Props = {
    journal,
    blobs,
    clock,
    tools: toolboxOf(definitions, shell),
    skills: skillLibrary(definitions.skills, blobs),
    author: staging ? stagingAuthor(env, tenant, staging.session, staging.run) : catalog,
    hash: sha256,
    async choose(ref) {
      const deps = { provider, rehearsal: definitions.rehearsal, environment: env.ENVIRONMENT, ...(env.AI ? { ai: env.AI } : {}) }
      const chosen = await chooseModel(ref, deps)
      return "error" in chosen ? chosen : { ...chosen, model: forgetting(chosen.model, tenant, ref) }
    },
    async handler(flow, step) {
      const hash = pins.code?.[codePathOf(flow, step, "js")]
      const body = hash === undefined ? undefined : await blobs.get(hash)
      return hash !== undefined && body ? { hash, source: new TextDecoder().decode(body) } : undefined
    },
    sandbox: loaderSandbox(env.LOADER, tenant),
    sessions: sessionsPort(env, tenant),
    lease: (run, key, amount) => dayBudgetPort(env, tenant).lease(run, key, amount),
    startChild: (run, wish, signal) => startChild(env, tenant, blobs, run, wish, signal, (child) => forsake(run.id, child)),
    rules: (seen) => currentRules(tenant, seen, () => catalog.rules(), clock.now),
    redactor: async () => (await vault()).redactor,
    powers(tool, permits, calling) {
      const secrets = scopedSecrets(tool, async (fresh) => (await vault(fresh)).secrets)
      const way = {
        ...wayOf(env),
        permits: (url: URL) => permits(url.hostname, Number(url.port) || (url.protocol === "http:" ? 80 : 443)),
      }
      const net = netOf(way)
      const page = tool.name.startsWith("browser.") ? browsers?.of(calling.step, calling.pass, addressJudge(way)) : undefined
      const exec = tool.groups?.includes("runtime") === true ? containers?.open(tenant, calling.run, calling.fence, calling.key) : undefined
      const own = {
        plans: plansPort(env, tenant, calling.root),
        team: teamOf(env, tenant, calling, (child) => forsake(calling.run, child)),
        ...(exec === undefined ? {} : { exec }),
      }
      return { ...powers, ...own, net, ...(secrets === undefined ? {} : { secrets }), ...(page === undefined ? {} : { browser: page }) }
    },
    delta: (step, turn, text) => viewers.delta(step, turn, text),
    progress: (step, callId, tool, content) => viewers.progress(step, callId, tool, content),
  }
  return { plan: planOf(definitions, shell, missingTools(env, shell)), props, ...(browsers === undefined ? {} : { browsers }) }
}

/** Nobody at the address, or a key that is refused: the settings that are kept may be old. */
function forgetting(model: Model, tenant: string, ref: string): Model {
  return {
    async *reply(request, signal) {
      for await (const chunk of model.reply(request, signal)) {
        const status = chunk.type === "final" && chunk.error ? (chunk.error.status ?? 0) : undefined
        if (status === 0 || status === 401 || status === 403) forgetProvider(tenant, ref.split("/")[0] ?? "")
        yield chunk
      }
    },
  }
}

/** What is registered comes last: a run keeps the tool it pinned though a built-in has taken its name since. */
function toolboxOf({ tools }: Definitions, shell: Shell): ReadonlyMap<string, Tool> {
  return tools.length === 0
    ? TOOLBOX[shell]
    : new Map([...TOOLBOX[shell], ...tools.map((def) => [def.name, toolOf(def, mcpPeer)] as const)])
}

/** Compiled once per definitions: it costs more than linearly in the steps, and an isolate starts many runs of one flow. */
function planOf(definitions: Definitions, shell: Shell, missing: ReadonlyMap<string, string>): Plan {
  const known = plans[shell].get(definitions)
  if (known) return known
  const skills = Object.fromEntries(Object.entries(definitions.skills).map(([name, s]) => [name, s.skill]))
  const plan = compile({
    flow: definitions.flow,
    agents: definitions.agents,
    skills,
    tools: [...[...specsFor(shell).values()].filter(({ name }) => !missing.has(name)), ...definitions.tools.map(specOf)],
  })
  plans[shell].set(definitions, plan)
  return plan
}

/** Definitions are found by their hashes, and tenants in different places may have different machines. */
const plans = { worker: new WeakMap<Definitions, Plan>(), sealed: new WeakMap<Definitions, Plan>(), open: new WeakMap<Definitions, Plan>() }
