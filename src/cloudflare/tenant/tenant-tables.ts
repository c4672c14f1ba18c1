// Declares the tables of a tenant's object (docs/STORAGE.md), and what a write to each means for the leases of its desks [F71]. Over 200
// lines: the whole schema in one place.

import { NUMBERED } from "../platform/format.ts"
import { COUNTERS } from "./insight/run-counters.ts"
import { RUN_INDEXES } from "./run-list/run-indexes.ts"

/** What starts of runs are judged by, and what is cached until it changes. A write to one of these recalls all leases before it is answered. */
const GROUND: Readonly<Record<string, string>> = {
  meta: `TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL ${NUMBERED}) WITHOUT ROWID`,
  file: "TABLE file (kind TEXT NOT NULL, id TEXT NOT NULL, path TEXT NOT NULL, hash TEXT NOT NULL, size INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID",
  revision:
    "TABLE revision (number INTEGER PRIMARY KEY, at INTEGER NOT NULL, by TEXT, action TEXT NOT NULL, target INTEGER, changed INTEGER NOT NULL)",
  // [K24] Revisions that an admin wrote past the gate are few.
  revision_forced: "TABLE revision_forced (number INTEGER PRIMARY KEY)",
  // What each revision changed, before and after. An earlier state is computed backward from the current one, so a revision stores only what
  // it changed.
  change:
    "TABLE change (revision INTEGER NOT NULL, path TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, before TEXT, before_size INTEGER, after TEXT, after_size INTEGER, PRIMARY KEY (revision, path)) WITHOUT ROWID",
  provider: "TABLE provider (name TEXT PRIMARY KEY, settings TEXT NOT NULL, key BLOB, at INTEGER NOT NULL) WITHOUT ROWID",
  secret:
    "TABLE secret (scope TEXT PRIMARY KEY, count INTEGER NOT NULL, size INTEGER NOT NULL, sealed BLOB NOT NULL, updated INTEGER NOT NULL) WITHOUT ROWID",
  stored_setting:
    "TABLE stored_setting (setting TEXT NOT NULL, item TEXT NOT NULL, body TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (setting, item)) WITHOUT ROWID",
  day_limit: "TABLE day_limit (id INTEGER PRIMARY KEY CHECK (id = 1), body TEXT NOT NULL)",
  policy: "TABLE policy (id INTEGER PRIMARY KEY CHECK (id = 1), body TEXT NOT NULL, at INTEGER NOT NULL)",
  mcp_server:
    "TABLE mcp_server (name TEXT PRIMARY KEY, settings TEXT NOT NULL, hash TEXT NOT NULL, list TEXT NOT NULL, pending_hash TEXT, pending TEXT, checked INTEGER NOT NULL) WITHOUT ROWID",
  mcp_connection: "TABLE mcp_connection (name TEXT PRIMARY KEY, shown TEXT NOT NULL, sealed BLOB NOT NULL) WITHOUT ROWID",
  tool: "TABLE tool (name TEXT PRIMARY KEY, hash TEXT NOT NULL, body TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID",
  // [F79] Which registered tools and MCP servers a file of the catalog makes.
  made_by_file: "TABLE made_by_file (kind TEXT NOT NULL, name TEXT NOT NULL, file TEXT NOT NULL, PRIMARY KEY (kind, name)) WITHOUT ROWID",
  // [F79] Which hook or schedule a name means, also while no file has the name.
  named_item:
    "TABLE named_item (kind TEXT NOT NULL, name TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (kind, name)) WITHOUT ROWID",
  hook: "TABLE hook (id TEXT PRIMARY KEY, body TEXT NOT NULL, created INTEGER NOT NULL) WITHOUT ROWID",
  // `form`: what its receiver reads, and where links begin.
  callback:
    "TABLE callback (id TEXT PRIMARY KEY, url TEXT NOT NULL, events TEXT NOT NULL, secret TEXT NOT NULL, enabled INTEGER NOT NULL, created INTEGER NOT NULL, form TEXT NOT NULL) WITHOUT ROWID",
  api_key:
    "TABLE api_key (id TEXT PRIMARY KEY, digest TEXT NOT NULL, prefix TEXT NOT NULL, name TEXT NOT NULL, scopes TEXT NOT NULL, created INTEGER NOT NULL, expires INTEGER) WITHOUT ROWID",
  api_key_by_digest: "UNIQUE INDEX api_key_by_digest ON api_key (digest)",
  setting: "TABLE setting (name TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID",
}

