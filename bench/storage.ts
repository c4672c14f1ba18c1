// Measures what a run stores on disk: the rows of its object's SQLite file, read after the server was killed.

import { readdirSync } from "node:fs"
import path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { short, table } from "./figures.ts"

interface Kept {
  readonly rows: number
  readonly bytes: number
}

/** One run's tables. `steps` is the divisor of the figures. */
export interface Wanted {
  readonly run: string
  readonly label: string
  readonly steps: number
}

export function storage(data: string, wanted: readonly Wanted[]): string {
  const folder = path.join(data, "do", "sluice-RunObject")
  const found = new Map<string, ReadonlyMap<string, Kept>>()
  for (const name of readdirSync(folder).filter((f) => f.endsWith(".sqlite") && f !== "metadata.sqlite")) {
    const database = new DatabaseSync(path.join(folder, name))
    const run = runOf(database)
    if (run !== undefined && wanted.some((w) => w.run === run)) found.set(run, tablesOf(database))
    database.close()
  }
  const names = [...new Set([...found.values()].flatMap((tables) => [...tables.keys()]))].sort()
  const rows = wanted.flatMap(({ run, label, steps }) => {
    const tables = found.get(run)
    return names.map((name): string[] => {
      const { rows: count, bytes } = tables?.get(name) ?? { rows: 0, bytes: 0 }
      return [label, `\`${name}\``, short(count), short(bytes), short(count / steps), short(bytes / steps)]
    })
  })
  return table(["run", "table", "rows", "bytes", "rows/step", "bytes/step"], rows)
}

function runOf(database: DatabaseSync): string | undefined {
  if (!namesOf(database).includes("entry")) return undefined
  const first = database.prepare("SELECT events FROM entry ORDER BY last LIMIT 1").get()?.["events"]
  return typeof first === "string" ? /"run":"(run_[0-9a-z]{26,32})"/.exec(first)?.[1] : undefined
}

function tablesOf(database: DatabaseSync): ReadonlyMap<string, Kept> {
  return new Map(
    namesOf(database).map((name) => {
      const columns = database.prepare(`SELECT name FROM pragma_table_info('${name}')`).all()
      const size = columns.map((c) => `COALESCE(LENGTH(CAST("${String(c["name"])}" AS BLOB)), 0)`).join(" + ")
      const row = database.prepare(`SELECT COUNT(*) AS rows, COALESCE(SUM(${size}), 0) AS bytes FROM "${name}"`).get()
      return [name, { rows: Number(row?.["rows"] ?? 0), bytes: Number(row?.["bytes"] ?? 0) }] as const
    }),
  )
}

const namesOf = (database: DatabaseSync): string[] =>
  database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .all()
    .map((row) => String(row["name"]))
