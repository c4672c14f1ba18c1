// Orders how queries of a tenant's list of runs reach rows through its indexes. Each index costs a row written for each run, so an index
// leaves out the runs for which it is useless: runs without their own thread, and runs without a parent, which `run_own` has.

export const RUN_INDEXES: Readonly<Record<string, string>> = {
  run_child: "INDEX run_child ON run (created, id) WHERE json_extract(view, '$.parent') IS NOT NULL",
  run_threaded: "INDEX run_threaded ON run (json_extract(view, '$.thread'), created) WHERE json_extract(view, '$.thread') <> id",
}

/** A query that replaces the table `run`: with its name and columns, in the order (created, id) without sorting. */
export interface RunSource {
  readonly sql: string
  readonly values: readonly string[]
}

export const THREAD = "json_extract(view, '$.thread')"
const COLUMNS = "id, flow, status, created, ended, view"
const merged = (...parts: readonly string[]): string =>
  `(${parts.map((part) => `SELECT ${COLUMNS} FROM run WHERE ${part}`).join(" UNION ALL ")}) AS run`

export const ALL_RUNS = merged("json_extract(view, '$.parent') IS NULL", "json_extract(view, '$.parent') IS NOT NULL")

const OF_THREAD = merged(`${THREAD} <> id AND ${THREAD} = ?`, `id = ? AND ${THREAD} = id`)
/** The runs in the thread, and the run whose id is the thread's name. */
export const runsOf = (thread: string): RunSource => ({ sql: OF_THREAD, values: [thread, thread] })
