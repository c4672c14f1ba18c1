// The database of a Durable Object, over Node's SQLite: for tests that let many lives of an object pass.

import { DatabaseSync, type SQLInputValue } from "node:sqlite"

/** `path`: of a file, for a test that reads its bytes. */
export function sqliteStorage(path = ":memory:"): DurableObjectStorage {
  const db = new DatabaseSync(path)
  let depth = 0
  const kv = new Map<string, unknown>()
  const storage = {
    kv: {
      get: (key: string) => kv.get(key),
      put: (key: string, value: unknown) => void kv.set(key, value),
      delete: (key: string) => kv.delete(key),
      list: ({ limit = Infinity }: { readonly limit?: number } = {}) => [...kv].slice(0, limit),
    },
    sql: {
      exec(query: string, ...values: readonly SQLInputValue[]) {
        const rows = db.prepare(query).all(...values)
        const toArray = (): object[] => rows.map(asPlatform)
        return {
          toArray,
          one(): object {
            const [only, ...others] = toArray()
            if (only === undefined || others.length > 0) throw new Error(`one row was expected, and there are ${rows.length}`)
            return only
          },
        }
      },
    },
    transactionSync<T>(work: () => T): T {
      const point = `p${depth++}`
      db.exec(`SAVEPOINT ${point}`)
      try {
        return work()
      } catch (e) {
        db.exec(`ROLLBACK TO ${point}`)
        throw e
      } finally {
        db.exec(`RELEASE ${point}`)
        depth--
      }
    },
  }
  return storage as unknown as DurableObjectStorage
}

/** The platform's blobs are ArrayBuffers. */
const asPlatform = (row: object): object =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value instanceof Uint8Array ? new Uint8Array(value).buffer : value]))
