// env → House: who a key is, and ports that are already that tenant's. The only place that puts a tenant and a store together [N1].

import { allowedPrivateHosts } from "../../engine/net/address-guard.ts"
import { builtinsOf } from "../../engine/catalog/catalog-ground.ts"
import { withBuiltins } from "../../engine/catalog/catalog-bodies.ts"
import { currentSkills } from "../../engine/catalog/skill-library.ts"
import type { Caller, House, TenantHouse } from "../../ports/house.ts"
import { SCOPES } from "../../api/route.ts"
import { askUser } from "../../tools/agents/ask-user.ts"
import { mcpPeer } from "../../engine/net/mcp-client.ts"
import { toolOf } from "../../tools/registered/registered-tool.ts"
import { r2Blobs } from "../blobs/blobs-r2.ts"
import { BUILTINS } from "../platform/builtins.gen.ts"
import { clock, derivedId, pause } from "../platform/clock.ts"
import { callContainer } from "../sandbox/containers.ts"
import type { Env } from "../platform/env.ts"
import { accountPort, allowsOrigin, callerOf, keyHolds, knowsOrigin } from "../clients/account-port.ts"
import { tenantsPort } from "../clients/tenants-port.ts"
import { idempotencyPort, runPort } from "../clients/run-port.ts"
import { sessionsPort } from "../clients/sessions-port.ts"
import { subagents } from "../clients/subagents.ts"
import { readToken, signToken } from "../platform/signed-token.ts"
import { signedWords } from "../platform/signed-words.ts"
import { dayBudgetPort } from "../clients/day-budget-port.ts"
import { questionsPort } from "../clients/question-port.ts"
import { architectPort } from "../clients/architect-port.ts"
import { schedulesPort } from "../clients/schedule-port.ts"
import { secretsPort } from "../clients/secret-port.ts"
import { callbacksPort } from "../clients/callback-port.ts"
import { hookDoor, hooksPort } from "../clients/hook-port.ts"
import { mcpPort } from "../clients/mcp-port.ts"
import { missingTools, shippedTools } from "../capabilities/missing-tools.ts"
import { download } from "../blobs/objects-r2.ts"
import { readiness } from "./readiness.ts"
import { refusing } from "../clients/start-refusals.ts"
import { VERSION } from "../capabilities/system-facts.ts"
import { tenantPowers } from "../capabilities/tenant-powers.ts"
import { asking, tenantPort } from "../clients/tenant-port.ts"
import { namedWorkspaces } from "../clients/workspace-port.ts"
import { planSpecsPort } from "../capabilities/plan-port.ts"
import { promisedRun } from "../clients/promised-run.ts"
import { referencesPort } from "../clients/reference-port.ts"
import { servicesPort } from "../tenant/service-store.ts"
import { toolCatalogPort } from "../clients/tool-catalog-port.ts"

/** What a link of an interaction is signed for. */
const ANSWER = "interaction"
/** What a per-run token is signed for. */
const RUN = "run"

/** [N5] Local development's own tenant and key, and its admin key. Neither is a key anywhere else. */
const LOCAL_KEY = "sl_local_dev"
const LOCAL_ADMIN = "sl_admin_local"
const LOCAL: Caller = { tenant: "local", name: "local", scopes: SCOPES }
const ADMIN: Caller = { tenant: "", name: "admin", scopes: ["instance"] }

export function house(env: Env, later: (work: Promise<unknown>) => void): House {
  return {
    environment: env.ENVIRONMENT,
    version: VERSION,
    ...(env.REQUEST_LOG === "off" ? {} : { log: (entry) => console.log(JSON.stringify(entry)) }),
    ready: readiness(env, clock.now),
    privateHosts: allowedPrivateHosts(env),
    tools: shippedTools(env),
    missing: missingTools(env),
    others: [askUser],
    identify: (bearer) => identify(env, bearer),
    holds: (caller) => keyHolds(env, caller, clock.now),
    tenants: tenantsPort(env, clock.now),
    allows: (tenant, origin) => allowsOrigin(env, tenant, origin, clock.now),
    knows: (origin) => knowsOrigin(env, origin, clock.now),
    async linked(token) {
      const said = await readToken(env, ANSWER, token, clock.now())
      if (!said) return undefined
      const { tenant, run, interaction, key } = said
      if (typeof tenant !== "string" || typeof run !== "string" || typeof interaction !== "string") return undefined
      // [S18] It opens no more than the key that made it.
      const maker: Caller = { tenant, name: "link", scopes: [], ...(typeof key === "string" ? { keyId: key } : {}) }
      if (!(await keyHolds(env, maker, clock.now))) return undefined
      return { run: runPort(env, tenant, run), interaction }
    },
    runTokenOf: (token) => runTokenOf(env, token),
    download: (token) => download(env, token),
    // The protocol's library is large, and most isolates are never asked.
    mcpServer: async (call) => (await import("../../mcp/serve.ts")).serveMcp(call),
    hook: (id) => hookDoor(env, id),
    open: (caller) => tenantHouse(env, caller, later),
  }
}

