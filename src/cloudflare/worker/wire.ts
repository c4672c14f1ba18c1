// Builds InstanceServices from the environment: the caller behind a key, and ports bound to that caller's tenant. The only place that
// connects a tenant with a store [N1].

import { readSession } from "../../engine/run/read-session.ts"
import { allowedPrivateHosts, zonesOf } from "../../engine/net/address-guard.ts"
import { builtinsOf } from "../../engine/catalog/catalog-ground.ts"
import { withBuiltins } from "../../engine/catalog/catalog-bodies.ts"
import { currentSkills } from "../../engine/catalog/skill-library.ts"
import type { Caller, InstanceServices, TenantServices } from "../../ports/services.ts"
import { SCOPES } from "../../api/route/route.ts"
import { defined } from "../../core/defined.ts"
import type { TenantRooms } from "../../ports/objects.ts"
import { askUser } from "../../tools/agents/ask-user.ts"
import { mcpPeer } from "../../engine/net/mcp-peer.ts"
import { toolOf } from "../../tools/registered/registered-tool.ts"
import { r2Blobs } from "../blobs/blobs-r2.ts"
import { builtinFiles } from "../platform/builtin-files.ts"
import { pause } from "../../ports/timers.ts"
import { directoryStub } from "../platform/stubs.ts"
import { verify } from "../../engine/receipt/verify.ts"
import { sha256 } from "../platform/sha256.ts"
import { Breath } from "../../ports/breath.ts"
import { clock, derivedId } from "../platform/clock.ts"
import { runIdOf } from "../platform/run-id.ts"
import { callContainer } from "../sandbox/containers.ts"
import type { Env } from "../platform/env.ts"
import { accountPort, allowsOrigin, callerOf, keyHolds, knowsOrigin } from "../clients/account.ts"
import { signInsPort } from "../clients/sign-ins.ts"
import { tenantsPort } from "../clients/tenants.ts"
import { idempotencyPort, runPort } from "../clients/run-port.ts"
import { subagents } from "../clients/subagents.ts"
import { ANSWER, answerToken } from "../platform/tokens/answer-token.ts"
import { chatTokenOf, signChatToken, trustedIn } from "../platform/tokens/chat-token.ts"
import { readToken, signToken } from "../platform/tokens/signed-token.ts"
import { signedWords } from "../platform/tokens/signed-words.ts"
import { accessOf } from "../clients/access.ts"
import { architectPort } from "../authoring/architect.ts"
import { backtestsPort } from "../authoring/backtests.ts"
import { experimentsPort } from "../authoring/experiments.ts"
import { catalogPort } from "../authoring/catalog.ts"
import { giveBackOver } from "../desks/known-desks.ts"
import { filesKeeper, requestFiles } from "../clients/given-files.ts"
import { hookDoor } from "../tenant/hooks/hook-door.ts"
import { portOf } from "../platform/port-of.ts"
import type { ProviderSettings } from "../../ports/tenant/providers.ts"
import { openVault, secretsPort } from "../clients/secrets.ts"
import { gateDeps } from "../authoring/gate-deps.ts"
import { gatedWrite } from "../../engine/trial/gated-write.ts"
import type { WriteAs } from "../../ports/tenant/authoring/gate.ts"
import { settingsPort } from "../clients/settings.ts"
import { missingTools, shippedTools } from "../capabilities/missing-tools.ts"
import { download } from "../blobs/objects-r2.ts"
import { staticFiles } from "../capabilities/static-files.ts"
import { launcherSays } from "./launcher-word.ts"
import { hasRoom, readiness } from "./readiness.ts"
import { refusing } from "../clients/start-refusals.ts"
import { VERSION } from "../../engine/version.ts"
import { publicUrl, tenantPowers } from "../capabilities/tenant-powers.ts"
import { namedWorkspaces } from "../clients/workspaces.ts"
import { promisedRun } from "../clients/promised-run.ts"
import { referencesPort } from "../clients/references.ts"
import { hideFromLog, logError, logRequest } from "../platform/log.ts"
import { lazy } from "../../core/lazy.ts"
import { perIsolate } from "../../ports/isolate.ts"

