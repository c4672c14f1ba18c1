// The indexes of a tenant's list of runs that depend on when its object was born, and how queries reach rows through them. Each index costs a row
// written for each run, so one that says nothing of most runs leaves them out: a run without a thread of its own, and a run without a parent,
// which `run_own` has already.
//
// An object of an earlier build keeps the two whole indexes it has: making others would read all of its runs, which may be ten million.

/** Of objects born from now on. */
const SLIM: Readonly<Record<string, string>> = {
  run_child: "INDEX run_child ON run (created, id) WHERE json_extract(view, '$.parent') IS NOT NULL",
  run_threaded: "INDEX run_threaded ON run (json_extract(view, '$.thread'), created) WHERE json_extract(view, '$.thread') <> id",
}

const WHOLE: Readonly<Record<string, string>> = {
  run_by_creation: "INDEX run_by_creation ON run (created, id)",
  run_by_thread: "INDEX run_by_thread ON run (coalesce(json_extract(view, '$.thread'), id), created)",
}

/** `there`: what the object has. */
export const isSlim = (there: ReadonlySet<string>): boolean => !there.has("run") || there.has("run_threaded")

export const runIndexes = (slim: boolean): Readonly<Record<string, string>> => (slim ? SLIM : WHOLE)

/** Rows of `run` in place of the table: under its name, with its columns, in the order (created, id) without sorting. */
export interface RunSource {
  readonly sql: string
  readonly values: readonly string[]
}

export interface RunSources {
  readonly all: RunSource
  readonly ofThread: (thread: string) => RunSource
}

const COLUMNS = "id, flow, status, created, view"
/** The rows of earlier versions have no thread: their runs have their ids as threads. */
export const THREAD = "coalesce(json_extract(view, '$.thread'), id)"
const merged = (...parts: readonly string[]): string =>
  `(${parts.map((part) => `SELECT ${COLUMNS} FROM run WHERE ${part}`).join(" UNION ALL ")}) AS run`

const ALL = merged("json_extract(view, '$.parent') IS NULL", "json_extract(view, '$.parent') IS NOT NULL")
/** The runs that were given the thread, and the one run whose id it is. */
const OF_THREAD = merged("json_extract(view, '$.thread') <> id AND json_extract(view, '$.thread') = ?", `id = ? AND ${THREAD} = id`)

const THROUGH_SLIM: RunSources = {
  all: { sql: ALL, values: [] },
  ofThread: (thread) => ({ sql: OF_THREAD, values: [thread, thread] }),
}

const THROUGH_WHOLE: RunSources = {
  all: { sql: "run", values: [] },
  ofThread: (thread) => ({ sql: `(SELECT ${COLUMNS} FROM run WHERE ${THREAD} = ?) AS run`, values: [thread] }),
}

export const runSources = (slim: boolean): RunSources => (slim ? THROUGH_SLIM : THROUGH_WHOLE)
