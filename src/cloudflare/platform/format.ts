// Refuses an object whose data has another format. The format's number is in the SQL of the object's first table, where it costs no row and
// no commit; an object without a table has it under a key.

import { FORMAT, otherFormat } from "../../engine/version.ts"
import { logError } from "./log.ts"

/** The format's number, as a comment in the statement of a table that may be an object's first. */
export const NUMBERED = `/* format ${FORMAT} */`

const KEY = "format"
const TABLES = `SELECT count(*) AS tables, max(iif(instr(sql, '/* format '), CAST(substr(sql, instr(sql, '/* format ') + 10) AS INTEGER), 0)) AS format
  FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'`
const LOOK_MS = 3_600_000
const REMEDY = "deploy the build that wrote it again, or this one under another name, with storage of its own (docs/OPERATING.md)"

/** The keys of an object without a table: the first stored key adds the format's number, and the last deleted key removes it. */
export const numberedKeys = (kv: SyncKvStorage, isBare: () => boolean): SyncKvStorage => ({
  get: (key) => kv.get(key),
  list: (options) => kv.list(options),
  delete(key) {
    const was = kv.delete(key)
    const left = kv.get(KEY) === undefined ? [] : Array.from(kv.list({ limit: 2 }))
    if (left.length === 1) kv.delete(KEY)
    return was
  },
  put(key, value) {
    if (kv.get(KEY) === undefined && isBare()) kv.put(KEY, FORMAT)
    kv.put(key, value)
  },
})

/** The same keys for what is written after a message to another object: an owner that is erased meanwhile gets none. */
export const keysWhile = (isThere: () => boolean, kv: SyncKvStorage): SyncKvStorage => ({
  get: (key) => kv.get(key),
  list: (options) => kv.list(options),
  delete: (key) => kv.delete(key),
  put: (key, value) => (isThere() ? kv.put(key, value) : undefined),
})

/** An error that says what the object is and what to do; undefined: it is empty or of this format. Writes nothing. */
export function otherFormatIn(storage: DurableObjectStorage, what: string): Error | undefined {
  const why = otherFormat(what, foundIn(storage), REMEDY)
  return why === undefined ? undefined : Object.assign(new Error(why), { name: "OtherFormatError" })
}

/** Sets the alarm of such an object again, for a build that can read the object. */
export function ringLater(storage: DurableObjectStorage, { message }: Error): Promise<void> {
  logError("format", { message })
  return storage.setAlarm(Date.now() + LOOK_MS)
}

function foundIn({ sql, kv }: DurableObjectStorage): number | undefined {
  const { tables, format } = sql.exec<{ tables: number; format: number | null }>(TABLES).one()
  if (tables > 0) return format || undefined
  if (Array.from(kv.list({ limit: 1 })).length === 0) return FORMAT
  const number = kv.get(KEY)
  return typeof number === "number" ? number : undefined
}