const mcpServer = lazy(() => import("../../mcp/serve.ts"))
const modelTrial = lazy(() => import("../clients/model-trial.ts"))

/** The purpose that a per-run token is signed for. */
const RUN = "run"
/** The purpose that the state of a connection to an MCP server is signed for. */
const CONNECT = "mcp connect"

/** [N5] The tenant, key and admin key of local development. They are valid nowhere else. */
const LOCAL_KEY = "sl_local_dev"
const LOCAL_ADMIN = "sl_admin_local"
const LOCAL: Caller = { tenant: "local", name: "local", scopes: SCOPES }
const ADMIN: Caller = { tenant: "", name: "admin", scopes: ["instance"] }

export function servicesOf(env: Env, later: (work: Promise<unknown>) => void): InstanceServices {
  hideFromLog(env)
  const access = accessOf(env, (key) => identify(env, key), clock.now)
  return {
    environment: env.ENVIRONMENT,
    version: VERSION,
    ...publicUrl(env),
    isDispatched: env.DISPATCHED === "yes",
    ...(env.REQUEST_LOG === "off" ? {} : { log: logRequest }),
    fault: (fields) => logError("http.fault", fields),
    ready: readiness(env, clock.now),
    hasRoom: () => hasRoom(env),
    isNearlyFull: launcherSays("full", env, clock.now),
    isStopping: launcherSays("stopping", env, clock.now),
    privateHosts: allowedPrivateHosts(env),
    zones: zonesOf(env),
    tools: shippedTools(env),
    missing: missingTools(env),
    others: [askUser],
    identify: (bearer) => identify(env, bearer),
    holds: (caller) => keyHolds(env, caller, clock.now),
    signIns: signInsPort(env, env.ENVIRONMENT === "local" ? LOCAL : undefined, clock.now),
    ...defined({ access }),
    tenants: tenantsPort(env, clock.now),
    signing: {
      sign: (seal) => directoryStub(env).sign(seal),
      keys: () => directoryStub(env).signingKeys(),
      rotate: () => directoryStub(env).rotateKey(),
      async verify(receipt) {
        const keys = await directoryStub(env).signingKeys()
        return verify(receipt, { keys, hash: sha256, build: VERSION, breath: new Breath() })
      },
    },
    allows: (tenant, origin) => allowsOrigin(env, tenant, origin, clock.now),
    knows: (origin) => knowsOrigin(env, origin, clock.now),
    async linked(token) {
      const said = await readToken(env, ANSWER, token, clock.now())
      if (!said) return undefined
      const { tenant, run, interaction, key, allow } = said
      if (typeof tenant !== "string" || typeof run !== "string" || typeof interaction !== "string") return undefined
      // [S18] The link works no longer than the key that made it.
      const maker: Caller = { tenant, name: "link", scopes: [], ...(typeof key === "string" ? { keyId: key } : {}) }
      if (!(await keyHolds(env, maker, clock.now))) return undefined
      return { tenant, run: runPort(env, tenant, run), interaction, allow: typeof allow === "string" ? allow.split(",") : [] }
    },
    async connecting(token) {
      const said = await readToken(env, CONNECT, token, clock.now())
      if (typeof said?.["tenant"] !== "string" || typeof said["server"] !== "string") return undefined
      return { server: said["server"], mcp: portOf(env, said["tenant"], "mcp") }
    },
    runTokenOf: (token) => runTokenOf(env, token),
    chatTokenOf: (token) => chatTokenOf(env, token, clock.now()),
    download: (token) => download(env, token),
    ...staticFiles(env),
    // The MCP library is large, and most isolates never need it.
    mcpServer: async (call) => (await mcpServer()).serveMcp(call),
    hook: (id) => hookDoor(env, id),
    open: (caller) => tenantHouse(env, caller, later),
  }
}

/** Takes constant time: the digest of the token is compared with the digest of every key of the instance [H1]. */
async function identify(env: Env, bearer: string): Promise<Caller | undefined> {
  const isLocal = env.ENVIRONMENT === "local"
  const sent = await digest(bearer)
  const is = async (key: string): Promise<boolean> => crypto.subtle.timingSafeEqual(sent, await ownDigest(key))
  const [admin, localAdmin, local] = await Promise.all([is(env.ADMIN_KEY ?? ""), is(LOCAL_ADMIN), is(LOCAL_KEY)])
  if ((admin && (env.ADMIN_KEY ?? "") !== "") || (localAdmin && isLocal)) return ADMIN
  if (local && isLocal) return LOCAL
  return callerOf(env, bearer, clock.now)
}

