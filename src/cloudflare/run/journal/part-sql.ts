// Stores the snapshot of a run in its object's SQLite [J8], and the mark of a fork, in the rows of `part`.
//
// A snapshot is the row `top` and a row for each group of steps.

import type { SnapshotParts } from "../../../core/run/snapshot.ts"
import type { RunHead, StepState } from "../../../core/run/state.ts"
import type { PackedTexts, Stored } from "./packed-text.ts"
import type { RunTables } from "./run-tables.ts"

const PART = "part"
const COLUMNS = "(name TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID"
const TOP = "top"
const GROUP = "group/"

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
    const top = rows.find(({ name }) => name === TOP)
    if (!top) return undefined
    const groups = rows.filter(({ name }) => name.startsWith(GROUP)).map((row) => read<Record<string, StepState>>(row))
    return { head: read<RunHead>(top), steps: Object.assign({}, ...groups) as Record<string, StepState> }
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
