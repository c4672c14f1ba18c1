// What the object of one run does to its storage: statements, rows, commits of the journal, alarms, bytes at rest. The counters sit on the
// platform's own classes, so whatever part of the object writes is counted.

import { runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { vi } from "vitest"
import { stub } from "./house.ts"

export interface RunCounts {
  readonly statements: number
  readonly rowsRead: number
  readonly rowsWritten: number
  /** Statements that add to the journal, by the turn of the event loop in which they ran: the platform makes one commit of a turn. */
  readonly commits: number
  readonly alarms: number
  readonly tables: readonly string[]
  /** Of the object's database. */
  readonly bytes: number
  readonly events: number
  /** Bytes of the journal's rows. */
  readonly journal: number
}

interface Tally {
  readonly cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[]
  commits: number
  puts: number
  alarms: number
  /** A commit of this turn is counted. */
  isOpen: boolean
}

const tallies = new Map<unknown, Tally>()
const tallyOf = (of: unknown): Tally => {
  const before = tallies.get(of)
  if (before) return before
  const made: Tally = { cursors: [], commits: 0, puts: 0, alarms: 0, isOpen: false }
  tallies.set(of, made)
  return made
}

/** Counts until `body` is done, and hands out what an object's counters say. */
export async function counting<T>(body: (countsOf: (id: string, tenant?: string) => Promise<RunCounts>) => Promise<T>): Promise<T> {
  tallies.clear()
  const protos = await runInDurableObject(env.RUN.get(env.RUN.idFromName("counts/protos")), (_, { storage }) => ({
    sql: Object.getPrototypeOf(storage.sql) as SqlStorage,
    kv: Object.getPrototypeOf(storage.kv) as SyncKvStorage,
    storage: Object.getPrototypeOf(storage) as DurableObjectStorage,
  }))
  const real = { exec: protos.sql.exec, put: protos.kv.put, setAlarm: protos.storage.setAlarm }
  const spies = [
    vi.spyOn(protos.sql, "exec").mockImplementation(function (this: SqlStorage, ...call) {
      const cursor = Reflect.apply(real.exec, this, call)
      const tally = tallyOf(this)
      tally.cursors.push(cursor)
      if (call[0].startsWith("INSERT INTO entry") && !tally.isOpen) {
        tally.commits++
        tally.isOpen = true
        setTimeout(() => (tally.isOpen = false), 0)
      }
      return cursor
    } as typeof real.exec),
    vi.spyOn(protos.kv, "put").mockImplementation(function (this: SyncKvStorage, ...call) {
      tallyOf(this).puts++
      return Reflect.apply(real.put, this, call)
    }),
    vi.spyOn(protos.storage, "setAlarm").mockImplementation(function (this: DurableObjectStorage, ...call) {
      tallyOf(this).alarms++
      return Reflect.apply(real.setAlarm, this, call)
    }),
  ]
  try {
    return await body(counts)
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

/** What any object has written so far, while its calls are counted. */
export const rowsWrittenBy = (object: DurableObjectStub): Promise<number> =>
  runInDurableObject(object, (_, { storage }) => writtenIn(storage))

/** How often it has set its alarm, which is among what it has written. */
export const alarmsSetBy = (object: DurableObjectStub): Promise<number> =>
  runInDurableObject(object, (_, { storage }) => tallyOf(storage).alarms)

function writtenIn(storage: DurableObjectStorage): number {
  const cursors = tallyOf(storage.sql).cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0)
  return cursors + tallyOf(storage.kv).puts + tallyOf(storage).alarms
}

function counts(id: string, tenant = "local"): Promise<RunCounts> {
  return runInDurableObject(stub(id, tenant), (_, { storage }): RunCounts => {
    const [sql, whole] = [tallyOf(storage.sql), tallyOf(storage)]
    const rowsRead = sql.cursors.reduce((sum, cursor) => sum + cursor.rowsRead, 0)
    const seen = { statements: sql.cursors.length, rowsRead, rowsWritten: writtenIn(storage) }
    const one = <R extends Record<string, SqlStorageValue>>(query: string): R => storage.sql.exec<R>(query).one()
    return {
      ...seen,
      commits: sql.commits,
      alarms: whole.alarms,
      tables: storage.sql
        .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\' ORDER BY name")
        .toArray()
        .map(({ name }) => name),
      bytes: storage.sql.databaseSize,
      events: one<{ last: number }>("SELECT MAX(last) AS last FROM entry").last,
      journal: one<{ size: number }>("SELECT sum(length(CAST(events AS BLOB))) AS size FROM entry").size,
    }
  })
}