/** Constant in time: what is sent is compared as a digest, with every key of the instance that there is [H1]. */
async function identify(env: Env, bearer: string): Promise<Caller | undefined> {
  const isLocal = env.ENVIRONMENT === "local"
  const sent = await digest(bearer)
  const is = async (key: string): Promise<boolean> => crypto.subtle.timingSafeEqual(sent, await ownDigest(key))
  const [admin, localAdmin, local] = await Promise.all([is(env.ADMIN_KEY ?? ""), is(LOCAL_ADMIN), is(LOCAL_KEY)])
  if ((admin && (env.ADMIN_KEY ?? "") !== "") || (localAdmin && isLocal)) return ADMIN
  if (local && isLocal) return LOCAL
  return callerOf(env, bearer, clock.now)
}

/** [H1] */
async function runTokenOf(env: Env, token: string): Promise<{ run: string; caller: Caller } | undefined> {
  const said = await readToken(env, RUN, token, clock.now())
  if (!said) return undefined
  const { tenant, run, name, key, since } = said
  if (typeof tenant !== "string" || typeof run !== "string" || typeof name !== "string") return undefined
  const own = { ...(typeof key === "string" ? { keyId: key } : {}), ...(typeof since === "string" ? { since: Number(since) } : {}) }
  return { run, caller: { tenant, name, scopes: ["runs:read"], ...own } }
}

function tenantHouse(env: Env, { tenant, name: by, since, keyId }: Caller, later: (work: Promise<unknown>) => void): TenantHouse {
  const port = refusing(tenant, tenantPort(env, tenant, by), { now: clock.now, pause })
  const sessions = sessionsPort(env, tenant)
  // A tenant that is made anew under an old id must not meet what the one before it was answered.
  const own = since === undefined || since === 0 ? tenant : `${tenant}@${since}`
  const runId = async (key?: string): Promise<string> => `run_${key === undefined ? clock.id() : await derivedId(own, key)}`
  return {
    tenant: port,
    run: (id) => promisedRun(env, tenant, id),
    runId,
    idempotency: async (key) => idempotencyPort(env, tenant, await runId(key)),
    async skills() {
      // A built-in body is in R2 only once a run has pinned it.
      return currentSkills((await port.files("skill")).data, withBuiltins(r2Blobs(env, tenant, later), await builtinsOf(BUILTINS)))
    },
    architect: architectPort(env, tenant, by),
    workspaces: namedWorkspaces(asking(env, tenant), r2Blobs(env, tenant, later), clock.now),
    secrets: secretsPort(env, tenant, clock.now),
    questions: questionsPort(env, tenant),
    dayBudget: dayBudgetPort(env, tenant),
    answerToken: (run, interaction, expires) =>
      signToken(env, ANSWER, { tenant, run, interaction, ...(keyId === undefined ? {} : { key: keyId }) }, expires),
    runToken(run, expires) {
      const own = { ...(keyId === undefined ? {} : { key: keyId }), ...(since === undefined ? {} : { since: String(since) }) }
      return signToken(env, RUN, { tenant, run, name: by, ...own }, expires)
    },
    mcp: mcpPort(env, tenant),
    registered: toolCatalogPort(env, tenant),
    services: servicesPort(env, tenant),
    references: referencesPort(env, tenant),
    plans: planSpecsPort(env, tenant),
    words: signedWords(env, own),
    hooks: hooksPort(env, tenant),
    callbacks: callbacksPort(env, tenant),
    schedules: schedulesPort(env, tenant),
    account: accountPort(env, tenant),
    toolOf: (def) => toolOf(def, mcpPeer),
    powers(origin) {
      const exec = callContainer(env, tenant, later)
      return { ...tenantPowers(env, tenant, origin), ...(exec === undefined ? {} : { exec }) }
    },
    sessions,
    subagents: subagents({
      tenant: port,
      name: tenant,
      sessions,
      giveBack: (run) => accountPort(env, tenant).giveBack(run),
      runId,
      sessionId: async (key) => (key === undefined ? crypto.randomUUID() : derivedId(`${own}/session`, key)),
      run: (id) => runPort(env, tenant, id),
    }),
  }
}

/** Digests of equal length are compared, whatever was sent [H1]. */
const digest = (text: string): Promise<ArrayBuffer> => crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))

/** Of the instance's own keys: three in an isolate's life. */
async function ownDigest(key: string): Promise<ArrayBuffer> {
  const made = ownDigests.get(key) ?? (await digest(key))
  ownDigests.set(key, made)
  return made
}
const ownDigests = new Map<string, ArrayBuffer>()
