// Counts what a server holds: files, bytes and rows of its data folder, memory of its processes.

import { readdirSync, readFileSync, statSync } from "node:fs"
import path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as pause } from "node:timers/promises"
import type { Victim } from "../crash/victim.ts"

export interface Figures {
  /** That hold something. */
  readonly files: number
  readonly rows: number
  /** MB of these files. */
  readonly disk: number
  /** What goes by itself at its time, and is in no other figure: marks of deleted tenants, and bodies that nothing names any more. */
  readonly dated: number
  /** Databases in which nothing is left: the runtime keeps the file of a deleted object. */
  readonly empty: number
  /** KB of the largest of them. */
  readonly page: number
  readonly workerd: number
  readonly launcher: number
  /** Rows by kind of object and table, to say where they are. */
  readonly tables: Readonly<Record<string, number>>
}

type Stored = Omit<Figures, "workerd" | "launcher">

/** Objects tell each other of what was deleted for a while. */
const REST_WITHIN_MS = 90_000
const STILL_MS = 4_000
const MB = 1_048_576
/** Of a deleted tenant: when it was deleted, and the format. It stays for an hour, so that what was on its way finds nobody. */
const MARK_ROWS = 2

export async function figuresOf(victim: Victim): Promise<Figures> {
  const until = Date.now() + REST_WITHIN_MS
  let last = stored(victim.data)
  for (let still = 0; still < STILL_MS && Date.now() < until; still += 500) {
    await pause(500)
    const now = stored(victim.data)
    if (now.rows !== last.rows || now.files !== last.files) still = 0
    last = now
  }
  return { ...last, workerd: memoryOf(victim.workerd), launcher: memoryOf(victim.launcher) }
}

function stored(folder: string): Stored {
  const tables: Record<string, number> = {}
  let [files, bytes, rows, empty, page, marks, bodies] = [0, 0, 0, 0, 0, 0, 0]
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const file = path.join(folder, name)
    // The log of a database and its index come and go.
    const stat = /\.log$|-wal$|-shm$/.test(name) ? undefined : statSync(file, { throwIfNoEntry: false })
    if (stat?.isFile() !== true) continue
    const counts = name.endsWith(".sqlite") ? rowsOf(file) : []
    const own = counts.reduce((sum, [, n]) => sum + n, 0)
    if (name.endsWith(".sqlite") && own === 0) {
      empty++
      page = Math.max(page, stat.size / 1_024)
      continue
    }
    if (own === MARK_ROWS && counts.every(([table, n]) => n === 0 || table === "_cf_KV")) {
      marks++
      continue
    }
    files++
    bytes += stat.size
    rows += own
    for (const [table, n] of counts) {
      if (table === "body_left") bodies += n
      const kind = `${path.basename(path.dirname(file))} ${table}`
      tables[kind] = (tables[kind] ?? 0) + n
    }
  }
  // A body is a file, its row in the bucket, and the row that says when it goes.
  return { files: files - bodies, rows: rows - 2 * bodies, disk: bytes / MB, dated: marks + bodies, empty, page, tables }
}

/** Of the tables that are not the runtime's own. */
function rowsOf(file: string): [table: string, rows: number][] {
  try {
    const database = new DatabaseSync(file, { readOnly: true })
    try {
      const names = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'").all()
      return names.flatMap(({ name }) => {
        if (name === "_cf_METADATA" || name === "_cf_ALARM") return []
        const [row] = database.prepare(`SELECT count(*) AS n FROM "${String(name).replaceAll('"', '""')}"`).all()
        return [[String(name), Number(row?.["n"] ?? 0)]]
      })
    } finally {
      database.close()
    }
  } catch {
    // It was removed meanwhile.
    return []
  }
}

/** MB that are in memory, on Linux. */
function memoryOf(pid: number | undefined): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid ?? ""}/status`, "utf8"))?.[1] ?? 0) / 1_024
  } catch {
    return 0
  }
}