const ANSWERS = ["interactions:answer"] as const

/** [H1] */
async function runTokenOf(env: Env, token: string): Promise<{ run: string; caller: Caller } | undefined> {
  const said = await readToken(env, RUN, token, clock.now())
  if (!said) return undefined
  const { tenant, run, name, key, since, view, answer, feedback, trusted } = said
  if (typeof tenant !== "string" || typeof run !== "string" || typeof name !== "string") return undefined
  const own = { ...(typeof key === "string" ? { keyId: key } : {}), ...(typeof since === "string" ? { since: Number(since) } : {}) }
  if (view === undefined) return { run, caller: { tenant, name, scopes: ["runs:read"], ...own } }
  // A view that this build does not know opens nothing.
  if (view !== "public") return undefined
  const scopes = ["runs:read", ...(answer === "yes" ? ANSWERS : [])] as const
  return { run, caller: { tenant, name, scopes, view, ...(feedback === "yes" ? { feedback: true } : {}), ...trustedIn(trusted), ...own } }
}

/** Settings that are not saved may name the scope of their key, too. */
function withKey(settings: ProviderSettings, secrets: ReadonlyMap<string, readonly string[]>): ProviderSettings {
  const apiKey = settings.apiKey ?? secrets.get(settings.key?.secret ?? "")?.[0]
  return { ...settings, ...defined({ apiKey }) }
}

