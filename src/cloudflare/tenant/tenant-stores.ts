// Creates the stores of a tenant, all in the database of the tenant's object. Only the store of a table reads or writes it; work that
// involves several stores is in a room.

import { lazy } from "../../core/lazy.ts"
import type { Blobs } from "../../ports/blobs.ts"
import { AccountStore } from "./account-store.ts"
import { GivenAnswers } from "./given-answers.ts"
import { DeletedRuns } from "./run-list/deleted-runs.ts"
import { BodyStore } from "./bodies/body-store.ts"
import { jurisdictionOf } from "../platform/jurisdiction.ts"
import { BacktestStore } from "./tests/backtest-store.ts"
import { BulkStore } from "./bulk/bulk-store.ts"
import { GradingStore } from "./quality/grading-store.ts"
import { ScoringStore } from "./quality/scoring-store.ts"
import { CallbackStore } from "./callbacks/callback-store.ts"
import { PushStore } from "../../protocols/a2a/push-store.ts"
import { DeliveryStore } from "./hooks/delivery-store.ts"
import { FailureStore } from "./insight/failure-store.ts"
import { NameStore } from "./name-store.ts"
import { HookStore } from "./hooks/hook-store.ts"
import { KeyStore } from "./keys/key-store.ts"
import { BudgetStore } from "./budget/budget-store.ts"
import { PlanStore } from "./plan-store.ts"
import { PolicyStore } from "./settings/policy-store.ts"
import { ProviderStore } from "./settings/provider-store.ts"
import { QuestionStore } from "./question-store.ts"
import { PromisedRuns } from "./starts/promised-runs.ts"
import { ReferenceStore } from "./reference-store.ts"
import { DecidedIndex } from "./feed/decided-index.ts"
import { Feed } from "./feed/feed.ts"
import { tellReport } from "./feed/feed-reports.ts"
import { EffectIndex } from "./effect-index.ts"
import { RunCounts } from "./insight/run-counts.ts"
import { RunIndex } from "./run-list/run-index.ts"
import { SignInStore } from "./keys/sign-in-store.ts"
import { ScheduleStore } from "./schedules/schedule-store.ts"
import { SecretStore } from "./secrets/secret-store.ts"
import { SettingStore } from "./settings/setting-store.ts"
import { CachedStore } from "./cached-store.ts"
import { SessionStore } from "./sessions/session-store.ts"
import { SweepStore } from "./run-list/sweep-store.ts"
import { ProbeStore } from "./quality/probe-store.ts"
import { TrustStore } from "./quality/trust-store.ts"
import { DatasetStore } from "./quality/dataset-store.ts"
import { StorageUse } from "./storage-use.ts"
import { TestResultStore } from "./tests/test-result-store.ts"
import { TenantSql } from "./tenant-sql.ts"
import { ThreadStore } from "./sessions/thread-store.ts"
import { ConnectionSql } from "./mcp/connection-store.ts"
import { ToolStore } from "./catalog/tool-store.ts"
import { clock } from "../platform/clock.ts"
import { publicUrl } from "../capabilities/tenant-powers.ts"
import type { Env } from "../platform/env.ts"
import { SumStore } from "./insight/sum-store.ts"
import { UsageStore } from "./insight/usage-store.ts"
import { SealedValues } from "./secrets/sealed-values.ts"
import { Vault, type VaultEnv } from "../platform/vault.ts"
import { WorkspaceStore } from "./workspace-store.ts"

export type TenantStores = ReturnType<typeof tenantStores>

/** `want`: sets the alarm to ring by a time. `revised`: the catalog has changed. */
export function tenantStores(
  storage: DurableObjectStorage,
  env: VaultEnv & Pick<Env, "PUBLIC_URL">,
  tenant: string,
  {
    blobs,
    want = () => undefined,
    revised = () => undefined,
  }: { readonly blobs: Blobs; readonly want?: (at: number) => void; readonly revised?: () => void },
) {
  const now = (): number => Date.now()
  const feed = new Feed({ now, epoch: () => clock.id().slice(0, 10) })
  const sql = new TenantSql(storage, {
    mayBegin: () => account.graveUntil() === undefined,
    revised(revision, { action, by }) {
      feed.tell("revision.written", { revision, action, by })
      revised()
    },
  })
  const settings = new SettingStore(sql, now)
  const vault = new Vault(env)
  const secrets = new SecretStore(sql, vault, tenant)
  const connections = new ConnectionSql(sql, vault, tenant)
  const sweeps = new SweepStore(sql)
  const account: AccountStore = new AccountStore(sql, storage, env.ENVIRONMENT === "local" && tenant === "local", () => sweeps.begin())
  const used = new StorageUse(
    sql,
    () => account.quotas(),
    () => account.since() !== undefined,
  )
  const runs = new RunIndex(sql, tenant)
  const bodies = new BodyStore(sql, now, { want, isCopied: jurisdictionOf(tenant) === undefined })
  const left = (hashes: readonly string[]): void => bodies.left(hashes)
  const deletedRuns = new DeletedRuns(sql)
  const decided = new DecidedIndex(sql, tenant)
  return {
    feed,
    sql,
    settings,
    secrets,
    connections,
    account,
    sweeps,
    used,
    keys: new KeyStore(sql, { env, tenant, now }),
    signIns: new SignInStore(sql),
    providers: new ProviderStore(sql, settings, vault, { tenant, local: env.ENVIRONMENT === "local", secrets }),
    pacer: lazy(async () => new (await import("./settings/tenant-pacer.ts")).TenantPacer(sql, settings)),
    policies: new PolicyStore(sql, () => [...secrets.scopes(), ...connections.scopes()]),
    tools: new ToolStore(sql, blobs),
    leases: new BudgetStore(sql, now),
    sessions: new SessionStore(sql, now, left),
    cached: new CachedStore({ sql, used, now, want, isGone: (run) => deletedRuns.has(run) }),
    datasets: new DatasetStore({ sql, used, now, isGone: (run) => deletedRuns.has(run) }),
    references: new ReferenceStore(sql, settings, left),
    plans: new PlanStore(sql, settings, now),
    workspaces: new WorkspaceStore(sql, now, (more) => used.takeWorkspaces(more), left),
    decided,
    questions: new QuestionStore(sql, ({ id, status }) => {
      if (status === "answered") decided.answered(id, now())
      feed.tell(status === "pending" ? "question.asked" : "question.answered", { question: id })
    }),
    backtests: new BacktestStore(sql, now),
    testResults: new TestResultStore(sql, now),
    runs,
    bodies,
    counts: new RunCounts(sql),
    promises: new PromisedRuns(sql, runs, (row) => tellReport(feed, row, () => undefined)),
    threads: new ThreadStore(sql, runs),
    given: new GivenAnswers(sql),
    deletedRuns,
    effects: new EffectIndex(sql, tenant),
    usage: new UsageStore(sql),
    sums: new SumStore(sql, want),
    failures: new FailureStore(sql, now),
    bulkRows: new BulkStore(sql, tenant),
    scorings: new ScoringStore(sql),
    gradings: new GradingStore(sql),
    trust: new TrustStore(sql),
    probes: new ProbeStore(sql),
    names: new NameStore(sql, now),
    hooks: new HookStore(sql, env, tenant),
    deliveryRows: new DeliveryStore(sql),
    scheduleRows: new ScheduleStore(sql),
    callbacks: new CallbackStore(sql, tenant, new PushStore(sql, new SealedValues(vault, "push", tenant)), publicUrl(env).publicUrl),
  }
}
