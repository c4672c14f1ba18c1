// The snapshot of a run in its object's SQLite [J8], and the mark of a fork: the rows of `part`.
//
// A snapshot is the row `top` and a row for each group of steps. An earlier build wrote `head` and a row for each step, and reads nothing else:
// after a rollback it folds the run from its events, and after that the newer of the two counts.

import type { SnapshotParts } from "../../../core/run/snapshot.ts"
import type { RunHead, StepState } from "../../../core/run/state.ts"
import type { PackedTexts, Stored } from "./packed-text.ts"
import type { RunTables } from "./run-tables.ts"

const PART = "part"
const COLUMNS = "(name TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID"
const TOP = "top"
const GROUP = "group/"
const OLD_TOP = "head"
const OLD_STEP = "step/"

type PartRow = { name: string; body: Stored }

export class SqlParts {
  readonly #storage: DurableObjectStorage
  readonly #tables: RunTables
  readonly #texts: PackedTexts

  constructor(storage: DurableObjectStorage, tables: RunTables, texts: PackedTexts) {
    this.#storage = storage
    this.#tables = tables
    this.#texts = texts
  }

  snapshot(): SnapshotParts | undefined {
    if (!this.#tables.has(PART)) return undefined
    const rows = this.#storage.sql.exec<PartRow>("SELECT name, body FROM part WHERE name <> 'fork'").toArray()
    const read = <T>({ name, body }: PartRow): T => JSON.parse(this.#texts.whole(`part/${name}`, body)) as T
    const headOf = (name: string): RunHead | undefined => {
      const row = rows.find((one) => one.name === name)
      return row && read<RunHead>(row)
    }
    const [top, old] = [headOf(TOP), headOf(OLD_TOP)]
    if (old && old.seq > (top?.seq ?? 0)) {
      const of = rows.filter(({ name }) => name.startsWith(OLD_STEP))
      return { head: old, steps: Object.fromEntries(of.map((row) => [row.name.slice(OLD_STEP.length), read<StepState>(row)])), isOld: true }
    }
    if (!top) return undefined
    const groups = rows.filter(({ name }) => name.startsWith(GROUP)).map((row) => read<Record<string, StepState>>(row))
    return { head: top, steps: Object.assign({}, ...groups) as Record<string, StepState> }
  }

  keep({ head, steps, groups = {} }: SnapshotParts): void {
    this.put(TOP, head)
    const grouped = new Set(Object.values(groups).flat())
    const alone = Object.keys(steps).filter((id) => !grouped.has(id))
    const all = [...Object.entries(groups), ...alone.map((id): [string, string[]] => [`of ${id}`, [id]])]
    for (const [name, ids] of all) this.put(`${GROUP}${name}`, Object.fromEntries(ids.map((id) => [id, steps[id]])))
  }

  /** What `put` stored under this name. */
  get<T>(name: string): T | undefined {
    if (!this.#tables.has(PART)) return undefined
    const row = this.#storage.sql.exec<PartRow>("SELECT name, body FROM part WHERE name = ?", name).toArray()[0]
    return row && (JSON.parse(this.#texts.whole(`part/${name}`, row.body)) as T)
  }

  put(name: string, body: unknown): void {
    this.#tables.make(PART, COLUMNS)
    this.#storage.sql.exec(
      "INSERT INTO part (name, body) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET body = excluded.body",
      name,
      this.#texts.fit(`part/${name}`, JSON.stringify(body)),
    )
  }
}
