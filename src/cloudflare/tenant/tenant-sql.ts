// TenantSql: the rows of one tenant's object. All methods are synchronous, so the reads and writes of one turn of the event loop are one
// commit. docs/STORAGE.md describes the tables.
//
// The first write creates the tables, so an object that is only read makes no commit.
//
// Over 300 lines: it holds the object's whole schema, and the only two ways to write to it.

import type { Act, Body, CatalogStore, Change, PathChange, Revision, StoredFile, StoredKind } from "../../engine/catalog/catalog-entry.ts"
import { placeOfPath } from "../../engine/catalog/catalog-place.ts"
import type { RevisionAction } from "../../ports/tenant/catalog.ts"
import { COUNT_RUNS, COUNTERS } from "./insight/run-counters.ts"
import { isSlim, runIndexes, runSources, type RunSources } from "./run-indexes.ts"

const SCHEMA: Readonly<Record<string, string>> = {
  meta: "TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID",
  file: "TABLE file (kind TEXT NOT NULL, id TEXT NOT NULL, path TEXT NOT NULL, hash TEXT NOT NULL, size INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID",
  revision:
    "TABLE revision (number INTEGER PRIMARY KEY, at INTEGER NOT NULL, by TEXT, action TEXT NOT NULL, target INTEGER, changed INTEGER NOT NULL)",
  backtest: "TABLE backtest (id TEXT PRIMARY KEY, created INTEGER NOT NULL, body TEXT NOT NULL) WITHOUT ROWID",
  test_result:
    "TABLE test_result (flow TEXT NOT NULL, name TEXT NOT NULL, revision INTEGER NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (flow, name, revision)) WITHOUT ROWID",
  test_result_by_time: "INDEX test_result_by_time ON test_result (at)",
  // [K24] Revisions that an admin wrote past the gate are few.
  revision_forced: "TABLE revision_forced (number INTEGER PRIMARY KEY)",
  // [F78] The revision after each project's last apply.
  applied: "TABLE applied (project TEXT PRIMARY KEY, revision INTEGER NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID",
  // [F80] At most 20 rows.
  draft:
    "TABLE draft (name TEXT PRIMARY KEY, body TEXT NOT NULL, count INTEGER NOT NULL, created INTEGER NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID",
  // What each revision changed, before and after. An earlier state is computed backward from the current one, so a revision stores only what
  // it changed.
  change:
    "TABLE change (revision INTEGER NOT NULL, path TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, before TEXT, before_size INTEGER, after TEXT, after_size INTEGER, PRIMARY KEY (revision, path)) WITHOUT ROWID",
  architect:
    "TABLE architect (id TEXT PRIMARY KEY, task TEXT NOT NULL, flow TEXT, iteration INTEGER NOT NULL, run TEXT NOT NULL, state TEXT NOT NULL, revision INTEGER, created INTEGER NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID",
  // Bodies are in the rows until the draft is accepted. Most drafts never are, and blobs are never deleted.
  staged:
    "TABLE staged (session TEXT NOT NULL, path TEXT NOT NULL, base TEXT, hash TEXT, size INTEGER NOT NULL, body TEXT, at INTEGER NOT NULL, PRIMARY KEY (session, path))",
  // Only sessions about a failed run have one.
  repair: "TABLE repair (session TEXT PRIMARY KEY, body TEXT NOT NULL)",
  provider: "TABLE provider (name TEXT PRIMARY KEY, settings TEXT NOT NULL, key BLOB, at INTEGER NOT NULL) WITHOUT ROWID",
  secret:
    "TABLE secret (scope TEXT PRIMARY KEY, count INTEGER NOT NULL, size INTEGER NOT NULL, sealed BLOB NOT NULL, updated INTEGER NOT NULL) WITHOUT ROWID",
  stored_setting:
    "TABLE stored_setting (setting TEXT NOT NULL, item TEXT NOT NULL, body TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (setting, item)) WITHOUT ROWID",
  day_limit: "TABLE day_limit (id INTEGER PRIMARY KEY CHECK (id = 1), body TEXT NOT NULL)",
  lease:
    "TABLE lease (run TEXT NOT NULL, key TEXT NOT NULL, day INTEGER NOT NULL, granted TEXT NOT NULL, retry INTEGER, ended INTEGER NOT NULL, PRIMARY KEY (run, key)) WITHOUT ROWID",
  lease_day: "TABLE lease_day (day INTEGER PRIMARY KEY, taken TEXT NOT NULL)",
  policy: "TABLE policy (id INTEGER PRIMARY KEY CHECK (id = 1), body TEXT NOT NULL, at INTEGER NOT NULL)",
  mcp_server:
    "TABLE mcp_server (name TEXT PRIMARY KEY, settings TEXT NOT NULL, hash TEXT NOT NULL, list TEXT NOT NULL, pending_hash TEXT, pending TEXT, checked INTEGER NOT NULL) WITHOUT ROWID",
  mcp_connection: "TABLE mcp_connection (name TEXT PRIMARY KEY, shown TEXT NOT NULL, sealed BLOB NOT NULL) WITHOUT ROWID",
  tool: "TABLE tool (name TEXT PRIMARY KEY, hash TEXT NOT NULL, body TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID",
  // [F79] Which registered tools and MCP servers a file of the catalog makes.
  made_by_file: "TABLE made_by_file (kind TEXT NOT NULL, name TEXT NOT NULL, file TEXT NOT NULL, PRIMARY KEY (kind, name)) WITHOUT ROWID",
  session:
    "TABLE session (agent TEXT NOT NULL, id TEXT NOT NULL, created INTEGER NOT NULL, used INTEGER NOT NULL, expires INTEGER NOT NULL, tainted INTEGER NOT NULL, private INTEGER NOT NULL, claim TEXT, since INTEGER, PRIMARY KEY (agent, id)) WITHOUT ROWID",
  session_chunk:
    "TABLE session_chunk (agent TEXT NOT NULL, id TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL, bytes INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (agent, id, seq)) WITHOUT ROWID",
  session_by_expiry: "INDEX session_by_expiry ON session (expires)",
  run: "TABLE run (id TEXT PRIMARY KEY, flow TEXT NOT NULL, status TEXT NOT NULL, created INTEGER NOT NULL, ended INTEGER, seq INTEGER NOT NULL, view TEXT NOT NULL) WITHOUT ROWID",
  // [P16] Rows of earlier versions do not say when they got their status, and come last.
  run_by_since: "INDEX run_by_since ON run (flow, coalesce(json_extract(view, '$.since'), ''), id)",
  // Runs that wait for a person's answer are few among many, so they have a separate index.
  thread_claim:
    "TABLE thread_claim (flow TEXT NOT NULL, thread TEXT NOT NULL, run TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (flow, thread)) WITHOUT ROWID",
  thread_claim_at: "INDEX thread_claim_at ON thread_claim (at)",
  run_asking: "INDEX run_asking ON run (created, id) WHERE json_extract(view, '$.pending') > 0",
  // [F79] Which hook or schedule a name means, also while no file has the name.
  named_item:
    "TABLE named_item (kind TEXT NOT NULL, name TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (kind, name)) WITHOUT ROWID",
  hook: "TABLE hook (id TEXT PRIMARY KEY, body TEXT NOT NULL, created INTEGER NOT NULL) WITHOUT ROWID",
  delivery:
    "TABLE delivery (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, hook TEXT NOT NULL, at INTEGER NOT NULL, external_id TEXT, verdict TEXT NOT NULL, reason TEXT, run TEXT, duplicates INTEGER NOT NULL, redelivery_of TEXT, due INTEGER, tries INTEGER NOT NULL)",
  delivery_by_hook: "INDEX delivery_by_hook ON delivery (hook, n)",
  // Few among many: deliveries whose run has not started yet, and deliveries that failed authentication or could not be read.
  delivery_due: "INDEX delivery_due ON delivery (due) WHERE due IS NOT NULL",
  delivery_refused: "INDEX delivery_refused ON delivery (hook, n) WHERE verdict IN ('rejected', 'malformed')",
  delivery_given:
    "TABLE delivery_given (delivery TEXT NOT NULL, name TEXT NOT NULL, n INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (delivery, name, n)) WITHOUT ROWID",
  hook_seen:
    "TABLE hook_seen (hook TEXT NOT NULL, key TEXT NOT NULL, delivery TEXT NOT NULL, run TEXT, until INTEGER NOT NULL, PRIMARY KEY (hook, key)) WITHOUT ROWID",
  hook_seen_until: "INDEX hook_seen_until ON hook_seen (until)",
  schedule:
    "TABLE schedule (id TEXT PRIMARY KEY, body TEXT NOT NULL, created INTEGER NOT NULL, next INTEGER, queued INTEGER, last_at INTEGER, last_run TEXT, last_error TEXT) WITHOUT ROWID",
  schedule_next: "INDEX schedule_next ON schedule (next) WHERE next IS NOT NULL",
  schedule_run:
    "TABLE schedule_run (run TEXT PRIMARY KEY, schedule TEXT NOT NULL, at INTEGER NOT NULL, due INTEGER, tries INTEGER NOT NULL) WITHOUT ROWID",
  schedule_run_of: "INDEX schedule_run_of ON schedule_run (schedule)",
  schedule_run_due: "INDEX schedule_run_due ON schedule_run (due) WHERE due IS NOT NULL",
  callback:
    "TABLE callback (id TEXT PRIMARY KEY, url TEXT NOT NULL, events TEXT NOT NULL, secret TEXT NOT NULL, enabled INTEGER NOT NULL, created INTEGER NOT NULL) WITHOUT ROWID",
  // What its receiver reads, and where links begin. A table of its own, because a receiver from before has none.
  callback_form: "TABLE callback_form (callback TEXT PRIMARY KEY, form TEXT NOT NULL) WITHOUT ROWID",
  push_config:
    "TABLE push_config (run TEXT NOT NULL, id TEXT NOT NULL, url TEXT NOT NULL, scheme TEXT, sealed BLOB NOT NULL, PRIMARY KEY (run, id)) WITHOUT ROWID",
  callback_message:
    "TABLE callback_message (id TEXT PRIMARY KEY, run TEXT NOT NULL, callback TEXT, url TEXT NOT NULL, origin TEXT NOT NULL, secret TEXT NOT NULL, type TEXT NOT NULL, body TEXT NOT NULL, status TEXT NOT NULL, attempts INTEGER NOT NULL, tries INTEGER NOT NULL, due INTEGER, last_status INTEGER, last_error TEXT, created INTEGER NOT NULL) WITHOUT ROWID",
  // Messages that wait to be sent are few among many.
  callback_message_due: "INDEX callback_message_due ON callback_message (due) WHERE status = 'pending'",
  callback_message_of_run: "INDEX callback_message_of_run ON callback_message (run)",
  callback_message_by_creation: "INDEX callback_message_by_creation ON callback_message (created, id)",
  question:
    "TABLE question (id TEXT PRIMARY KEY, status TEXT NOT NULL, payload TEXT NOT NULL, schema TEXT NOT NULL, answer TEXT, by TEXT, at INTEGER NOT NULL) WITHOUT ROWID",
  // The tenant's stored bytes [H6], and the size of each shared file.
  storage_use: "TABLE storage_use (part TEXT PRIMARY KEY, bytes INTEGER NOT NULL) WITHOUT ROWID",
  shared_file: "TABLE shared_file (key TEXT PRIMARY KEY, bytes INTEGER NOT NULL) WITHOUT ROWID",
  workspace_file:
    "TABLE workspace_file (workspace TEXT NOT NULL, path TEXT NOT NULL, hash TEXT NOT NULL, size INTEGER NOT NULL, modified INTEGER NOT NULL, tainted INTEGER NOT NULL, PRIMARY KEY (workspace, path)) WITHOUT ROWID",
  api_key:
    "TABLE api_key (id TEXT PRIMARY KEY, digest TEXT NOT NULL, prefix TEXT NOT NULL, name TEXT NOT NULL, scopes TEXT NOT NULL, created INTEGER NOT NULL, expires INTEGER, used INTEGER) WITHOUT ROWID",
  api_key_by_digest: "UNIQUE INDEX api_key_by_digest ON api_key (digest)",
  decided:
    "TABLE decided (run TEXT NOT NULL, id TEXT NOT NULL, flow TEXT NOT NULL, kind TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (run, id)) WITHOUT ROWID",
  decided_by_time: "INDEX decided_by_time ON decided (at, run, id)",
  sign_in:
    "TABLE sign_in (digest TEXT PRIMARY KEY, key TEXT NOT NULL, by TEXT, place TEXT NOT NULL, created INTEGER NOT NULL, until INTEGER NOT NULL)",
  sign_in_by_key: "INDEX sign_in_by_key ON sign_in (key, created)",
  // Runs that took a place and have not reported: few. A row whose run is in `run` is out of date, and the next start writes over it.
  promise: "TABLE promise (slot INTEGER PRIMARY KEY, id TEXT NOT NULL, created INTEGER NOT NULL, row TEXT NOT NULL)",
  // One row for each desk that has had a lease.
  desk: "TABLE desk (n INTEGER PRIMARY KEY, epoch TEXT NOT NULL, lease INTEGER NOT NULL, recalled INTEGER NOT NULL, held INTEGER NOT NULL, until INTEGER NOT NULL, lost INTEGER NOT NULL, lost_until INTEGER NOT NULL)",
  start_queue: "TABLE start_queue (run TEXT PRIMARY KEY, at INTEGER NOT NULL, due INTEGER NOT NULL) WITHOUT ROWID",
  // Runs that have not ended are few among many.
  run_live: "INDEX run_live ON run (created) WHERE ended IS NULL",
  reference:
    "TABLE reference (kind TEXT NOT NULL, id TEXT NOT NULL, hash TEXT NOT NULL, glimpse TEXT NOT NULL, tainted INTEGER NOT NULL, created INTEGER NOT NULL, expires INTEGER, PRIMARY KEY (kind, id)) WITHOUT ROWID",
  reference_by_expiry: "INDEX reference_by_expiry ON reference (expires) WHERE expires IS NOT NULL",
  plan: "TABLE plan (run TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, state TEXT NOT NULL, body TEXT NOT NULL, result TEXT, error TEXT, created INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (run, id))",
  plan_mark:
    "TABLE plan_mark (run TEXT NOT NULL, id TEXT NOT NULL, tainted INTEGER NOT NULL, private INTEGER NOT NULL, PRIMARY KEY (run, id)) WITHOUT ROWID",
  plan_by_creation: "INDEX plan_by_creation ON plan (created)",
  setting: "TABLE setting (name TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID",
  // One index for each filter of the list [H5]. Each index ends with the primary key, which is the id.
  run_by_flow: "INDEX run_by_flow ON run (flow, created)",
  run_by_status: "INDEX run_by_status ON run (status, created)",
  // [H5] The list shows runs without a parent; the children of one are few among many.
  run_own: "INDEX run_own ON run (created, id) WHERE json_extract(view, '$.parent') IS NULL",
  run_by_parent:
    "INDEX run_by_parent ON run (json_extract(view, '$.parent.run'), created) WHERE json_extract(view, '$.parent.run') IS NOT NULL",
  run_by_fork: "INDEX run_by_fork ON run (json_extract(view, '$.fork.run'), created) WHERE json_extract(view, '$.fork.run') IS NOT NULL",
  run_by_trigger: "INDEX run_by_trigger ON run (json_extract(view, '$.trigger.kind'), created)",
  run_tag: "TABLE run_tag (tag TEXT NOT NULL, created INTEGER NOT NULL, id TEXT NOT NULL, PRIMARY KEY (tag, created, id)) WITHOUT ROWID",
  // [K31] Open effects of runs: few, and read by their time.
  effect_open:
    "TABLE effect_open (run TEXT NOT NULL, key TEXT NOT NULL, state TEXT NOT NULL, tool TEXT NOT NULL, host TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (run, key)) WITHOUT ROWID",
  effect_open_by_time: "INDEX effect_open_by_time ON effect_open (at)",
  effect_report: "TABLE effect_report (run TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID",
  run_tag_by_run: "INDEX run_tag_by_run ON run_tag (id)",
  ...COUNTERS,
  failure: "TABLE failure (key TEXT PRIMARY KEY, last INTEGER NOT NULL, body TEXT NOT NULL) WITHOUT ROWID",
  failure_by_last: "INDEX failure_by_last ON failure (last)",
  usage_day:
    "TABLE usage_day (day INTEGER NOT NULL, rehearsed INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, runs INTEGER NOT NULL, children INTEGER NOT NULL, failed INTEGER NOT NULL, input INTEGER NOT NULL, cached INTEGER NOT NULL, output INTEGER NOT NULL, usd REAL, unpriced INTEGER NOT NULL, model_calls INTEGER NOT NULL, tool_calls INTEGER NOT NULL, tool_errors INTEGER NOT NULL, PRIMARY KEY (rehearsed, kind, day, name)) WITHOUT ROWID",
  // A table of its own, because the sums of a tenant from before have no such columns.
  usage_asked:
    "TABLE usage_asked (day INTEGER NOT NULL, rehearsed INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, questions INTEGER NOT NULL, approvals INTEGER NOT NULL, answered INTEGER NOT NULL, waited_ms INTEGER NOT NULL, PRIMARY KEY (rehearsed, kind, day, name)) WITHOUT ROWID",
  watched_key: "TABLE watched_key (key TEXT NOT NULL, run TEXT NOT NULL, revoked INTEGER, PRIMARY KEY (key, run)) WITHOUT ROWID",
  watched_key_revoked: "INDEX watched_key_revoked ON watched_key (revoked) WHERE revoked IS NOT NULL",
  watched_key_by_run: "INDEX watched_key_by_run ON watched_key (run)",
}

