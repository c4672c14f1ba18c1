// Runs the work of a tenant's alarm: queued and promised starts, callbacks, messages to its runs. Each part computes from its own rows when
// it is due.

import type { Redactor } from "../../core/secrets/redact.ts"
import type { Catalog } from "../../engine/catalog/catalog.ts"
import { knownScorer } from "../../engine/catalog/score/known-scorers.ts"
import { wayOf } from "../../engine/net/guarded-fetch.ts"
import { inTime, pause } from "../../ports/timers.ts"
import { Bulks, bulkTold } from "./bulk/bulks.ts"
import { defined } from "../../core/defined.ts"
import { lazy } from "../../core/lazy.ts"
import type { KnownScorer } from "../../ports/tenant/quality/scorers.ts"
import { sha256 } from "../platform/sha256.ts"
import { specsFor } from "../../tools/toolbox.ts"
import { shellOf } from "../sandbox/containers.ts"
import { Experiments } from "./quality/experiments/experiments.ts"
import { Judges } from "./quality/judges.ts"
import { graded, scoredIn } from "./quality/scored.ts"
import { probedScorings } from "./quality/probed.ts"
import { Scorings } from "./quality/scorings.ts"
import { CallbackSender } from "./callbacks/callback-sender.ts"
import { Deliveries } from "./hooks/deliveries.ts"
import { KeyWatch } from "./keys/key-watch.ts"
import { filesKeeper } from "../clients/given-files.ts"
import { cachedSecrets } from "../platform/secret-cache.ts"
import { openedOf } from "./secrets/opened.ts"
import { StagingSql } from "./architect/staging-sql.ts"
import { launch, type Launch, type Launched } from "./starts/launch.ts"
import { neighbours } from "../platform/active-tenants.ts"
import { OriginTeller } from "./origin-teller.ts"
import { RetentionSweep } from "./run-list/retention-sweep.ts"
import { BodySweep } from "./bodies/body-sweep.ts"
import { StrayBodies } from "./bodies/stray-bodies.ts"
import { unlistedDefinitions } from "./bodies/unlisted-definitions.ts"
import type { Blobs } from "../../ports/blobs.ts"
import type { BlobEnv } from "../blobs/blobs-r2.ts"
import { deskAt } from "../desks/known-desks.ts"
import { runPort, runRooms } from "../clients/run-port.ts"
import { Schedules } from "./schedules/schedules.ts"
import { DeskLeases } from "../desks/desk-leases.ts"
import { LineStore } from "./starts/line-store.ts"
import { StartLine } from "./starts/start-line.ts"
import { StartGate } from "./starts/start-gate.ts"
import { flowRules } from "../../core/start/start-block.ts"
import { QueuedBefore } from "./starts/queued-before.ts"
import { StartGround } from "./starts/start-ground.ts"
import { StartRoom } from "./starts/start-room.ts"
import { clock, derivedId } from "../platform/clock.ts"
import { runStub, type DirectoryNamespace, type RunNamespace, type TenantNamespace } from "../platform/stubs.ts"
import type { Connections } from "../outgoing/connections.ts"
import { TenantAlarm, type DueWork } from "./tenant-alarm.ts"
import { runIdOf } from "../platform/run-id.ts"
import type { VaultEnv } from "../platform/vault.ts"
import { retrying } from "../platform/retrying.ts"
import type { TenantStores } from "./tenant-stores.ts"
import { cleanJson } from "../../engine/run/arrival.ts"

interface WorkDeps {
  readonly env: RunNamespace & TenantNamespace & DirectoryNamespace & VaultEnv & BlobEnv & Partial<Parameters<typeof wayOf>[0]>
  readonly tenant: string
  readonly stores: TenantStores
  readonly catalog: Catalog
  readonly storage: DurableObjectStorage
  readonly later: (work: Promise<unknown>) => void
  /** [J16] */
  readonly calls: Connections
  readonly blobs: Blobs
  readonly bodies: R2Bucket
  readonly cache?: KVNamespace
}

/** No start waits longer for the object of another. */
const LAUNCH_MS = 60_000 // limit: milliseconds that a start of a delivery or schedule takes → the next try is under the same id

function tooSlow(): never {
  throw new Error(`the run did not begin within ${LAUNCH_MS / 1_000} s`)
}