/** What comes with runs, requests and messages: no start is judged by it, and a write to it recalls nothing. */
const RECORDS: Readonly<Record<string, string>> = {
  backtest: "TABLE backtest (id TEXT PRIMARY KEY, created INTEGER NOT NULL, body TEXT NOT NULL) WITHOUT ROWID",
  architect:
    "TABLE architect (id TEXT PRIMARY KEY, task TEXT NOT NULL, flow TEXT, iteration INTEGER NOT NULL, run TEXT NOT NULL, state TEXT NOT NULL, revision INTEGER, created INTEGER NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID",
  // Bodies are in the rows until the draft is accepted. Most drafts never are, and definitions are never deleted.
  staged:
    "TABLE staged (session TEXT NOT NULL, path TEXT NOT NULL, base TEXT, hash TEXT, size INTEGER NOT NULL, body TEXT, at INTEGER NOT NULL, PRIMARY KEY (session, path))",
  // Only sessions about a failed run have one.
  repair: "TABLE repair (session TEXT PRIMARY KEY, body TEXT NOT NULL)",
  reference:
    "TABLE reference (kind TEXT NOT NULL, id TEXT NOT NULL, hash TEXT NOT NULL, glimpse TEXT NOT NULL, tainted INTEGER NOT NULL, created INTEGER NOT NULL, expires INTEGER, PRIMARY KEY (kind, id)) WITHOUT ROWID",
  reference_by_expiry: "INDEX reference_by_expiry ON reference (expires) WHERE expires IS NOT NULL",
  // When each key was used last, apart from the key: a key's use changes nothing that a start is judged by.
  key_use: "TABLE key_use (key TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID",
  // How far a sweep has told ended runs of a shorter retention [H6], under the sweep's name; no row: there is none.
  retention_sweep: "TABLE retention_sweep (id INTEGER PRIMARY KEY CHECK (id = 1), name TEXT NOT NULL, at TEXT NOT NULL)",
  // Runs that could not be told: few.
  retention_untold: "TABLE retention_untold (run TEXT PRIMARY KEY, due INTEGER NOT NULL, tries INTEGER NOT NULL) WITHOUT ROWID",
  test_result:
    "TABLE test_result (flow TEXT NOT NULL, name TEXT NOT NULL, revision INTEGER NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (flow, name, revision)) WITHOUT ROWID",
  test_result_by_time: "INDEX test_result_by_time ON test_result (at)",
  // [F78] The revision after each project's last apply.
  applied: "TABLE applied (project TEXT PRIMARY KEY, revision INTEGER NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID",
  // [F80] At most 20 rows.
  draft:
    "TABLE draft (name TEXT PRIMARY KEY, body TEXT NOT NULL, count INTEGER NOT NULL, created INTEGER NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID",
  lease:
    "TABLE lease (run TEXT NOT NULL, key TEXT NOT NULL, day INTEGER NOT NULL, granted TEXT NOT NULL, retry INTEGER, ended INTEGER NOT NULL, PRIMARY KEY (run, key)) WITHOUT ROWID",
  lease_day: "TABLE lease_day (day INTEGER PRIMARY KEY, taken TEXT NOT NULL)",
  session:
    "TABLE session (agent TEXT NOT NULL, id TEXT NOT NULL, created INTEGER NOT NULL, used INTEGER NOT NULL, expires INTEGER NOT NULL, tainted INTEGER NOT NULL, private INTEGER NOT NULL, claim TEXT, since INTEGER, PRIMARY KEY (agent, id)) WITHOUT ROWID",
  session_chunk:
    "TABLE session_chunk (agent TEXT NOT NULL, id TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL, bytes INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (agent, id, seq)) WITHOUT ROWID",
  session_by_expiry: "INDEX session_by_expiry ON session (expires)",
  run: "TABLE run (id TEXT PRIMARY KEY, flow TEXT NOT NULL, status TEXT NOT NULL, created INTEGER NOT NULL, ended INTEGER, seq INTEGER NOT NULL, view TEXT NOT NULL) WITHOUT ROWID",
  // [P16]
  run_by_since: "INDEX run_by_since ON run (flow, json_extract(view, '$.since'), id)",
  // Runs that wait for a person's answer are few among many, so they have a separate index.
  // `after`: the run of the thread that was the newest when this one claimed it; empty: none.
  given_answer: "TABLE given_answer (digest TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID",
  thread_turn:
    "TABLE thread_turn (flow TEXT NOT NULL, thread TEXT NOT NULL, run TEXT NOT NULL, after TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (flow, thread)) WITHOUT ROWID",
  thread_turn_at: "INDEX thread_turn_at ON thread_turn (at)",
  run_asking: "INDEX run_asking ON run (created, id) WHERE json_extract(view, '$.pending') > 0",
  delivery:
    "TABLE delivery (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, hook TEXT NOT NULL, at INTEGER NOT NULL, external_id TEXT, verdict TEXT NOT NULL, reason TEXT, run TEXT, duplicates INTEGER NOT NULL, redelivery_of TEXT, due INTEGER, tries INTEGER NOT NULL)",
  delivery_by_hook: "INDEX delivery_by_hook ON delivery (hook, n)",
  // Who owns a body in R2 that is content, and the bodies that lost an owner: few, until the sweep has looked. `copied`: KV may have a copy.
  body_owner: "TABLE body_owner (hash TEXT NOT NULL, owner TEXT NOT NULL, PRIMARY KEY (hash, owner)) WITHOUT ROWID",
  body_left: "TABLE body_left (hash TEXT PRIMARY KEY, at INTEGER NOT NULL, due INTEGER NOT NULL, copied INTEGER NOT NULL) WITHOUT ROWID",
  body_left_due: "INDEX body_left_due ON body_left (due)",
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
  decided:
    "TABLE decided (run TEXT NOT NULL, id TEXT NOT NULL, flow TEXT NOT NULL, kind TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (run, id)) WITHOUT ROWID",
  decided_by_time: "INDEX decided_by_time ON decided (at, run, id)",
  sign_in:
    "TABLE sign_in (digest TEXT PRIMARY KEY, key TEXT NOT NULL, by TEXT, place TEXT NOT NULL, created INTEGER NOT NULL, until INTEGER NOT NULL)",
  sign_in_by_key: "INDEX sign_in_by_key ON sign_in (key, created)",
  // Runs that took a place and have not reported: few. A row whose run is in `run` is out of date, and the next start writes over it.
  promise: "TABLE promise (slot INTEGER PRIMARY KEY, id TEXT NOT NULL, created INTEGER NOT NULL, row TEXT NOT NULL)",
  deleted_run: "TABLE deleted_run (run TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID",
  deleted_run_by_time: "INDEX deleted_run_by_time ON deleted_run (at)",
  // One row for each desk that has had a lease.
  desk: "TABLE desk (n INTEGER PRIMARY KEY, epoch TEXT NOT NULL, lease INTEGER NOT NULL, recalled INTEGER NOT NULL, held INTEGER NOT NULL, until INTEGER NOT NULL, lost INTEGER NOT NULL, lost_until INTEGER NOT NULL)",
  bulk: "TABLE bulk (id TEXT PRIMARY KEY, created INTEGER NOT NULL, action TEXT NOT NULL, by TEXT NOT NULL, how TEXT NOT NULL, status TEXT NOT NULL, count INTEGER NOT NULL, done INTEGER NOT NULL, skipped INTEGER NOT NULL, failed INTEGER NOT NULL) WITHOUT ROWID",
  bulk_item:
    "TABLE bulk_item (bulk TEXT NOT NULL, n INTEGER NOT NULL, run TEXT NOT NULL, outcome TEXT NOT NULL, made TEXT, reason TEXT, due INTEGER, begun INTEGER NOT NULL, tries INTEGER NOT NULL, since INTEGER, PRIMARY KEY (bulk, n)) WITHOUT ROWID",
  bulk_item_due: "INDEX bulk_item_due ON bulk_item (bulk, due) WHERE due IS NOT NULL",
  start_queue: "TABLE start_queue (run TEXT PRIMARY KEY, at INTEGER NOT NULL, due INTEGER NOT NULL) WITHOUT ROWID",
  // Runs that have not ended are few among many.
  run_live: "INDEX run_live ON run (created) WHERE ended IS NULL",
  plan: "TABLE plan (run TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, state TEXT NOT NULL, body TEXT NOT NULL, result TEXT, error TEXT, created INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (run, id))",
  plan_mark:
    "TABLE plan_mark (run TEXT NOT NULL, id TEXT NOT NULL, tainted INTEGER NOT NULL, private INTEGER NOT NULL, PRIMARY KEY (run, id)) WITHOUT ROWID",
  plan_by_creation: "INDEX plan_by_creation ON plan (created)",
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
  ...RUN_INDEXES,
  ...COUNTERS,
  failure: "TABLE failure (key TEXT PRIMARY KEY, last INTEGER NOT NULL, body TEXT NOT NULL) WITHOUT ROWID",
  failure_by_last: "INDEX failure_by_last ON failure (last)",
  usage_day:
    "TABLE usage_day (day INTEGER NOT NULL, rehearsed INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, runs INTEGER NOT NULL, children INTEGER NOT NULL, failed INTEGER NOT NULL, input INTEGER NOT NULL, cached INTEGER NOT NULL, output INTEGER NOT NULL, usd REAL, unpriced INTEGER NOT NULL, model_calls INTEGER NOT NULL, tool_calls INTEGER NOT NULL, tool_errors INTEGER NOT NULL, questions INTEGER NOT NULL, approvals INTEGER NOT NULL, answered INTEGER NOT NULL, waited_ms INTEGER NOT NULL, lost_calls INTEGER NOT NULL, lost_tokens INTEGER NOT NULL, PRIMARY KEY (rehearsed, kind, day, name)) WITHOUT ROWID",
  // [H16] `unit`: 0 hours, 1 days; `at`: since 1970. In the order of time, so that a day's rows are neighbors.
  run_sum:
    "TABLE run_sum (unit INTEGER NOT NULL, rehearsed INTEGER NOT NULL, at INTEGER NOT NULL, flow TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (unit, rehearsed, at, flow)) WITHOUT ROWID",
  watched_key: "TABLE watched_key (key TEXT NOT NULL, run TEXT NOT NULL, revoked INTEGER, PRIMARY KEY (key, run)) WITHOUT ROWID",
  watched_key_revoked: "INDEX watched_key_revoked ON watched_key (revoked) WHERE revoked IS NOT NULL",
  watched_key_by_run: "INDEX watched_key_by_run ON watched_key (run)",
}