/** Projects whose last apply is remembered. */
const KEPT_PROJECTS = 100

export class TenantSql implements CatalogStore {
  readonly #storage: DurableObjectStorage
  #isThere: boolean | undefined
  #isSlim = true
  #version = 0
  #revision: { readonly version: number; readonly number: number } | undefined

  readonly #revised: (revision: number, act: Act) => void

  /** `revised` is told of each revision. */
  constructor(storage: DurableObjectStorage, revised: (revision: number, act: Act) => void = () => undefined) {
    this.#storage = storage
    this.#revised = revised
  }

  /** Changes with each `write`: what a start depends on may be out of date if it was read before. `record` does not change it. */
  get version(): number {
    return this.#version
  }

  /** How queries reach rows of the list. */
  get runs(): RunSources {
    this.#exists()
    return runSources(this.#isSlim)
  }

  revision(): number {
    if (this.#revision?.version !== this.#version) {
      const [row] = this.read<{ value: number }>("SELECT value FROM meta WHERE key = 'revision'")
      this.#revision = { version: this.#version, number: row?.value ?? 0 }
    }
    return this.#revision.number
  }

  files(): readonly StoredFile[] {
    return this.read<FileRecord>("SELECT kind, id, path, hash, size FROM file").map((row) => ({ ...row, kind: kindOf(row.kind) }))
  }

  /** Where the file of this name is. */
  pathOf(kind: StoredKind, id: string): string | undefined {
    return this.read<{ path: string }>("SELECT path FROM file WHERE kind = ? AND id = ?", kind, id)[0]?.path
  }

  commit(changes: readonly Change[], act: Act, also?: () => void): number {
    const at = Date.now()
    const written = this.write((sql) => {
      const revision = this.revision() + 1
      const done = new Map<string, PathChange>()
      for (const change of changes) {
        const { kind, id, path } = change
        const [row] = sql.exec<FileRecord>("SELECT kind, id, path, hash, size FROM file WHERE kind = ? AND id = ?", kind, id).toArray()
        const before = done.has(path) ? done.get(path)?.before : row && { hash: row.hash, size: row.size }
        const after = change.type === "put" ? { hash: change.hash, size: change.size } : undefined
        done.set(path, { kind, id, path, ...(before ? { before } : {}), ...(after ? { after } : {}) })
        if (!after) sql.exec("DELETE FROM file WHERE kind = ? AND id = ?", kind, id)
        else if (row?.hash !== after.hash || row.path !== path)
          sql.exec(
            "INSERT OR REPLACE INTO file (kind, id, path, hash, size, at) VALUES (?, ?, ?, ?, ?, ?)",
            kind,
            id,
            path,
            after.hash,
            after.size,
            at,
          )
      }
      const real = [...done.values()].filter((c) => c.before?.hash !== c.after?.hash)
      for (const change of real) insertChange(sql, revision, change)
      sql.exec(
        "INSERT INTO revision (number, at, by, action, target, changed) VALUES (?, ?, ?, ?, ?, ?)",
        revision,
        at,
        act.by ?? null,
        act.action,
        act.target ?? null,
        real.length,
      )
      if (act.forced === true) sql.exec("INSERT INTO revision_forced (number) VALUES (?)", revision)
      sql.exec("INSERT OR REPLACE INTO meta (key, value) VALUES ('revision', ?)", revision)
      if (act.project !== undefined) keepApplied(sql, act.project, revision, at)
      also?.()
      return revision
    })
    this.#revised(written, act)
    return written
  }

  lastApply(project: string): number | undefined {
    return this.read<{ revision: number }>("SELECT revision FROM applied WHERE project = ?", project)[0]?.revision
  }

  keepApply(project: string, revision: number): void {
    if (this.lastApply(project) !== revision) this.record((sql) => keepApplied(sql, project, revision, Date.now()))
  }

  revisions(below: number, limit: number): readonly Revision[] {
    const rows = this.read<RevisionRecord>(
      `SELECT revision.*, revision_forced.number AS forced FROM revision LEFT JOIN revision_forced USING (number)
       WHERE revision.number < ? ORDER BY revision.number DESC LIMIT ?`,
      below,
      limit,
    )
    return rows.map(({ number, at, by, action, target, forced, changed }) => ({
      revision: number,
      at,
      action: actionOf(action),
      changed,
      ...(by === null ? {} : { by }),
      ...(target === null ? {} : { target }),
      ...(forced === null ? {} : { forced: true as const }),
    }))
  }

  changes(after: number, upTo: number, limit = -1): readonly (PathChange & { readonly revision: number })[] {
    const rows = this.read<ChangeRecord>(
      "SELECT * FROM change WHERE revision > ? AND revision <= ? ORDER BY revision, path LIMIT ?",
      after,
      upTo,
      limit,
    )
    return rows.map((row) => {
      const before = bodyOf(row.before, row.before_size)
      const is = bodyOf(row.after, row.after_size)
      const { revision, id, path } = row
      return { revision, kind: kindOf(row.kind), id, path, ...(before ? { before } : {}), ...(is ? { after: is } : {}) }
    })
  }

  /** Returns no rows until the first write. */
  read<T extends Record<string, SqlStorageValue>>(query: string, ...bindings: readonly SqlStorageValue[]): T[] {
    return this.#exists() ? this.#storage.sql.exec<T>(query, ...bindings).toArray() : []
  }

  /** Everything that `work` writes is one transaction: if it throws, nothing is written. */
  write<T>(work: (sql: SqlStorage) => T): T {
    try {
      return this.record(work)
    } finally {
      this.#version++
    }
  }

  /** As `write`, for rows that no start of a run is judged by: reports of runs, messages, counts. They come with every run, and what was read
   *  for starts stays good. */
  record<T>(work: (sql: SqlStorage) => T): T {
    const result = this.#storage.transactionSync(() => {
      if (!this.#exists()) this.#create(new Set())
      return work(this.#storage.sql)
    })
    this.#isThere = true
    return result
  }

  /** Call this after `deleteAll`. */
  forget(): void {
    this.#isThere = undefined
    this.#isSlim = true
    this.#version++
  }

  /** Reads the schema once after the object wakes. If an earlier version created the tables, this migrates them. */
  #exists(): boolean {
    if (this.#isThere !== undefined) return this.#isThere
    const rows = this.#storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type IN ('table', 'index', 'trigger')")
      .toArray()
    const there = new Set(rows.map((row) => row.name))
    this.#isThere = there.has("meta")
    this.#isSlim = isSlim(there)
    if (this.#isThere && Object.keys(this.#schema()).some((name) => !there.has(name)))
      this.#storage.transactionSync(() => {
        this.#create(there)
        if (there.has("history")) carryHistory(this.#storage.sql)
        carrySettings(this.#storage.sql, there)
        carryPromises(this.#storage.sql, there)
        if (there.has("run") && !there.has("run_count")) this.#storage.sql.exec(COUNT_RUNS)
        if (there.has("run") && !there.has("run_tag"))
          this.#storage.sql.exec(
            "INSERT OR IGNORE INTO run_tag (tag, created, id) SELECT json_each.value, created, run.id FROM run, json_each(view, '$.tags')",
          )
      })
    return this.#isThere
  }

  #create(there: ReadonlySet<string>): void {
    for (const [name, statement] of Object.entries(this.#schema())) if (!there.has(name)) this.#storage.sql.exec(`CREATE ${statement}`)
  }

  #schema(): Readonly<Record<string, string>> {
    return { ...SCHEMA, ...runIndexes(this.#isSlim) }
  }
}

type FileRecord = { kind: string; id: string; path: string; hash: string; size: number }
type RevisionRecord = {
  number: number
  at: number
  by: string | null
  action: string
  target: number | null
  forced: number | null
  changed: number
}
type ChangeRecord = {
  revision: number
  path: string
  kind: string
  id: string
  before: string | null
  before_size: number | null
  after: string | null
  after_size: number | null
}

/** The newest projects are kept. */
function keepApplied(sql: SqlStorage, project: string, revision: number, at: number): void {
  sql.exec("INSERT OR REPLACE INTO applied (project, revision, at) VALUES (?, ?, ?)", project, revision, at)
  sql.exec("DELETE FROM applied WHERE project NOT IN (SELECT project FROM applied ORDER BY at DESC, project LIMIT ?)", KEPT_PROJECTS)
}

const bodyOf = (hash: string | null, size: number | null): Body | undefined => (hash === null ? undefined : { hash, size: size ?? 0 })

function insertChange(sql: SqlStorage, revision: number, { path, kind, id, before, after }: PathChange): void {
  sql.exec(
    "INSERT INTO change (revision, path, kind, id, before, before_size, after, after_size) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    revision,
    path,
    kind,
    id,
    before?.hash ?? null,
    before?.size ?? null,
    after?.hash ?? null,
    after?.size ?? null,
  )
}

/** Settings that had a table each, until one table stored them all: what is read from the old table as `(setting, item, body, at)`. */
const SETTINGS_BEFORE: Readonly<Record<string, string>> = {
  role: "SELECT 'roles', '', json_group_object(name, model), 0 FROM role HAVING count(*) > 0",
  price: "SELECT 'prices', '', json_group_object(model, json(body)), 0 FROM price HAVING count(*) > 0",
  service: "SELECT 'services', '', json_group_object(name, json(body)), 0 FROM service HAVING count(*) > 0",
  reference_kind: "SELECT 'references', name, body, at FROM reference_kind",
  plan_spec: "SELECT 'plans', name, body, at FROM plan_spec",
}

function carrySettings(sql: SqlStorage, there: ReadonlySet<string>): void {
  for (const [table, rows] of Object.entries(SETTINGS_BEFORE)) {
    if (!there.has(table)) continue
    sql.exec(`INSERT OR REPLACE INTO stored_setting (setting, item, body, at) ${rows}`)
    sql.exec(`DROP TABLE ${table}`)
  }
}

/** Promises had a table in which each was deleted when its run reported. */
function carryPromises(sql: SqlStorage, there: ReadonlySet<string>): void {
  if (!there.has("promised_run") || there.has("promise")) return
  sql.exec("INSERT INTO promise (id, created, row) SELECT id, created, row FROM promised_run")
  sql.exec("DELETE FROM promised_run")
}

/** The first version of the history recorded only the result of each revision, not the previous text or the author. */
function carryHistory(sql: SqlStorage): void {
  type Old = { revision: number; path: string; kind: string; hash: string | null; size: number | null; at: number }
  const previous = new Map<string, Body>()
  const revisions = new Map<number, { at: number; changed: number }>()
  for (const row of sql.exec<Old>("SELECT revision, path, kind, hash, size, at FROM history ORDER BY revision, path").toArray()) {
    const before = previous.get(row.path)
    const after = bodyOf(row.hash, row.size)
    const place = placeOfPath(row.path)
    const id = place.ok ? place.value.id : row.path
    insertChange(sql, row.revision, {
      path: row.path,
      kind: kindOf(row.kind),
      id,
      ...(before ? { before } : {}),
      ...(after ? { after } : {}),
    })
    if (after) previous.set(row.path, after)
    else previous.delete(row.path)
    revisions.set(row.revision, { at: row.at, changed: (revisions.get(row.revision)?.changed ?? 0) + 1 })
  }
  for (const [number, { at, changed }] of revisions)
    sql.exec("INSERT INTO revision (number, at, by, action, target, changed) VALUES (?, ?, NULL, 'write', NULL, ?)", number, at, changed)
  sql.exec("DROP TABLE history")
}

const KINDS: readonly StoredKind[] = [
  "agent",
  "flow",
  "skill",
  "rehearsal",
  "test",
  "code",
  "package",
  "hook",
  "schedule",
  "callback",
  "tool",
  "setting",
]

function kindOf(text: string): StoredKind {
  const kind = KINDS.find((k) => k === text)
  if (kind === undefined) throw new Error(`the catalog has a row of the unknown kind "${text}"`)
  return kind
}

const ACTIONS: readonly RevisionAction[] = ["write", "remove", "replace", "merge", "rollback", "register", "unregister"]

function actionOf(text: string): RevisionAction {
  const action = ACTIONS.find((a) => a === text)
  if (action === undefined) throw new Error(`the catalog has a revision made by the unknown action "${text}"`)
  return action
}
