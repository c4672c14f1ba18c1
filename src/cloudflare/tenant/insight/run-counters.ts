// Counts a tenant's runs by family, flow and status. Triggers keep the counts, so every write of a run's row updates them in the same
// commit, without a separate statement: a new row changes one counter, a new status two. A family is the children of one run at any depth,
// under the id of that run; "" is the runs that the list shows. Children are not counted by flow, so that the number of flows that a run
// calls does not decide its number of rows here. Runs of tests are not counted [K21].

const UNTESTED_IN = (row: string): string =>
  `json_extract(${row}.view, '$.trigger.kind') IS NOT 'test' AND json_extract(${row}.view, '$.trigger.test') IS NULL`

/** NULL: the run is not counted. */
const familyIn = (row: string): string => `coalesce(json_extract(${row}.view, '$.parent.root'), CASE WHEN ${UNTESTED_IN(row)} THEN '' END)`
const flowIn = (row: string): string => `CASE WHEN json_extract(${row}.view, '$.parent') IS NULL THEN ${row}.flow ELSE '' END`

const more = (row: string): string =>
  `INSERT INTO run_count (family, flow, status, n) SELECT ${familyIn(row)}, ${flowIn(row)}, ${row}.status, 1 WHERE ${familyIn(row)} IS NOT NULL
   ON CONFLICT DO UPDATE SET n = n + 1;`
const is = (row: string): string => `family = ${familyIn(row)} AND flow = ${flowIn(row)} AND status = ${row}.status`
const fewer = (row: string): string =>
  `DELETE FROM run_count WHERE ${is(row)} AND n <= 1;
   UPDATE run_count SET n = n - 1 WHERE ${is(row)};`

export const COUNTERS: Readonly<Record<string, string>> = {
  run_count:
    "TABLE run_count (family TEXT NOT NULL, flow TEXT NOT NULL, status TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (family, flow, status)) WITHOUT ROWID",
  run_counted: `TRIGGER run_counted AFTER INSERT ON run BEGIN ${more("NEW")} END`,
  run_recounted: `TRIGGER run_recounted AFTER UPDATE ON run
    WHEN OLD.status IS NOT NEW.status OR OLD.flow IS NOT NEW.flow OR ${familyIn("OLD")} IS NOT ${familyIn("NEW")}
    BEGIN ${fewer("OLD")} ${more("NEW")} END`,
  run_uncounted: `TRIGGER run_uncounted AFTER DELETE ON run BEGIN ${fewer("OLD")} END`,
}
