// Creates the rooms of a tenant's object. A store that implements a whole port is itself the room.

import { Staging } from "../../engine/catalog/staging/staging.ts"
import { mcpPeer } from "../../engine/net/mcp-peer.ts"
import { mcpConnections } from "../../engine/net/mcp-connections.ts"
import { mcpServers, type PlacedServers } from "../../engine/net/mcp-servers.ts"
import { addressJudge } from "../../engine/net/guarded-fetch.ts"
import { netOf } from "../../engine/net/net.ts"
import { createReference, findReference } from "../../engine/run/references.ts"
import type { Answers, TenantRooms } from "../../ports/objects.ts"
import { clock } from "../platform/clock.ts"
import { datasetRoom } from "./quality/dataset-room.ts"
import { scoreRoom } from "./quality/score-room.ts"
import { bulkRoom } from "./bulk/bulk-room.ts"
import { unmade } from "./catalog/configure-tools.ts"
import { unowned } from "./catalog/configure.ts"
import { catalogRoom } from "./catalog/catalog-room.ts"
import { holding } from "./catalog/held-writes.ts"
import { McpSql } from "./mcp/mcp-store.ts"
import { StagingSql } from "./architect/staging-sql.ts"
import { keyRoom } from "./keys/key-room.ts"
import { secretRoom } from "./secrets/secret-room.ts"
import { signInRoom } from "./keys/sign-in-room.ts"
import { DesksRoom } from "../desks/desks-room.ts"
import { RunListRoom } from "./run-list/run-list-room.ts"
import { settingsRoom } from "./settings/settings-room.ts"
import { TenancyRoom } from "./tenancy-room.ts"
import type { TenantResources } from "./tenant-resources.ts"
import { callbackRoom } from "./callbacks/callback-room.ts"
import { hookRoom } from "./hooks/hook-room.ts"
import { hourlyUsage } from "./insight/hourly-usage.ts"
import { SumReader } from "./insight/sum-reader.ts"
import { scheduleRoom } from "./schedules/schedule-room.ts"

type Answered = { readonly [Room in keyof TenantRooms]: Answers<TenantRooms[Room]> }

export function tenantRooms(all: TenantResources): Answered {
  const net = netOf(all.way)
  /** Once the desks have said which runs have ended. */
  const told = async <T>(read: () => T): Promise<T> => {
    await all.desks.flush()
    return read()
  }
  const connections = mcpConnections({
    store: all.connections,
    ways: { net, judge: addressJudge(all.way) },
    secret: async (scope) => (await all.secrets.all(scope))[0],
    now: clock.now,
  })
  const mcp = mcpServers({
    store: new McpSql(all.sql),
    tools: all.tools,
    peer: mcpPeer,
    connections,
    net,
    vault: () => all.secrets.open(),
    inTurn: all.inTurn,
    now: clock.now,
  })
  const runs = new RunListRoom(all)
  const sums = new SumReader(all.sql, all.sums)
  return {
    tenancy: new TenancyRoom(all),
    account: accountRoom(all),
    keys: keyRoom(all),
    signIns: signInRoom(all),
    catalog: catalogRoom(all, mcp),
    architect: architectRoom(all),
    settings: settingsRoom(all),
    secrets: secretRoom(all),
    tools: toolRoom(all),
    mcp: ownMcp(all, mcp),
    connections: { token: (server, url, rejected) => connections.token(server, url, rejected) },
    starts: all.starts,
    runs,
    usage: {
      sums: (query) => told(() => (query.hourly ? hourlyUsage({ usage: all.usage, sums }, query) : all.usage.sums(query))),
      // Of a tenant that was deleted meanwhile nothing is kept.
      async tried(turn) {
        if (all.account.since() === undefined) return
        all.usage.tried(turn)
        all.sums.tried(turn)
      },
    },
    sums: { read: (query) => told(() => sums.read(query)) },
    failures: {
      list: (filter) => told(() => all.failures.list(filter)),
      put: (key, status, by) => told(() => all.failures.put(key, status, by)),
    },
    desks: new DesksRoom(all.desks, runs, (work) => all.sums.together(work)),
    feed: all.feed,
    backtests: all.backtests,
    testResults: all.testResults,
    dayBudget: budgetRoom(all),
    sessions: all.sessions,
    cachedPasses: all.cached,
    datasets: datasetRoom(all),
    workspaces: all.workspaces,
    storage: all.used,
    bodies: { retain: (hash) => all.bodies.retain(hash), leave: (hashes) => all.bodies.left(hashes) },
    questions: all.questions,
    plans: all.plans,
    references: referenceRoom(all),
    hooks: hookRoom(all),
    schedules: scheduleRoom(all),
    bulks: bulkRoom(all),
    scores: scoreRoom(all),
    experiments: experimentRoom(all),
    callbacks: callbackRoom(all),
  }
}