function tenantHouse(
  env: Env,
  { tenant, name: by, since, keyId, scopes }: Caller,
  later: (work: Promise<unknown>) => void,
): TenantServices {
  const configuring = scopes.includes("admin") ? ({ configures: true } as const) : {}
  const port = refusing(tenant, catalogPort(env, tenant, { by, ...configuring }, since), {
    now: clock.now,
    pause,
  })
  const gatedSettings = (as: WriteAs) => settingsPort(env, tenant, (write) => gatedWrite(gateDeps(env, tenant, by), as, write))
  const retain = (hash: string): Promise<void> => room("bodies").retain(hash)
  const room = <Room extends keyof TenantRooms>(name: Room): TenantRooms[Room] => portOf(env, tenant, name)
  const sessions = room("sessions")
  // A new tenant under an old id must not get the stored answers of the tenant before it.
  const own = since === undefined || since === 0 ? tenant : `${tenant}@${since}`
  const runId = async (key?: string): Promise<string> => runIdOf(env, tenant, key === undefined ? clock.id() : await derivedId(own, key))
  return {
    catalog: port,
    settings: gatedSettings({ by, ...configuring }),
    async testProvider(provider, model, { settings, ask } = {}) {
      const given = settings ?? (await room("settings").provider(provider))
      if (!given) return undefined
      const { redactor, secrets } = await openVault(env, tenant, clock.now)()
      return (await modelTrial()).testProvider(env, withKey(given, secrets), { provider, model, redactor, ...defined({ ask }) })
    },
    async providerModels(provider, settings) {
      const given = settings ?? (await room("settings").provider(provider))
      if (!given) return undefined
      const { redactor, secrets } = await openVault(env, tenant, clock.now)()
      return (await modelTrial()).listModels(env, withKey(given, secrets), redactor)
    },
    async tryTurn(run, wish) {
      const work = modelTrial().then(({ trialOf }) => trialOf({ env, tenant, later }, promisedRun(env, tenant, run), wish))
      // What the day holds for the call is given back although its caller has gone.
      later(work.catch(() => undefined))
      return work
    },
    runList: room("runs"),
    feed: room("feed"),
    usage: room("usage"),
    sums: room("sums"),
    failures: room("failures"),
    run: (id) => promisedRun(env, tenant, id),
    runId,
    idempotency: async (key) => idempotencyPort(env, tenant, await runId(key)),
    async skills() {
      // The body of a built-in file is in R2 only once a run has pinned it.
      return currentSkills((await port.files("skill")).data, withBuiltins(r2Blobs(env, tenant, later), await builtinsOf(builtinFiles)))
    },
    architect: architectPort(env, tenant, { by, ...configuring }),
    proveRepair(session, run) {
      later(import("../authoring/repair-proof.ts").then(({ proveRepair }) => proveRepair({ env, later }, tenant, session, run)))
    },
    forcing: () => ({
      catalog: catalogPort(env, tenant, { by, forced: true, configures: true }),
      architect: architectPort(env, tenant, { by, forced: true }),
      settings: gatedSettings({ by, forced: true, configures: true }),
    }),
    trials: room("starts"),
    testResults: room("testResults"),
    backtests: backtestsPort(env, tenant, by, later),
    workspaces: namedWorkspaces(room("workspaces"), r2Blobs(env, tenant, later, { retain }), clock.now),
    givenFiles: {
      ...requestFiles(
        filesKeeper(env, tenant, { later, retain, redactor: async () => (await openVault(env, tenant, clock.now)()).redactor }),
        (hashes) =>
          later(
            room("bodies")
              .leave(hashes)
              .catch(() => undefined),
          ),
      ),
      tooMuch: (bytes) => room("storage").tooMuch(bytes),
    },
    secrets: secretsPort(env, tenant, clock.now),
    questions: room("questions"),
    dayBudget: room("dayBudget"),
    answerToken({ run, interaction, allow, expires }) {
      const more = { ...(allow.length === 0 ? {} : { allow: allow.join() }), ...defined({ key: keyId }) }
      return answerToken(env, { tenant, run, interaction, ...more }, expires)
    },
    runToken(run, expires, page) {
      const own = defined({ key: keyId, since: since === undefined ? undefined : String(since) })
      // Anyone may read what a public token says, so it does not say the name of the key.
      const trusted = page?.trusted && page.trusted.length > 0 ? { trusted: page.trusted.join() } : {}
      const more =
        page === undefined
          ? { name: by }
          : {
              name: "page",
              view: page.view,
              ...(page.answer ? { answer: "yes" } : {}),
              ...(page.feedback ? { feedback: "yes" } : {}),
              ...trusted,
            }
      return signToken(env, RUN, { tenant, run, ...more, ...own }, expires)
    },
    chatToken: (wish, expires) => signChatToken(env, { tenant, keyId, since }, wish, expires),
    mcp: room("mcp"),
    connectToken: (server, expires) => signToken(env, CONNECT, { tenant, server, nonce: crypto.randomUUID() }, expires),
    registered: room("tools"),
    references: referencesPort(env, tenant),
    plans: room("plans"),
    words: signedWords(env, own),
    hooks: room("hooks"),
    callbacks: room("callbacks"),
    schedules: room("schedules"),
    bulks: room("bulks"),
    scores: room("scores"),
    experiments: experimentsPort(env, tenant, by),
    datasets: room("datasets"),
    account: accountPort(env, tenant),
    line: room("starts"),
    toolOf: (def) => toolOf(def, mcpPeer),
    powers(root) {
      const exec = callContainer(env, tenant, later)
      return { ...tenantPowers(env, tenant, root), ...defined({ exec }) }
    },
    sessions,
    cachedPasses: room("cachedPasses"),
    conversation: (agent, session, place) => readSession({ sessions, blobs: r2Blobs(env, tenant, later) }, agent, session, place),
    subagents: subagents({
      tenant: port,
      name: tenant,
      sessions,
      giveBack: (run) => giveBackOver(env, tenant, run, clock.now()),
      runId,
      sessionId: async (key) => (key === undefined ? crypto.randomUUID() : derivedId(`${own}/session`, key)),
      run: (id) => runPort(env, tenant, id),
    }),
  }
}

/** Digests, so that the compared values always have the same length [H1]. */
const digest = (text: string): Promise<ArrayBuffer> => crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))

/** The digests of the instance's own keys: three per isolate. */
async function ownDigest(key: string): Promise<ArrayBuffer> {
  const made = ownDigests().get(key) ?? (await digest(key))
  ownDigests().set(key, made)
  return made
}
const ownDigests = perIsolate(() => new Map<string, ArrayBuffer>())