/** Tables that came later, with their indexes: each is made in the turn of its first row, so an object that an earlier build made, and one
 *  that never has such a row, has none. Rows of them are records. */
export const LATER = {
  cached_pass: [
    "TABLE cached_pass (n INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, flow TEXT NOT NULL, step TEXT NOT NULL, run TEXT NOT NULL, asked INTEGER NOT NULL, until INTEGER NOT NULL, bytes INTEGER NOT NULL, body TEXT NOT NULL)",
    "INDEX cached_pass_by_run ON cached_pass (run)",
    "INDEX cached_pass_by_step ON cached_pass (flow, step)",
    "INDEX cached_pass_until ON cached_pass (until)",
  ],
  // [V16] Scorings that wait, by run and scorer. A tenant without scorers has no such table.
  scoring: [
    "TABLE scoring (run TEXT NOT NULL, scorer TEXT NOT NULL, flow TEXT NOT NULL, due INTEGER NOT NULL, tries INTEGER NOT NULL, judge TEXT, body TEXT NOT NULL, PRIMARY KEY (run, scorer)) WITHOUT ROWID",
  ],
  // [V17] The newest score of each scorer on a run; of `feedback`, the givers' mean, and thumbs as JSON.
  score: [
    "TABLE score (run TEXT NOT NULL, scorer TEXT NOT NULL, score REAL, version TEXT, judges TEXT, said TEXT, PRIMARY KEY (run, scorer)) WITHOUT ROWID",
  ],
  score_sum: [
    "TABLE score_sum (day INTEGER NOT NULL, flow TEXT NOT NULL, scorer TEXT NOT NULL, scored INTEGER NOT NULL, counted INTEGER NOT NULL, total REAL NOT NULL, low INTEGER NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL, usd REAL NOT NULL, unpriced INTEGER NOT NULL, PRIMARY KEY (day, flow, scorer)) WITHOUT ROWID",
  ],
  // [V21]
  grading: [
    "TABLE grading (run TEXT NOT NULL, scorer TEXT NOT NULL, flow TEXT NOT NULL, since INTEGER NOT NULL, PRIMARY KEY (run, scorer)) WITHOUT ROWID",
  ],
  // [V22] What judges and people said of the same runs.
  judged: [
    "TABLE judged (run TEXT NOT NULL, scorer TEXT NOT NULL, version TEXT NOT NULL, score REAL NOT NULL, levels TEXT NOT NULL, PRIMARY KEY (run, scorer, version)) WITHOUT ROWID",
  ],
  grade: [
    "TABLE grade (run TEXT NOT NULL, scorer TEXT NOT NULL, score REAL NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (run, scorer, score)) WITHOUT ROWID",
  ],
  // [V10] The newest probe of each scorer, and what its judge gave.
  probe: [
    "TABLE probe (id TEXT PRIMARY KEY, scorer TEXT NOT NULL, version TEXT NOT NULL, at INTEGER NOT NULL, budget TEXT, usd REAL NOT NULL, tokens INTEGER NOT NULL) WITHOUT ROWID",
  ],
  probe_score: [
    "TABLE probe_score (run TEXT NOT NULL, probe TEXT NOT NULL, way TEXT NOT NULL, score REAL, judge TEXT NOT NULL, PRIMARY KEY (run, probe, way)) WITHOUT ROWID",
  ],
  // [V14] What was skipped, by UTC day.
  scoring_day: ["TABLE scoring_day (day INTEGER PRIMARY KEY, budget INTEGER NOT NULL, queue INTEGER NOT NULL)"],
  // [R28] What answers taught of a model's limits.
  learned_rate: ["TABLE learned_rate (model TEXT PRIMARY KEY, body TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID"],
  // [R5] The line of starts: no start of the desks is judged by it.
  start_line: [
    "TABLE start_line (n INTEGER PRIMARY KEY, run TEXT NOT NULL UNIQUE, flow TEXT NOT NULL, state INTEGER NOT NULL, rank INTEGER NOT NULL, filed TEXT, ready INTEGER, began INTEGER, due INTEGER, held_key TEXT, held_limit INTEGER, paced_key TEXT, body TEXT NOT NULL)",
    "INDEX start_line_filed ON start_line (filed, rank, ready, n) WHERE filed IS NOT NULL",
    "INDEX start_line_key ON start_line (held_key, state, ready) WHERE held_key IS NOT NULL",
    "INDEX start_line_paced ON start_line (paced_key, began) WHERE paced_key IS NOT NULL AND began IS NOT NULL",
    "INDEX start_line_due ON start_line (due) WHERE due IS NOT NULL",
  ],
  // What starts are filed under, and when it is to be looked at; none: when something changes.
  start_thing: [
    "TABLE start_thing (thing TEXT PRIMARY KEY, due INTEGER, places INTEGER NOT NULL, up_to INTEGER) WITHOUT ROWID",
    "INDEX start_thing_due ON start_thing (due) WHERE due IS NOT NULL",
  ],
  dataset: [
    "TABLE dataset (name TEXT PRIMARY KEY, flow TEXT NOT NULL, description TEXT, hash TEXT NOT NULL, count INTEGER NOT NULL, created INTEGER NOT NULL) WITHOUT ROWID",
  ],
  dataset_row: [
    "TABLE dataset_row (n INTEGER PRIMARY KEY, dataset TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, by_hand INTEGER NOT NULL, untrusted INTEGER NOT NULL, created INTEGER NOT NULL, UNIQUE (dataset, id))",
  ],
  // [V29] The runs that a row was made from.
  dataset_run: [
    "TABLE dataset_run (dataset TEXT NOT NULL, row TEXT NOT NULL, run TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (dataset, row, run)) WITHOUT ROWID",
    "INDEX dataset_run_by_run ON dataset_run (run)",
  ],
  // [V38] `open`: rows and trials that are not through. `held`: what trials under way may use on top of what was used.
  experiment: [
    "TABLE experiment (id TEXT PRIMARY KEY, created INTEGER NOT NULL, status TEXT NOT NULL, rows INTEGER NOT NULL, open INTEGER NOT NULL, usd REAL NOT NULL, unpriced INTEGER NOT NULL, tokens INTEGER NOT NULL, held_usd REAL NOT NULL, held_tokens INTEGER NOT NULL, body TEXT NOT NULL, result TEXT) WITHOUT ROWID",
  ],
  // What the gate knows of an experiment when it is gone.
  experiment_try: [
    "TABLE experiment_try (experiment TEXT PRIMARY KEY, at INTEGER NOT NULL, form TEXT NOT NULL, dataset TEXT NOT NULL, rows TEXT NOT NULL, repeats INTEGER NOT NULL, forms TEXT NOT NULL, versions TEXT NOT NULL, gate TEXT, waits INTEGER NOT NULL, usd REAL NOT NULL, tokens INTEGER NOT NULL) WITHOUT ROWID",
    "INDEX experiment_try_by_form ON experiment_try (form, at)",
  ],
  // Rows and trials that are not through have a time at which they are looked at.
  experiment_row: [
    "TABLE experiment_row (n INTEGER PRIMARY KEY, experiment TEXT NOT NULL, row TEXT NOT NULL, state TEXT NOT NULL, run TEXT, due INTEGER, plan TEXT, body TEXT NOT NULL, UNIQUE (experiment, row))",
    "INDEX experiment_row_due ON experiment_row (due) WHERE due IS NOT NULL",
  ],
  trial: [
    "TABLE trial (n INTEGER PRIMARY KEY, experiment TEXT NOT NULL, row TEXT NOT NULL, variant INTEGER NOT NULL, repeat INTEGER NOT NULL, run TEXT NOT NULL, state TEXT NOT NULL, due INTEGER, tries INTEGER NOT NULL, body TEXT NOT NULL, UNIQUE (experiment, row, variant, repeat))",
    "INDEX trial_by_run ON trial (run)",
    "INDEX trial_due ON trial (state, due) WHERE due IS NOT NULL",
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>
export type LaterTable = keyof typeof LATER

export const SCHEMA: Readonly<Record<string, string>> = { ...GROUND, ...RECORDS }

const WRITES = /^\s*(?:INSERT(?:\s+OR\s+\w+)?\s+INTO|REPLACE\s+INTO|UPDATE(?:\s+OR\s+\w+)?|DELETE\s+FROM)\s+"?(\w+)"?/i

/** Tells whether this statement changes data that starts depend on. An unknown table counts as such data. */
export function changesGround(statement: string): boolean {
  const table = WRITES.exec(statement)?.[1]
  return table === undefined ? !/^\s*SELECT\b/i.test(statement) : RECORDS[table] === undefined && !Object.hasOwn(LATER, table)
}