function architectRoom({ catalog, sql, starts }: TenantResources): Answered["architect"] {
  const rows = new StagingSql(sql)
  const staging = new Staging(catalog.ground, rows, clock.now)
  const held = holding(starts)
  return {
    open: (wish) => staging.open(wish),
    look: (id) => staging.look(id),
    list: (query) => staging.list(query),
    accept: (id, seen, by) => held(staging.accept(id, seen, by)),
    revise: (id, back) => staging.revise(id, back),
    discard: (id) => staging.discard(id),
    agents: (session) => staging.agents(session),
    write: (...written) => staging.write(...written),
    keepProof: (id, proof) => staging.keepProof(id, proof),
    texts: (session) => rows.texts(session),
  }
}

/** Loaded when one is asked for. */
const experimentRoom = ({ experimentRoom: room }: TenantResources): Answered["experiments"] => ({
  begin: async (...asked) => (await room()).begin(...asked),
  list: async () => (await room()).list(),
  find: async (id) => (await room()).find(id),
  rows: async (...asked) => (await room()).rows(...asked),
  stop: async (id) => (await room()).stop(id),
  remove: async (...asked) => (await room()).remove(...asked),
  evidence: async (ask) => (await room()).evidence(ask),
})

const accountRoom = ({ account, sql, origins, sweeps, want }: TenantResources): Answered["account"] => ({
  quotas: () => account.quotas(),
  retention: () => account.retention(),
  putRetention(ms) {
    unowned(sql, "setting", "retention")
    const done = account.putRetention(ms)
    if (sweeps.underWay() !== undefined) want(clock.now())
    return done
  },
  origins: () => account.origins(),
  async putOrigins(list) {
    unowned(sql, "setting", "cors")
    account.putOrigins(list)
    want(clock.now())
    await origins.tell()
  },
})

const budgetRoom = ({ sql, leases, gate }: TenantResources): Answered["dayBudget"] => ({
  setting: () => leases.setting(),
  today() {
    gate.sweep()
    return leases.today()
  },
  put(setting) {
    unowned(sql, "setting", "budget")
    return leases.put(setting)
  },
  lease(run, key, amount) {
    // A run whose start comes to nothing gives nothing back: the gate hears of it, and gives it up.
    if (key === "start") gate.began(run, Date.now())
    return leases.lease(run, key, amount)
  },
  close: (run, until, spent) => leases.close(run, until, spent),
  neverBegins: (run) => leases.neverBegins(run),
})

/** Writes of registered tools are serialized, like those of the catalog. */
const toolRoom = ({ sql, tools, inTurn }: TenantResources): Answered["tools"] => ({
  registered: () => tools.registered(),
  register: (defs) =>
    inTurn(async () => {
      for (const { name } of defs) unmade(sql, "tool", name)
      return tools.register(defs)
    }),
  unregister: (name) =>
    inTurn(async () => {
      unmade(sql, "tool", name)
      return tools.unregister(name)
    }),
})

/** What a file of the catalog sets is changed through the file alone [F79]; its list is approved as any other. */
const ownMcp = ({ sql }: TenantResources, { placed: _own, ...mcp }: PlacedServers): Answered["mcp"] => ({
  ...mcp,
  async put(name, settings, approve) {
    unmade(sql, "mcp", name)
    return mcp.put(name, settings, approve)
  },
  async remove(name) {
    unmade(sql, "mcp", name)
    return mcp.remove(name)
  },
})

function referenceRoom({ references: rows, contents: blobs, tenant }: TenantResources): Answered["references"] {
  const deps = { rows, blobs, tenant, now: clock.now }
  return {
    create: (kind, value, options) => createReference(deps, kind, value, options?.tainted === true),
    find: (kind, id) => findReference(deps, kind, id),
  }
}