export function tenantWork({ env, tenant, stores, catalog, storage, later, calls, blobs, ...bodies }: WorkDeps) {
  const { sql, account, runs, promises, callbacks, secrets } = stores
  const alarm = new TenantAlarm(storage)
  const now = (): number => Date.now()
  const want = (at: number): void => alarm.want(at)
  const run = (id: string) => runStub(env, tenant, id)
  const runId = (letters: string): string => runIdOf(env, tenant, letters)

  const gate = new StartGate({
    live: () => runs.live(),
    promised: () => [...runs.promised(), ...promises.all()],
    startedAfter: (since) => runs.startedAfter(since),
    quotas: () => account.quotas(),
    full: () => stores.used.full(),
    lent: () => desks.lent(),
    dropped(id, isLapsed) {
      // [F71] Whoever began it may have died with its files stored.
      if (isLapsed) strays.lost(now())
      promises.remove(id)
      runs.unpromise(id)
      stores.leases.giveUp(id)
    },
    meet: () => neighbours().meet(tenant, now()),
    now,
    pause,
  })
  const desks: DeskLeases = new DeskLeases({
    sql,
    promises,
    gate: () => gate,
    desk: (n) => deskAt(env, tenant, n),
    account,
    now,
    pause,
    life: clock.id(),
  })
  const isOwed = (id: string): boolean => stores.deliveryRows.waitingFor(id) !== undefined || stores.scheduleRows.fire(id) !== undefined
  const before = new QueuedBefore(sql, { tell: (id) => retrying(() => run(id).release("report")), isOwed })
  const ground = new StartGround(stores)
  const line: StartLine = new StartLine({
    mark: () => ground.now().mark(),
    store: new LineStore(sql),
    tenant,
    gate,
    tell: (id, word) => retrying(() => run(id).release(word)),
    standing: (id) => retrying(() => runRooms(env, tenant, id).signals.standing()),
    supersede: (id, by) => retrying(() => run(id).supersede(by)),
    isOwed,
    hasBegun: (id) => runs.hasBegun(id),
    rules: async (flow) => {
      const start = await catalog.startOf(flow)
      return start && flowRules(start)
    },
    want,
    later,
    now,
  })
  const watch = new KeyWatch(sql, (id, key) => retrying(() => run(id).dropKey(key)), now)
  const notify = (id: string): Promise<void> => retrying(() => run(id).expire(account.retention()))
  const sweep = new RetentionSweep({ store: stores.sweeps, runs, notify, want, now })
  const bodySweep = new BodySweep({
    store: stores.bodies,
    tenant,
    bucket: bodies.bodies,
    ...(bodies.cache ? { cache: bodies.cache } : {}),
    definitions: () => unlistedDefinitions(stores.bodies.manifests(), blobs),
    now,
  })
  const strays = new StrayBodies({
    store: stores.bodies,
    sql,
    kv: storage.kv,
    tenant,
    bucket: bodies.bodies,
    isThere: () => account.since() !== undefined,
    now,
    want,
  })
  const cached: DueWork = { name: "cache", due: () => stores.cached.due(), work: async (at) => stores.cached.sweep(at) }
  const sumSweep: DueWork = { name: "sums", due: () => stores.sums.due(), work: async (at) => stores.sums.sweep(at) }
  const way = { ...wayOf({ ...env, ENVIRONMENT: env.ENVIRONMENT ?? "" }), fetch: calls.fetch }
  const open = cachedSecrets(tenant, () => openedOf(stores), now)
  const redactor = async (): Promise<Redactor> => (await open()).redactor
  const sender = new CallbackSender({ store: callbacks, secrets: (scope) => secrets.all(scope), redactor, way, later, want, now })

  const starts = new StartRoom({
    ground,
    begin: async (run) => (await deliveries.begin(run)) || schedules.begin(run),
    ...stores,
    now,
    clean: async (said) => cleanJson(said, await redactor()),
    staged: (session) => new StagingSql(stores.sql).texts(session),
    catalog,
    gate,
    line,
    desks,
  })
  const retain = (hash: string): Promise<void> => stores.bodies.retain(hash)
  const keepFiles = filesKeeper(env, tenant, { later, retain, redactor })
  // A start that is slower goes on; another try finds its run.
  const launched = (wish: Launch): Promise<Launched> => inTime(launching(wish), LAUNCH_MS, tooSlow)
  const launching = (wish: Launch): Promise<Launched> =>
    launch(
      {
        tenant,
        pin: (target, options) => starts.pin(target, options),
        run: (id) => runPort(env, tenant, id),
        keepFiles,
        giveBack: async (id) => starts.giveBack(id),
        arrive: async (ask) => starts.arrive(ask),
        nextId: async (run) => runId(await derivedId(`${tenant}/again`, run)),
        redactor,
        tenancy: () => account.tenancy(),
      },
      wish,
    )
  const deliveries = new Deliveries({
    store: stores.deliveryRows,
    runId,
    launch: launched,
    async payloadOf(id) {
      const [first] = (await runPort(env, tenant, id).events(0, 1))?.data ?? []
      return first?.type === "run.started" ? first.payload : undefined
    },
    want,
  })
  const schedules = new Schedules({
    store: stores.scheduleRows,
    tenant,
    runId,
    launch: launched,
    waits: (id) => line.waits(id),
    want,
    later,
  })
  const bulks = new Bulks({
    store: stores.bulkRows,
    tenant,
    runId,
    run: (id) => runPort(env, tenant, id),
    source: (id) => runs.source(id),
    room: () => gate.room(),
    called: () => starts.called,
    tell: (bulk) => stores.feed.tell("bulk.changed", bulkTold(bulk)),
    want,
    later,
  })
  const judges = new Judges({
    tenant,
    catalog,
    store: stores.scorings,
    probes: stores.probes,
    setting: () => stores.settings.get("scoring"),
    prices: () => stores.providers.prices(),
    daily: () => stores.leases.limit(),
    rules: () => ({ rules: stores.policies.rules(), ...defined({ tenancy: account.tenancy() }) }),
    run: (id) => runPort(env, tenant, id),
    now,
    trials: { money: (id) => experiments.money(id) },
  })
  const known = async (scorer: string): Promise<KnownScorer | undefined> => {
    const { view } = await catalog.ground.current()
    return knownScorer({ view, models: stores.providers.models() }, scorer)
  }
  const scorings = new Scorings({
    store: stores.scorings,
    score: (id, asked) => runPort(env, tenant, id).score(asked),
    remove: (id) => runPort(env, tenant, id).remove(),
    known: async (scorer, { experiment, row }) =>
      experiment === undefined ? known(scorer) : (await parts()).room.scorer(experiment, row ?? "", scorer),
    judgeId: async (...of) => runId(await derivedId(`${tenant}/judge`, of.join(" "))),
    reserve: judges.reserve,
    begin: judges.begin,
    ended: judges.ended,
    scored: (scoring, answer, by) => scoredIn({ stores, now, trial: (...score) => experiments.scored(...score) }, scoring, answer, by),
    probes: probedScorings(stores, now),
    graded: (scoring) => graded(stores, scoring, now()),
    want,
    later,
    now,
  })
  const rulesNow = () => ({ rules: stores.policies.rules(), ...defined({ tenancy: account.tenancy() }) })
  const parts = lazy(async () => {
    const { experimentParts } = await import("./quality/experiments/experiment-parts.ts")
    return experimentParts({
      ...stores,
      tenant,
      run: (id) => runPort(env, tenant, id),
      runId: async (about) => runId(await derivedId(`${tenant}/trial`, about)),
      rules: rulesNow,
      hash: sha256,
      place: (id) =>
        starts.place(id).then((placed) => (placed.ok || placed.code !== "key_busy" ? placed : Promise.reject(new Error(placed.code)))),
      giveBack: async (id) => starts.giveBack(id),
      money: (pins) => starts.moneyOf(pins),
      keepFiles,
      prices: () => stores.providers.prices(),
      gate: () => stores.settings.get("gate"),
      known,
      judges,
      id: () => clock.id(),
      spec: (name) => specsFor(shellOf(env, tenant)).get(name) ?? stores.tools.specs().find((tool) => tool.name === name),
      want,
      later,
      now,
    })
  })
  const experiments: Experiments = new Experiments({ sql, drive: async () => (await parts()).drive, room: () => gate.room(), want, now })
  const origins = new OriginTeller(account, env, tenant)
  for (const work of [
    origins,
    sweep,
    bodySweep,
    strays,
    sumSweep,
    cached,
    before,
    line,
    watch,
    sender,
    deliveries,
    schedules,
    bulks,
    scorings,
    experiments,
  ])
    alarm.share(work)
  return {
    known,
    judges,
    experiments,
    experimentRoom: async () => (await parts()).room,
    alarm,
    origins,
    gate,
    desks,
    line,
    watch,
    strays,
    sender,
    starts,
    deliveries,
    schedules,
    way,
    want,
    later,
  }
}
